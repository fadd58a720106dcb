import { setTimeout as delay } from 'node:timers/promises';
import { Chance } from '@lab/testkit/faults';
import { signal } from '../../shared/processes.js';
import type { Cluster } from './cluster.js';

/** What an outage of this part may last at most. */
export interface Mark {
  /** `refused`: requests through the proxy that are not served; `outage`: seconds without an accepted submission. */
  of: 'refused' | 'outage';
  most: number;
}

/** The marks by the part that is hit. Without one, the outage is only printed. */
export const marks = {
  gateway: { of: 'refused', most: 0 },
  broker: { of: 'outage', most: 2 },
  orchestrator: { of: 'outage', most: 5 },
  database: { of: 'outage', most: 20 },
  standby: undefined,
  etcd: undefined,
  agent: undefined,
} satisfies Record<string, Mark | undefined>;
export type Part = keyof typeof marks;

interface ClusterFault {
  part: Part;
  /** The name of what is hit, and the deed, which also repairs what it broke. Undefined: there is nothing to hit now. */
  aim(cluster: Cluster, chance: Chance): [target: string, act: () => Promise<void>] | undefined;
}

type Way = 'kill' | 'stop' | 'cut';

/** How long a process is stopped, or a cable is pulled, in milliseconds. A database fails over after 12 s. */
const lastsMs: Record<Part, number> = {
  gateway: 5_000,
  broker: 10_000,
  orchestrator: 8_000,
  database: 25_000,
  standby: 12_000,
  etcd: 8_000,
  agent: 6_000,
};

async function hit(cluster: Cluster, way: Way, on: string, pids: number[], ms: number): Promise<void> {
  if (way === 'kill') for (const pid of pids) signal(pid, 'SIGKILL');
  else if (way === 'stop') {
    for (const pid of pids) signal(pid, 'SIGSTOP');
    await delay(ms);
    for (const pid of pids) signal(pid, 'SIGCONT');
  } else {
    await cluster.computer(on).unplug();
    await delay(ms);
    await cluster.computer(on).plug();
  }
}

/** A fault of one process, which the service manager starts again. @param on the computer of the process */
function fault(
  part: Part,
  way: Way,
  choose: (cluster: Cluster, chance: Chance) => { name: string; on?: string } | undefined,
): ClusterFault {
  return {
    part,
    aim(cluster, chance) {
      const { name, on = name } = choose(cluster, chance) ?? {};
      const pid =
        name === undefined ? undefined : (cluster.services.pidOf(name) ?? cluster.servers.pidOf(name));
      if (name === undefined || on === undefined || pid === undefined) return undefined;
      return [name, () => hit(cluster, way, on, [pid], lastsMs[part])];
    },
  };
}

/** A fault of a node of the database with its supervisor. */
function databaseFault(part: 'database' | 'standby', way: Way): ClusterFault {
  return {
    part,
    aim(cluster) {
      const { primary, members } = cluster.state;
      const node = part === 'database' ? primary : members.find(({ name }) => name !== primary)?.name;
      if (node === undefined) return undefined;
      return [node, () => hit(cluster, way, node, cluster.databaseProcesses(node), lastsMs[part])];
    },
  };
}

const one =
  (...names: string[]) =>
  (_: Cluster, chance: Chance) => ({ name: chance.pick(names) });
const gateway = one('gateway1', 'gateway2');
const broker = one('nats1', 'nats2', 'nats3');
const leader = ({ leader: name }: Cluster) => (name === undefined ? undefined : { name });
const etcd = (_: Cluster, chance: Chance) => {
  const on = chance.pick(['db1', 'db2', 'db3']);
  return { name: `etcd_${on}`, on };
};
const agent = ({ computers }: Cluster, chance: Chance) => {
  const on = chance.pick(computers);
  return { name: `agent_${on}`, on };
};

/** Faults by name. */
export const clusterFaults = {
  kill_one_gateway: fault('gateway', 'kill', gateway),
  kill_leader: fault('orchestrator', 'kill', leader),
  kill_broker: fault('broker', 'kill', broker),
  kill_primary: databaseFault('database', 'kill'),
  stop_one_gateway: fault('gateway', 'stop', gateway),
  stop_leader: fault('orchestrator', 'stop', leader),
  stop_broker: fault('broker', 'stop', broker),
  stop_primary: databaseFault('database', 'stop'),
  cut_gateway: fault('gateway', 'cut', gateway),
  cut_leader: fault('orchestrator', 'cut', leader),
  cut_broker: fault('broker', 'cut', broker),
  cut_primary: databaseFault('database', 'cut'),
  kill_standby: databaseFault('standby', 'kill'),
  cut_standby: databaseFault('standby', 'cut'),
  kill_etcd: fault('etcd', 'kill', etcd),
  cut_agent: fault('agent', 'cut', agent),
} satisfies Record<string, ClusterFault>;

export type ClusterFaultName = keyof typeof clusterFaults;
export const clusterFaultNames = Object.keys(clusterFaults) as ClusterFaultName[];

/** The endless sequence of a seed: rounds in each of which every fault occurs once. The first round has the order of the list. */
export function* rounds(
  seed: number,
  names: readonly ClusterFaultName[],
): Generator<{ name: ClusterFaultName; chance: Chance }, never, undefined> {
  for (let round = 0; ; round += 1) {
    const chance = new Chance(seed, `round/${round}`);
    const left = [...names];
    for (let number = 0; left.length > 0; number += 1) {
      const at = round === 0 ? 0 : chance.int(0, left.length - 1);
      const [name] = left.splice(at, 1);
      if (name !== undefined) yield { name, chance: new Chance(seed, `round/${round}/${number}`) };
    }
  }
}
