import { expect, it } from 'vitest';
import { Chance } from '@lab/testkit/faults';
import { faultNames, faults, schedule, type Target } from '../chaos/faults.js';
import { Link } from '@lab/testkit';

const link = await Link.open(1);
link.close();
const nothing = () => Promise.resolve();

/** The parts of a plant that a choice reads. */
const plant: Target = {
  names: ['orchestrator_1', 'orchestrator_2', 'gateway', 'optimizer', 'agent_a', 'agent_b'],
  links: new Map(['orchestrator_1', 'agent_a', 'http'].map((name) => [name, link])),
  smallDisks: ['a'],
  natsPid: 7,
  postgresServes: true,
  pidOf: (name) => name.length,
  childrenOf: (name, host) => [{ pid: name.length + host.length }],
  crashNats: nothing,
  crashPostgres: nothing,
  fillDisk: nothing,
};

function first(count: number, seed: number): [string, number, string | undefined][] {
  const drawn: [string, number, string | undefined][] = [];
  for (const { name, pauseMs, chance } of schedule(seed)) {
    drawn.push([name, pauseMs, faults[name].aim(plant, chance)?.[0]]);
    if (drawn.length === count) break;
  }
  return drawn;
}

it('the same seed chooses the same faults, pauses and targets, and another seed chooses others', () => {
  expect(first(200, 5)).toEqual(first(200, 5));
  expect(first(200, 5)).not.toEqual(first(200, 6));
});

it('the choice of the next fault does not depend on the draws of the fault before', () => {
  const plainly = first(50, 9);
  const drawn: string[] = [];
  for (const { name, chance } of schedule(9)) {
    for (let more = 0; more < drawn.length % 7; more += 1) chance.next();
    drawn.push(name);
    if (drawn.length === plainly.length) break;
  }
  expect(drawn).toEqual(plainly.map(([name]) => name));
});

it('the frequency of every fault is close to its weight', () => {
  const drawn = first(5_000, 3).map(([name]) => name);
  const total = Object.values(faults).reduce((sum, { weight }) => sum + weight, 0);
  for (const [name, { weight }] of Object.entries(faults)) {
    const share = drawn.filter((each) => each === name).length / drawn.length;
    expect(share / (weight / total), name).toBeGreaterThan(0.6);
    expect(share / (weight / total), name).toBeLessThan(1.5);
  }
});

it('an empty plant has only links to disturb', () => {
  const empty: Target = {
    ...plant,
    names: [],
    links: new Map([['http', link]]),
    smallDisks: [],
    pidOf: () => undefined,
    natsPid: undefined,
    postgresServes: false,
    childrenOf: () => [],
  };
  const hit = faultNames.filter((name) => faults[name].aim(empty, new Chance(1)) !== undefined);
  expect(hit).toEqual(['slow_link', 'black_hole', 'half_open', 'reset_link']);
});
