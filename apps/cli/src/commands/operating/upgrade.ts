import type { ApiClient } from '@lab/api-client';
import type { SchemaState } from '@lab/persistence/administration';
import type { Command } from 'commander';
import { asks, serviceCommand, table, type ServiceFlags } from '../at-service.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { planUpgrade, type UpgradePlan } from './upgrade-plan.js';

interface UpgradeFlags extends ServiceFlags {
  check?: boolean;
}

/** The release before this one: that of the archives in `tools/releases`, which a test compares. */
export const releaseBefore = '0.2.0';

/** The release that does not tell its tables and its orchestrator, and its tables. */
const silent = {
  version: '0.2.0',
  schema: {
    latest: '0017_schema_reader',
    oldest_reader: '0017_schema_reader',
    known: '0017_schema_reader',
  } satisfies SchemaState,
};

/**
 * `svc upgrade --check`.
 *
 * @param version of this program
 */
export function addUpgradeCommand(program: Command, version: string): void {
  const description = 'say what an upgrade of the running service to the release of this svc will do';
  asks(
    serviceCommand(program, 'upgrade', description)
      .option('--check', 'only look; nothing changes')
      .allowExcessArguments(false),
    async (client, { check }: UpgradeFlags) => {
      if (check !== true)
        throw new UsageError(
          'svc upgrades nothing by itself: "svc upgrade --check" says in which order to go',
        );
      const plan = await planFor(client, version);
      if (plan.forbidden > 0) process.exitCode = exitCodes.failed;
      return plan;
    },
    planLines,
  );
}

async function planFor(client: ApiClient, version: string): Promise<UpgradePlan> {
  const [{ version: gateway, release, work }, agents, { ownSchema }] = await Promise.all([
    client.get('/', {}),
    client.all('/api/agents', {}),
    import('@lab/persistence/administration'),
  ]);
  const isSilent = gateway === silent.version;
  const processes = [
    { name: 'gateway', version: gateway },
    { name: 'orchestrator', version: isSilent ? silent.version : (release?.orchestrator ?? null) },
    ...agents.map((agent) => ({ name: `agent ${agent.computer}`, version: agent.version })),
  ];
  const schema = isSilent ? silent.schema : (release?.schema ?? null);
  return planUpgrade({ processes, schema, work }, { version, before: releaseBefore, ...ownSchema });
}

function planLines({ to, processes, tables, work, order, forbidden }: UpgradePlan): string[] {
  const verdict = (text: string, isForbidden: boolean): string => (isForbidden ? `FORBIDDEN: ${text}` : text);
  return [
    `from ${processes[0]?.version ?? 'an unknown release'} to ${to}`,
    '',
    ...table([
      ['PROCESS', 'VERSION', 'UPGRADE'],
      ...processes.map((each) => [each.name, each.version ?? '-', verdict(each.upgrade, each.forbidden)]),
    ]),
    '',
    `tables: ${verdict(tables.says, tables.forbidden)}`,
    `work: ${work}`,
    '',
    ...(order.length === 0
      ? ['nothing to upgrade']
      : ['order:', ...order.map((step, index) => `${index + 1}. ${step}`)]),
    ...(forbidden === 0
      ? []
      : [
          '',
          `NOT POSSIBLE: ${forbidden} ${forbidden === 1 ? 'thing' : 'things'} above ${forbidden === 1 ? 'forbids' : 'forbid'} it`,
        ]),
  ];
}
