import { ProblemError, type EmergencyStopRecord, type QueuedTask, type QueueRecord } from '@lab/api-client';
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

interface QueueFlags extends ServiceFlags {
  run?: string;
  campaign?: string;
  owner?: string;
  device?: string;
  lab?: string;
  limit?: string;
}

interface StopFlags extends PersonFlags {
  lab?: string;
  device?: string;
  reason?: string;
}

/** Commands with which people stop everything and keep work from starting. */
export function addOperatingCommands(program: Command): void {
  addEmergencyStop(program);
  addQueue(program);
}

function addEmergencyStop(program: Command): void {
  const estop = program
    .command('estop')
    .description('emergency stop of everything, of a laboratory or of a device');
  // This is the default command. A mistyped subcommand is an excess argument here and is refused, so that it stops
  // nothing.
  asks(
    personCommand(estop, 'engage', 'engage an emergency stop at once', { isDefault: true })
      .option('--lab <name>', 'only this laboratory')
      .option('--device <name>', 'only this device of the laboratory')
      .option('--reason <text>', 'why')
      .allowExcessArguments(false),
    async (client, flags: StopFlags) => {
      const { lab, device, reason } = flags;
      try {
        return await client.post('/api/estop', {
          body: {
            by: person(flags),
            ...(lab === undefined ? {} : { lab_name: lab }),
            ...(device === undefined ? {} : { device_name: device }),
            ...(reason === undefined ? {} : { reason }),
          },
        });
      } catch (error) {
        if (!(error instanceof ProblemError))
          process.stderr.write(
            'It is not known whether anything was stopped: use the stop switches of the instruments.\n',
          );
        throw error;
      }
    },
    ({ scope, id }) => [`stopped: ${scope} (${id})`],
  );
  asks(
    personCommand(estop, 'release [id]', 'release one emergency stop, or all that are in force'),
    (client, flags: PersonFlags, id?: string) =>
      client.post('/api/estop/release', {
        body: { by: person(flags), ...(id === undefined ? {} : { id }) },
      }),
    (released) =>
      released.length === 0
        ? ['no stop is in force']
        : released.map(({ scope, id }) => `released: ${scope} (${id})`),
  );
  asks(
    serviceCommand(estop, 'list', 'list the emergency stops in force').option('--all', 'also released stops'),
    (client, { all = false }: ServiceFlags & { all?: boolean }) =>
      client.all('/api/estop', { query: { all } }),
    tableOf<EmergencyStopRecord>('no stop is in force', {
      SCOPE: ({ scope }) => scope,
      SINCE: (stop) => seconds(stop.engaged_at),
      BY: ({ by }) => by,
      REASON: ({ reason }) => reason,
      RELEASED: ({ released_at: at, released_by: by }) =>
        at === null ? '' : `${seconds(at)} by ${by ?? ''}`,
      ID: ({ id }) => id,
    }),
  );
}

function addQueue(program: Command): void {
  const queue = program.command('queue').description('show, pause and resume the queue');
  const show =
    'show the numbers of queued and running tasks, and the queued tasks in order with their reasons';
  asks(
    serviceCommand(queue, 'show', show, { isDefault: true })
      .option('--run <name>', 'only tasks of this protocol run')
      .option('--campaign <name>', 'only tasks of this campaign')
      .option('--owner <name>', 'only tasks of this owner')
      .option('--device <lab.device>', 'only tasks that can use this device')
      .option('--lab <name>', 'only tasks that can use a device of this laboratory')
      .option('--limit <count>', 'most tasks to list (default 20)')
      .allowExcessArguments(false),
    (client, { run, campaign, owner, device, lab, limit = '20' }: QueueFlags) =>
      client.get('/api/queue', {
        query: { protocol_run: run, campaign, owner, device, lab, limit: Number(limit) },
      }),
    (page) => [
      ...queueLines(page),
      ...(page.items.length === 0 ? [] : ['', ...queueTable(page.items)]),
      ...(page.next_cursor === null ? [] : ['... and more, with --limit']),
    ],
  );
  for (const [verb, description] of [
    ['pause', 'start nothing any more'],
    ['resume', 'start what waits again'],
  ] as const)
    asks(
      personCommand(queue, verb, description),
      (client, flags: PersonFlags) => client.post(`/api/queue/${verb}`, { body: { by: person(flags) } }),
      queueLines,
    );
}

const queueTable = tableOf<QueuedTask>('', {
  '#': ({ position }) => String(position),
  TASK: ({ label }) => label,
  OWNER: ({ owner }) => owner,
  PRIORITY: ({ priority, effective_priority: effective }) =>
    effective === priority ? String(priority) : `${priority} (now ${effective})`,
  SINCE: (task) => seconds(task.waiting_since),
  'WAITS FOR': (task) => task.waits_for.map(({ code, message }) => `${code}: ${message}`).join('; ') || '-',
});

function queueLines({ paused, paused_by: by, paused_at: at, queued, running }: QueueRecord): string[] {
  return [
    `${queued} waiting, ${running} running`,
    ...(paused
      ? [`paused by ${by ?? ''} since ${seconds(at ?? '')}: nothing starts until svc queue resume`]
      : []),
  ];
}
