import { setTimeout as delay } from 'node:timers/promises';
import { signal } from './plant.mjs';

/**
 * What can go wrong, by name. Each takes its time and heals what it broke; how often each is drawn stands beside it.
 * A process that was killed is started again by the plant.
 */
export const faults = {
  kill_orchestrator: { weight: 3, act: (plant, chance) => kill(plant, chance.one(orchestrators(plant))) },
  kill_agent: { weight: 4, act: (plant, chance) => kill(plant, chance.one(agents(plant))) },
  kill_gateway: { weight: 2, act: (plant) => kill(plant, 'gateway') },
  kill_device: { weight: 4, act: (plant, chance) => killChild(plant, chance, 'device-host') },
  kill_task: { weight: 4, act: (plant, chance) => killChild(plant, chance, 'task-host') },
  kill_nats: { weight: 1, act: (plant, chance) => plant.crashNats(chance.between(100, 3_000)) },
  kill_postgres: { weight: 1, act: (plant, chance) => plant.crashPostgres(chance.between(100, 2_000)) },
  stop_orchestrator: {
    weight: 2,
    act: (plant, chance) => pause(plant.pidOf(chance.one(orchestrators(plant))), chance),
  },
  stop_agent: { weight: 3, act: (plant, chance) => pause(plant.pidOf(chance.one(agents(plant))), chance) },
  stop_gateway: { weight: 1, act: (plant, chance) => pause(plant.pidOf('gateway'), chance) },
  stop_device: { weight: 2, act: (plant, chance) => pause(child(plant, chance, 'device-host')?.pid, chance) },
  stop_task: { weight: 1, act: (plant, chance) => pause(child(plant, chance, 'task-host')?.pid, chance) },
  stop_nats: { weight: 1, act: (plant, chance) => pause(plant.natsPid, chance) },
  slow_link: {
    weight: 2,
    act: async (plant, chance) => {
      const link = anyLink(plant, chance);
      link.delay(chance.between(50, 400));
      await delay(chance.between(500, 8_000));
      link.heal();
    },
  },
  black_hole: {
    weight: 2,
    act: (plant, chance) => silence(anyLink(plant, chance), chance, ['up', 'down']),
  },
  half_open: {
    weight: 2,
    act: (plant, chance) => silence(anyLink(plant, chance), chance, [chance.one(['up', 'down'])]),
  },
  reset_link: { weight: 2, act: async (plant, chance) => anyLink(plant, chance).cut() },
  disk_full: {
    weight: 2,
    /** Needs a small disk of its own under the agent. */
    needs: 'small disk',
    act: (plant, chance, { smallDisks }) =>
      plant.fillDisk(chance.one(smallDisks), chance.between(1_000, 6_000)),
  },
};

/** Draws one by weight among those that are possible. */
export function draw(chance, possible) {
  const total = possible.reduce((sum, name) => sum + faults[name].weight, 0);
  let at = chance.between(0, total);
  for (const name of possible) {
    at -= faults[name].weight;
    if (at < 0) return name;
  }
  return possible[possible.length - 1];
}

const orchestrators = (plant) => plant.names.filter((name) => name.startsWith('orchestrator'));
const agents = (plant) => plant.names.filter((name) => name.startsWith('agent'));
const anyLink = (plant, chance) => plant.links.get(chance.one([...plant.links.keys()]));

async function kill(plant, name) {
  const pid = plant.pidOf(name);
  if (pid !== undefined) signal(pid, 'SIGKILL');
}

function child(plant, chance, host) {
  const all = agents(plant).flatMap((name) => plant.childrenOf(name, host));
  return all.length === 0 ? undefined : chance.one(all);
}

async function killChild(plant, chance, host) {
  const found = child(plant, chance, host);
  if (found !== undefined) signal(found.pid, 'SIGKILL');
}

async function pause(pid, chance) {
  if (pid === undefined || !signal(pid, 'SIGSTOP')) return;
  await delay(chance.between(500, chance.happens(0.2) ? 20_000 : 5_000));
  signal(pid, 'SIGCONT');
}

async function silence(link, chance, directions) {
  link.silence(...directions);
  await delay(chance.between(500, 12_000));
  link.heal({ reset: chance.happens(0.5) });
}
