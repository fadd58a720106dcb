import { beforeEach, expect, it } from 'vitest';
import { AgentClocks } from '../src/agent-clocks.js';

const agent = { computer: 'b', inc: 2 };
let now: number;
/** How far the clock of the agent is ahead of that of this process. */
let ahead: number;
let asked: number;
let failure: Error | undefined;
let clocks: AgentClocks;

beforeEach(() => {
  now = 0;
  ahead = 5_000;
  asked = 0;
  failure = undefined;
  const ask = (): Promise<number> => {
    asked += 1;
    return failure === undefined ? Promise.resolve(now + ahead) : Promise.reject(failure);
  };
  clocks = new AgentClocks(ask, { now: () => now });
});

it('a reading is older than the calls that carry it, and is asked for once', async () => {
  expect(clocks.known(agent)).toBeUndefined();
  expect(await clocks.read(agent)).toBe(5_000);
  now = 400;
  expect(await clocks.read(agent)).toBe(5_000);
  expect(asked).toBe(1);
});

it('a reading of half a second is renewed beside the calls that still use it', async () => {
  await clocks.read(agent);
  now = 500;
  expect([clocks.known(agent), clocks.known(agent)]).toEqual([5_000, 5_000]);
  await Promise.resolve();
  await Promise.resolve();
  expect(clocks.known(agent)).toBe(5_500);
  expect(asked).toBe(2);
});

it('a reading of one second is of no use, also when no newer one can be had', async () => {
  await clocks.read(agent);
  failure = new Error('nobody answers');
  now = 999;
  expect(clocks.known(agent)).toBe(5_000);
  now = 1_000;
  expect(clocks.known(agent)).toBeUndefined();
  await expect(clocks.read(agent)).rejects.toThrow('nobody answers');
});

it('an answer brings the next reading, unless it was overtaken', async () => {
  await clocks.read(agent);
  now = 900;
  clocks.heard(agent, 5_900);
  clocks.heard(agent, 5_800);
  clocks.heard(agent, undefined);
  expect(clocks.known(agent)).toBe(5_900);
  expect(asked).toBe(1);
});

it('a reading holds for one incarnation, and an answer of an earlier one does not replace it', async () => {
  await clocks.read(agent);
  const next = { computer: 'b', inc: 3 };
  expect(clocks.known(next)).toBeUndefined();
  ahead = 0;
  now = 10;
  expect(await clocks.read(next)).toBe(10);
  clocks.heard(agent, 9_000);
  expect(clocks.known(next)).toBe(10);
});

it('a reading that the agent refused is not used again', async () => {
  await clocks.read(agent);
  clocks.refused(agent);
  expect(clocks.known(agent)).toBeUndefined();
});
