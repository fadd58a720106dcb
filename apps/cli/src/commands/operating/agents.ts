import type { AgentRecord } from '@lab/api-client';
import type { Command } from 'commander';
import { atService, json, seconds, table, withJson, withUrl, type ServiceFlags } from '../at-service.js';

/** `svc agents`. */
export function addAgentsCommand(program: Command): void {
  withJson(withUrl(program.command('agents [computer]')))
    .description('the agents of the computers, or one of them with its devices and tasks')
    .option('--lab <name>', 'only computers of this laboratory')
    .allowExcessArguments(false)
    .action((computer: string | undefined, flags: ServiceFlags & { lab?: string }) =>
      atService(flags, async (client) => {
        if (computer !== undefined) {
          const agent = await client.get('/api/agents/{computer}', { path: { computer } });
          return flags.json === true ? json(agent) : agentLines(agent);
        }
        const agents = await client.all('/api/agents', { query: { lab: flags.lab } });
        if (flags.json === true) return json(agents);
        return agents.length === 0 ? ['no agents'] : table([header, ...agents.map(agentRow)]);
      }),
    );
}

const header = ['COMPUTER', 'STATE', 'LABS', 'VERSION', 'DEVICES', 'TASKS', 'LAST HEARD', 'REASON'];

function agentRow(agent: AgentRecord): string[] {
  return [
    agent.computer,
    agent.state,
    agent.labs.join(', ') || '-',
    agent.version ?? '-',
    String(agent.devices.length),
    String(agent.tasks.length),
    agent.last_heard_at === null ? '-' : seconds(agent.last_heard_at),
    agent.reason ?? agent.ledger?.detail ?? '',
  ];
}

function agentLines(agent: AgentRecord): string[] {
  const { ledger, clock_offset_ms: offset, last_heard_at: heard } = agent;
  const known: [string, string | null][] = [
    ['reason', agent.reason],
    ['labs', agent.labs.join(', ') || null],
    ['address', agent.address],
    ['incarnation', agent.incarnation === null ? null : String(agent.incarnation)],
    ['version', agent.version],
    ['last heard', heard === null ? null : seconds(heard)],
    ['clock', offset === null ? null : `${(offset / 1_000).toFixed(3)} s ahead`],
    ['ledger', ledger === null ? null : ledger.writable ? 'can be written' : ledger.detail],
    ['tasks', agent.tasks.join(', ') || null],
  ];
  return [
    `${agent.computer}: ${agent.state}`,
    ...table(known.flatMap(([name, value]) => (value === null ? [] : [[`  ${name}`, value]]))),
    ...table(agent.devices.map(({ lab, name, state, detail }) => [`  ${lab}.${name}`, state, detail ?? ''])),
  ];
}
