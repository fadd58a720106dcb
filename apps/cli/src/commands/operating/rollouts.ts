import type { ApiClient, RolloutRecord } from '@lab/api-client';
import type { Command } from 'commander';
import {
  asks,
  person,
  personCommand,
  seconds,
  serviceCommand,
  table,
  type PersonFlags,
  type ServiceFlags,
} from '../at-service.js';
import { RefusedError } from '../exit-codes.js';
import { secondsOf } from '../moments.js';

interface StartFlags extends PersonFlags {
  to: string;
  computers?: string;
  canary?: string;
  settle?: string;
  reason: string;
}

interface DecisionFlags extends PersonFlags {
  reason?: string;
}

/** `svc agent rollout` and the commands below it. */
export function addRolloutCommands(agent: Command): void {
  const rollout = agent
    .command('rollout')
    .description('update the agents of many computers, ring by ring')
    .addHelpText('after', '\nWithout a command it shows the latest rollout.');
  asks(
    serviceCommand(rollout, 'show', 'the latest rollout, and how far it is with each computer', {
      isDefault: true,
    }),
    (client, _flags: ServiceFlags) => latest(client),
    rolloutLines,
  );
  asks(
    personCommand(rollout, 'start', 'update agents: one computer, then a tenth, then the rest')
      .requiredOption('--to <version>', 'the version, which the service must offer')
      .option('--computers <names>', 'only these, with commas (default: all that run another version)')
      .option('--canary <name>', 'the computer that is updated first (default: the first by name)')
      .option('--settle <time>', 'how long each ring is watched: 90s, 10m, 2h', '10m')
      .requiredOption('--reason <text>', 'why, for those who wait'),
    (client, flags: StartFlags) =>
      client.post('/api/agent-rollouts', { body: { ...submissionOf(flags), by: person(flags) } }),
    rolloutLines,
  );
  for (const [name, description] of [
    ['resume', 'go on with a halted rollout, and try the computer that failed again'],
    ['cancel', 'end a rollout; what is updated stays'],
  ] as const)
    asks(
      personCommand(rollout, name, description).option('--reason <text>', 'why, for the audit'),
      async (client, flags: DecisionFlags) => {
        const { id } = await latest(client);
        const body = {
          by: person(flags),
          ...(flags.reason === undefined ? {} : { reason: flags.reason }),
        };
        return client.post(`/api/agent-rollouts/{rollout_id}/${name}`, { path: { rollout_id: id }, body });
      },
      rolloutLines,
    );
}

/** @throws RefusedError when there was none */
async function latest(client: ApiClient): Promise<RolloutRecord> {
  const [first] = await client.get('/api/agent-rollouts');
  if (first !== undefined) return first;
  throw new RefusedError(
    'there was no rollout; start one with "svc agent rollout start --to VERSION --reason TEXT"',
  );
}

/** @throws UsageError */
function submissionOf({ to, computers, canary, settle, reason }: StartFlags) {
  return {
    ...{ version: to, reason },
    ...(computers === undefined ? {} : { computers: computers.split(',').map((name) => name.trim()) }),
    ...(canary === undefined ? {} : { canary }),
    ...(settle === undefined ? {} : { settle_s: secondsOf(settle) }),
  };
}

function rolloutLines(rollout: RolloutRecord): string[] {
  const { version, state, by, created_at: at, reason, halt, waits_for: waits, left_out: left } = rollout;
  return [
    `rollout to ${version}: ${state}, by ${by} since ${seconds(at)}: ${reason}`,
    ...(halt === null ? [] : [`  halted at ${seconds(halt.at)}: ${halt.reason}`]),
    ...(waits === null ? [] : [`  waits for: ${waits}`]),
    ...table([
      ['RING', 'COMPUTER', 'STATE', 'FROM', 'SINCE', 'DETAIL'],
      ...rollout.computers.map((step) => [
        ...[String(step.ring), step.computer, step.state, step.version_before],
        ...[seconds(step.since), step.detail ?? ''],
      ]),
    ]),
    ...left.map(({ computer, reason: why }) => `left out: ${computer}, because ${why}`),
  ];
}
