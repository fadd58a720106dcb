import { setTimeout as delay } from 'node:timers/promises';
import { Chance } from '@lab/testkit/faults';
import { signal } from '../shared/processes.js';
import type { Direction, Link } from '@lab/testkit';

/** The parts of a plant that faults need. */
export interface Target {
  readonly names: readonly string[];
  readonly links: ReadonlyMap<string, Link>;
  /** Computers whose disk can be filled. */
  readonly smallDisks: readonly string[];
  readonly natsPid: number | undefined;
  readonly postgresServes: boolean;
  pidOf(name: string): number | undefined;
  childrenOf(name: string, host: string): { pid: number }[];
  crashNats(downMs: number): Promise<void>;
  crashPostgres(downMs: number): Promise<void>;
  fillDisk(computer: string, ms: number): Promise<void>;
}

/** The name of what is hit, and the deed, which also repairs what it broke. Undefined: there is nothing to hit now. */
type Aim = [target: string, act: () => Promise<unknown>] | undefined;

interface FaultKind {
  /** How often it is drawn, relative to the others. */
  weight: number;
  aim(plant: Target, chance: Chance): Aim;
}

/** Faults by name. The plant starts a killed process again. */
export const faults = {
  kill_orchestrator: { weight: 3, aim: (plant, chance) => kill(plant, chance.one(orchestrators(plant))) },
  kill_agent: { weight: 4, aim: (plant, chance) => kill(plant, chance.one(agents(plant))) },
  kill_gateway: { weight: 2, aim: (plant) => kill(plant, 'gateway') },
  kill_optimizer: { weight: 1, aim: (plant) => kill(plant, 'optimizer') },
  kill_device: { weight: 4, aim: (plant, chance) => killChild(plant, chance, 'device-host') },
  kill_task: { weight: 4, aim: (plant, chance) => killChild(plant, chance, 'task-host') },
  kill_nats: {
    weight: 1,
    aim: (plant, chance) =>
      plant.natsPid === undefined
        ? undefined
        : ['nats-server', () => plant.crashNats(chance.between(100, 3_000))],
  },
  kill_postgres: {
    weight: 1,
    aim: (plant, chance) =>
      plant.postgresServes ? ['postgres', () => plant.crashPostgres(chance.between(100, 2_000))] : undefined,
  },
  stop_orchestrator: {
    weight: 2,
    aim: (plant, chance) => pause(plant, chance, chance.one(orchestrators(plant))),
  },
  stop_agent: { weight: 3, aim: (plant, chance) => pause(plant, chance, chance.one(agents(plant))) },
  stop_gateway: { weight: 1, aim: (plant, chance) => pause(plant, chance, 'gateway') },
  stop_device: { weight: 2, aim: (plant, chance) => pauseChild(plant, chance, 'device-host') },
  stop_task: { weight: 1, aim: (plant, chance) => pauseChild(plant, chance, 'task-host') },
  stop_nats: { weight: 1, aim: (plant, chance) => pauseProcess('nats-server', plant.natsPid, chance) },
  slow_link: {
    weight: 2,
    aim: (plant, chance) =>
      onLink(plant, chance, async (link) => {
        link.delay(chance.between(50, 400));
        await delay(chance.between(500, 8_000));
        link.heal();
      }),
  },
  black_hole: {
    weight: 2,
    aim: (plant, chance) => onLink(plant, chance, (link) => silence(link, chance, ['up', 'down'])),
  },
  half_open: {
    weight: 2,
    aim: (plant, chance) =>
      onLink(plant, chance, (link) => silence(link, chance, [chance.pick(['up', 'down'])])),
  },
  reset_link: { weight: 2, aim: (plant, chance) => onLink(plant, chance, async (link) => link.cut()) },
  disk_full: {
    weight: 2,
    aim: (plant, chance) => {
      const computer = chance.one(plant.smallDisks);
      const ms = chance.between(1_000, 6_000);
      return computer === undefined ? undefined : [computer, () => plant.fillDisk(computer, ms)];
    },
  },
} satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof faults;
export const faultNames = Object.keys(faults) as FaultName[];

export interface ScheduledFault {
  /** Milliseconds before the fault. */
  pauseMs: number;
  name: FaultName;
  /** Decides what the fault hits, and for how long. */
  chance: Chance;
}

const weights = Object.fromEntries(faultNames.map((name) => [name, faults[name].weight])) as Record<
  FaultName,
  number
>;

/** The endless sequence of faults of a seed. */
export function* schedule(seed: number): Generator<ScheduledFault, never, undefined> {
  for (let number = 1; ; number += 1) {
    const chance = new Chance(seed, `fault/${number}`);
    yield { pauseMs: chance.between(300, 2_500), name: chance.weighted(weights), chance };
  }
}

const orchestrators = ({ names }: Target) => names.filter((name) => name.startsWith('orchestrator'));
const agents = ({ names }: Target) => names.filter((name) => name.startsWith('agent'));

function kill(plant: Target, name: string | undefined): Aim {
  const pid = name === undefined ? undefined : plant.pidOf(name);
  return name === undefined || pid === undefined ? undefined : [name, async () => signal(pid, 'SIGKILL')];
}

function childOf(plant: Target, chance: Chance, host: string): { pid: number; name: string } | undefined {
  const all = agents(plant).flatMap((name) =>
    plant.childrenOf(name, host).map(({ pid }) => ({ pid, name: `${host} ${pid} of ${name}` })),
  );
  return chance.one(all);
}

function killChild(plant: Target, chance: Chance, host: string): Aim {
  const child = childOf(plant, chance, host);
  return child === undefined ? undefined : [child.name, async () => signal(child.pid, 'SIGKILL')];
}

function pause(plant: Target, chance: Chance, name: string | undefined): Aim {
  return pauseProcess(name ?? '', name === undefined ? undefined : plant.pidOf(name), chance);
}

function pauseChild(plant: Target, chance: Chance, host: string): Aim {
  const child = childOf(plant, chance, host);
  return child === undefined ? undefined : pauseProcess(child.name, child.pid, chance);
}

function pauseProcess(name: string, pid: number | undefined, chance: Chance): Aim {
  const ms = chance.between(500, chance.maybe(0.2) ? 20_000 : 5_000);
  if (pid === undefined) return undefined;
  return [
    name,
    async () => {
      if (!signal(pid, 'SIGSTOP')) return;
      await delay(ms);
      signal(pid, 'SIGCONT');
    },
  ];
}

function onLink({ links }: Target, chance: Chance, act: (link: Link) => Promise<void>): Aim {
  const found = chance.one([...links]);
  if (found === undefined) return undefined;
  const [name, link] = found;
  return [`link ${name}`, () => act(link)];
}

async function silence(link: Link, chance: Chance, directions: Direction[]): Promise<void> {
  link.silence(...directions);
  await delay(chance.between(500, 12_000));
  link.heal({ reset: chance.maybe(0.5) });
}
