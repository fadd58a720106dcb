import type { AgentRecord } from '@lab/api-client';
import type { Command } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import {
  asks,
  facts,
  person,
  personCommand,
  seconds,
  serviceCommand,
  table,
  tableOf,
  type PersonFlags,
  type ServiceFlags,
} from '../at-service.js';
import { momentOf } from '../moments.js';

/** `svc agents`. */
export function addAgentsCommand(program: Command): void {
  const description = 'the agents of the computers, or one of them with its devices and tasks';
  asks(
    serviceCommand(program, 'agents [computer]', description)
      .option('--lab <name>', 'only computers of this laboratory')
      .allowExcessArguments(false),
    (
      client,
      { lab }: ServiceFlags & { lab?: string },
      computer?: string,
    ): Promise<AgentRecord | AgentRecord[]> =>
      computer === undefined
        ? client.all('/api/agents', { query: { lab } })
        : client.get('/api/agents/{computer}', { path: { computer } }),
    (answer) => (Array.isArray(answer) ? agentTable(answer) : agentLines(answer)),
  );
}

const agentTable = tableOf<AgentRecord>('no agents', {
  COMPUTER: ({ computer }) => computer,
  STATE: ({ state }) => state,
  LABS: ({ labs }) => labs.join(', ') || '-',
  VERSION: ({ version }) => version ?? '-',
  DEVICES: ({ devices }) => String(devices.length),
  TASKS: ({ tasks }) => String(tasks.length),
  'LAST HEARD': (agent) => seconds(agent.last_heard_at),
  REASON: ({ reason, ledger, drain }) => drainText(drain) ?? reason ?? ledger?.detail ?? '',
});

function agentLines(agent: AgentRecord): string[] {
  const { ledger, clock_offset_ms: offset, last_heard_at: heard } = agent;
  return [
    `${agent.computer}: ${agent.state}`,
    ...facts({
      reason: agent.reason,
      labs: agent.labs.join(', ') || null,
      address: agent.address,
      incarnation: agent.incarnation === null ? null : String(agent.incarnation),
      version: agent.version,
      'last heard': heard === null ? null : seconds(heard),
      clock: offset === null ? null : `${(offset / 1_000).toFixed(3)} s ahead`,
      ledger: ledger === null ? null : ledger.writable ? 'can be written' : ledger.detail,
      tasks: agent.tasks.join(', ') || null,
      drain: drainText(agent.drain),
    }),
    ...table(agent.devices.map(({ lab, name, state, detail }) => [`  ${lab}.${name}`, state, detail ?? ''])),
  ];
}

interface DrainFlags extends PersonFlags {
  reason: string;
  until?: string;
  wait?: boolean;
}

/** Milliseconds between two looks at what still runs on a computer. */
const lookEveryMs = 1_000;

/** `svc agent drain` and `svc agent resume`. */
export function addDrainComputerCommands(agent: Command): void {
  asks(
    personCommand(agent, 'drain <computer>', 'let no task start on a computer, for work on it')
      .requiredOption('--reason <text>', 'why, for those who wait')
      .option('--until <time>', 'it ends by itself: 30m, 2h, 3d, 18:00 or 2026-11-23T18:00')
      .option('--wait', 'wait until the tasks that run there have ended'),
    async (client, flags: DrainFlags, computer: string): Promise<AgentRecord> => {
      const { reason, until, wait } = flags;
      const path = { computer };
      const body = { reason, by: person(flags), ...(until === undefined ? {} : { until: momentOf(until) }) };
      let record: AgentRecord = await client.post('/api/agents/{computer}/drain', { path, body });
      while (wait === true && record.drain?.drained === false) {
        await delay(lookEveryMs);
        record = await client.get('/api/agents/{computer}', { path });
      }
      return record;
    },
    drainLines,
  );
  asks(
    personCommand(agent, 'resume <computer>', 'let tasks start on a computer again'),
    (client, flags: PersonFlags, computer: string) =>
      client.post('/api/agents/{computer}/resume', { path: { computer }, body: { by: person(flags) } }),
    drainLines,
  );
}

function drainLines({ computer, drain }: AgentRecord): string[] {
  if (drain === null) return [`${computer}: takes tasks`];
  const { used_by: users, kept_by: keepers } = drain;
  return [
    `${computer}: ${drainText(drain)}`,
    ...(users.length === 0 ? [] : [`still running: ${users.join(', ')}`]),
    ...(keepers.length === 0
      ? []
      : [`runs that keep a device of it, in which a sample may be: ${keepers.join(', ')}`]),
  ];
}

function drainText(drain: AgentRecord['drain']): string | null {
  if (drain === null) return null;
  const { by, reason, until, drained } = drain;
  const end = until === null ? '' : ` until ${seconds(until)}`;
  return `${drained ? 'drained' : 'draining'}, by ${by}${end}: ${reason}`;
}
