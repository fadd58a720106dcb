import type { ReservationRecord } from '@lab/api-client';
import type { Command } from 'commander';
import {
  asks,
  person,
  personCommand,
  seconds,
  serviceCommand,
  tableOf,
  type PersonFlags,
  type ServiceFlags,
} from '../at-service.js';
import { momentOf } from '../moments.js';
import { deviceNamed } from './device-filter.js';

interface AddFlags extends PersonFlags {
  from?: string;
  to: string;
  reason: string;
  resource?: boolean;
}

/** Commands with which people reserve devices and resources for a time. */
export function addReservationCommands(program: Command): void {
  const reservation = program
    .command('reservation')
    .description('reserve devices and resources for a time, for the tasks of one person');
  asks(
    personCommand(
      reservation,
      'add <lab.device>',
      'reserve a device: in this time only tasks of the person start on it, and a running one continues to its end',
    )
      .option('--from <time>', 'when it begins: 30m, 2h, 3d, 14:00 or 2026-11-23T14:00 (default: now)')
      .requiredOption(
        '--to <time>',
        'when it ends: 16:00, 2026-11-23T16:00, or how long it lasts: 30m, 2h, 3d',
      )
      .requiredOption('--reason <text>', 'why, for those who wait')
      .option('--resource', 'the name is that of a resource, as <lab>.<resource>'),
    (client, flags: AddFlags, name: string) => {
      const { lab, device } = deviceNamed(name);
      const from = flags.from === undefined ? new Date().toISOString() : momentOf(flags.from);
      const to = momentOf(flags.to, Date.parse(from));
      const unit = flags.resource === true ? { resource: device } : { device };
      const { reason } = flags;
      return client.post('/api/reservations', {
        body: { lab, ...unit, from, to, reason, by: person(flags) },
      });
    },
    (made) => [`reserved: ${lineOf(made)}`, `end it early with: svc reservation end ${made.id}`],
  );
  asks(
    serviceCommand(reservation, 'list', 'list the reservations that have not ended').option(
      '--lab <name>',
      'only of this laboratory',
    ),
    (client, { lab }: ServiceFlags & { lab?: string }) =>
      client.all('/api/reservations', { query: lab === undefined ? {} : { lab } }),
    tableOf<ReservationRecord>('nothing is reserved', {
      NAME: nameOf,
      FROM: ({ from }) => seconds(from),
      TO: ({ to }) => seconds(to),
      BY: ({ by }) => by,
      REASON: ({ reason }) => reason,
      ID: ({ id }) => id,
    }),
  );
  asks(
    personCommand(reservation, 'end <id>', 'end a reservation early'),
    (client, flags: PersonFlags, id: string) =>
      client.post('/api/reservations/{id}/end', { path: { id }, body: { by: person(flags) } }),
    (ended) => [`ended: ${lineOf(ended)}`],
  );
}

function nameOf({ lab, device, resource }: ReservationRecord): string {
  return `${lab}.${device ?? resource ?? ''}`;
}

function lineOf(reservation: ReservationRecord): string {
  const { from, to, by, reason } = reservation;
  return `${nameOf(reservation)} by ${by} from ${seconds(from)} to ${seconds(to)}: ${reason}`;
}
