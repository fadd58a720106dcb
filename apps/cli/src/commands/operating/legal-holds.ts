import type { LegalHoldRecord } from '@lab/api-client';
import { Argument, type Command } from 'commander';
import {
  asks,
  person,
  personCommand,
  seconds,
  serviceCommand,
  tableOf,
  type PersonFlags,
} from '../at-service.js';

/** What a hold covers, as the command line names it, with the name in REST. */
const kinds = {
  campaign: 'campaign',
  protocol: 'protocol_run',
  task: 'task_run',
  owner: 'owner',
  lab: 'lab',
} as const satisfies Record<string, LegalHoldRecord['kind']>;

/** Commands with which administrators forbid the deletion of work. */
export function addLegalHoldCommands(program: Command): void {
  const hold = program.command('legal-hold').description('forbid the deletion of work');
  asks(
    personCommand(hold, 'add', 'forbid the deletion of work, and take back deletions that have not begun')
      .addArgument(new Argument('<kind>', 'what the hold covers').choices(Object.keys(kinds)))
      .argument('<name>', 'name of the work, the owner or the laboratory')
      .requiredOption('--reason <text>', 'why'),
    (client, flags: PersonFlags & { reason: string }, kind: keyof typeof kinds, name: string) => {
      const { reason } = flags;
      return client.post('/api/legal-holds', {
        body: { kind: kinds[kind], name, reason, by: person(flags) },
      });
    },
    (added) => [
      `held: ${lineOf(added)}`,
      ...added.too_late.map((name) => `too late for ${name}: its deletion has begun`),
      `release it with: svc legal-hold release ${added.id}`,
    ],
  );
  asks(
    serviceCommand(hold, 'list', 'list the legal holds in force'),
    (client) => client.all('/api/legal-holds', { query: {} }),
    tableOf<LegalHoldRecord>('nothing is held', {
      KIND: kindOf,
      NAME: ({ name }) => name,
      SINCE: ({ created_at: at }) => seconds(at),
      BY: ({ by }) => by,
      REASON: ({ reason }) => reason,
      ID: ({ id }) => id,
    }),
  );
  asks(
    personCommand(hold, 'release <id>', 'release a legal hold'),
    (client, flags: PersonFlags, id: string) =>
      client.post('/api/legal-holds/{id}/release', { path: { id }, body: { by: person(flags) } }),
    (released) => [`released: ${lineOf(released)}`],
  );
}

function kindOf({ kind }: LegalHoldRecord): string {
  return Object.entries(kinds).find(([, rest]) => rest === kind)?.[0] ?? kind;
}

function lineOf(hold: LegalHoldRecord): string {
  return `${kindOf(hold)} ${hold.name} by ${hold.by}: ${hold.reason}`;
}
