import type { AgentRecord } from '@lab/api-client';
import { protocolText } from '@lab/contracts/vocabulary';
import type { Command } from 'commander';
import { asks, facts, seconds, serviceCommand, table, tableOf, type ServiceFlags } from '../at-service.js';
import { drainText } from './computer-drains.js';

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
  PROTOCOL: ({ protocol }) => (protocol === null ? '-' : protocolText(protocol)),
  DEVICES: ({ devices }) => String(devices.length),
  TASKS: ({ tasks }) => String(tasks.length),
  'LAST HEARD': (agent) => seconds(agent.last_heard_at),
  REASON: ({ reason, ledger, drain }) =>
    [drain === null ? null : drainText(drain), reason ?? ledger?.detail].filter(Boolean).join('; '),
});

function agentLines(agent: AgentRecord): string[] {
  const { ledger, drain, clock_offset_ms: offset, last_heard_at: heard } = agent;
  return [
    `${agent.computer}: ${agent.state}`,
    ...facts({
      reason: agent.reason,
      labs: agent.labs.join(', ') || null,
      address: agent.address,
      incarnation: agent.incarnation === null ? null : String(agent.incarnation),
      version: agent.version,
      platform: agent.platform ?? null,
      protocol: agent.protocol === null ? null : protocolText(agent.protocol),
      'last heard': heard === null ? null : seconds(heard),
      clock: offset === null ? null : `${(offset / 1_000).toFixed(3)} s ahead`,
      ledger: ledger === null ? null : ledger.writable ? 'can be written' : ledger.detail,
      tasks: agent.tasks.join(', ') || null,
      ...(drain === null
        ? {}
        : {
            drain: drainText(drain),
            'still running': drain.used_by.join(', ') || null,
            'kept by': drain.kept_by.join(', ') || null,
          }),
    }),
    ...table(agent.devices.map(({ lab, name, state, detail }) => [`  ${lab}.${name}`, state, detail ?? ''])),
  ];
}
