import { setTimeout as delay } from 'node:timers/promises';
import { Chance } from './chance.ts';
import { signal } from './plant.ts';

/**
 * What can go wrong, by name; how often each is drawn stands beside it. `aim` chooses what is hit and gives its name and
 * the deed, which takes its time and heals what it broke; undefined: there is nothing to hit at present. A process that
 * was killed is started again by the plant.
 */
export const faults = {
  kill_orchestrator: { weight: 3, aim: (plant, chance) => killing(plant, chance.one(orchestrators(plant))) },
  kill_agent: { weight: 4, aim: (plant, chance) => killing(plant, chance.one(agents(plant))) },
  kill_gateway: { weight: 2, aim: (plant) => killing(plant, 'gateway') },
  kill_optimizer: { weight: 1, aim: (plant) => killing(plant, 'optimizer') },
  kill_device: { weight: 4, aim: (plant, chance) => killingChild(plant, chance, 'device-host') },
  kill_task: { weight: 4, aim: (plant, chance) => killingChild(plant, chance, 'task-host') },
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
    aim: (plant, chance) => stopping(plant, chance, chance.one(orchestrators(plant))),
  },
  stop_agent: { weight: 3, aim: (plant, chance) => stopping(plant, chance, chance.one(agents(plant))) },
  stop_gateway: { weight: 1, aim: (plant, chance) => stopping(plant, chance, 'gateway') },
  stop_device: { weight: 2, aim: (plant, chance) => stoppingChild(plant, chance, 'device-host') },
  stop_task: { weight: 1, aim: (plant, chance) => stoppingChild(plant, chance, 'task-host') },
  stop_nats: { weight: 1, aim: (plant, chance) => pause('nats-server', plant.natsPid, chance) },
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
      onLink(plant, chance, (link) => silence(link, chance, [chance.one(['up', 'down'])])),
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
};

const total = Object.values(faults).reduce((sum, { weight }) => sum + weight, 0);

/**
 * The faults of a seed, one after the other without end: how long the pause before each is, in milliseconds, what it is,
 * and the chance that decides whom it hits and for how long.
 */
export function* schedule(seed) {
  for (let number = 1; ; number += 1) {
    const chance = new Chance(seed, `fault/${number}`);
    yield { pauseMs: chance.between(300, 2_500), name: draw(chance), chance };
  }
}

function draw(chance) {
  let at = chance.between(0, total);
  for (const [name, { weight }] of Object.entries(faults)) {
    at -= weight;
    if (at < 0) return name;
  }
  throw new Error('more was drawn than there is');
}

const orchestrators = (plant) => plant.names.filter((name) => name.startsWith('orchestrator'));
const agents = (plant) => plant.names.filter((name) => name.startsWith('agent'));

function killing(plant, name) {
  const pid = plant.pidOf(name);
  return pid === undefined ? undefined : [name, async () => signal(pid, 'SIGKILL')];
}

function childOf(plant, chance, host) {
  const all = agents(plant).flatMap((name) =>
    plant.childrenOf(name, host).map(({ pid }) => ({ pid, name: `${host} ${pid} of ${name}` })),
  );
  return chance.one(all);
}

function killingChild(plant, chance, host) {
  const child = childOf(plant, chance, host);
  return child === undefined ? undefined : [child.name, async () => signal(child.pid, 'SIGKILL')];
}

function stopping(plant, chance, name) {
  return pause(name, plant.pidOf(name), chance);
}

function stoppingChild(plant, chance, host) {
  const child = childOf(plant, chance, host);
  return child === undefined ? undefined : pause(child.name, child.pid, chance);
}

function pause(name, pid, chance) {
  const ms = chance.between(500, chance.happens(0.2) ? 20_000 : 5_000);
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

function onLink(plant, chance, act) {
  const name = chance.one([...plant.links.keys()]);
  return [`link ${name}`, () => act(plant.links.get(name))];
}

async function silence(link, chance, directions) {
  link.silence(...directions);
  await delay(chance.between(500, 12_000));
  link.heal({ reset: chance.happens(0.5) });
}
