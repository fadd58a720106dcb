import { expect, it } from 'vitest';
// @ts-expect-error -- plain JavaScript
import { Chance as PlainChance } from '../chaos/chance.ts';
// @ts-expect-error -- plain JavaScript
import { faults as table, schedule as plainSchedule } from '../chaos/faults.ts';

interface Chance {
  next(): number;
}
type Aim = [target: string, act: () => Promise<void>] | undefined;
interface Fault {
  pauseMs: number;
  name: string;
  chance: Chance;
}

const faults = table as Record<string, { weight: number; aim(plant: unknown, chance: Chance): Aim }>;
const schedule = plainSchedule as (seed: number) => Iterable<Fault>;

/** As much of a plant as choosing takes. */
const plant = {
  names: ['orchestrator_1', 'orchestrator_2', 'gateway', 'optimizer', 'agent_a', 'agent_b'],
  links: new Map(['orchestrator_1', 'agent_a', 'http'].map((name) => [name, {}])),
  smallDisks: ['a'],
  natsPid: 7,
  postgresServes: true,
  pidOf: (name: string) => name.length,
  childrenOf: (name: string, host: string) => [{ pid: name.length + host.length }],
};

function first(count: number, seed: number): [string, number, string | undefined][] {
  const drawn: [string, number, string | undefined][] = [];
  for (const { name, pauseMs, chance } of schedule(seed)) {
    drawn.push([name, pauseMs, faults[name]?.aim(plant, chance)?.[0]]);
    if (drawn.length === count) break;
  }
  return drawn;
}

it('chooses the same faults, pauses and targets for the same seed, and others for another', () => {
  expect(first(200, 5)).toEqual(first(200, 5));
  expect(first(200, 5)).not.toEqual(first(200, 6));
});

it('chooses the next fault alike whatever the one before has drawn', () => {
  const plainly = first(50, 9);
  const drawn: string[] = [];
  for (const { name, chance } of schedule(9)) {
    for (let more = 0; more < drawn.length % 7; more += 1) chance.next();
    drawn.push(name);
    if (drawn.length === plainly.length) break;
  }
  expect(drawn).toEqual(plainly.map(([name]) => name));
});

it('draws every fault, about as often as its weight says', () => {
  const drawn = first(5_000, 3).map(([name]) => name);
  const total = Object.values(faults).reduce((sum, { weight }) => sum + weight, 0);
  for (const [name, { weight }] of Object.entries(faults)) {
    const share = drawn.filter((each) => each === name).length / drawn.length;
    expect(share / (weight / total), name).toBeGreaterThan(0.6);
    expect(share / (weight / total), name).toBeLessThan(1.5);
  }
});

it('hits nothing where there is nothing', () => {
  const empty = {
    ...plant,
    names: [],
    links: new Map([['http', {}]]),
    smallDisks: [],
    pidOf: () => undefined,
    natsPid: undefined,
    postgresServes: false,
    childrenOf: () => [],
  };
  const Chance = PlainChance as new (seed: number) => Chance;
  const hit = Object.keys(faults).filter((name) => faults[name]?.aim(empty, new Chance(1)) !== undefined);
  expect(hit).toEqual(['slow_link', 'black_hole', 'half_open', 'reset_link']);
});
