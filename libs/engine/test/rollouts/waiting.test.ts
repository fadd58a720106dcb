import { expect, it } from 'vitest';
import { advance, nextOf, resumed, type ComputerNow, type World } from '../../src/rollouts/machine.js';
import type { RolloutRow, RolloutStepRow } from '../../src/rows/index.js';

const hour = 3_600_000;
const begun = Date.UTC(2026, 0, 1);

const idle: ComputerNow = {
  agent: { inc: 1, version: '1.0.0', refusal: null, failed: null },
  ...{ mayBeAsked: true, barred: null, users: [], keepers: [], devices: new Map() },
};
const updated: Partial<ComputerNow> = {
  agent: { inc: 2, version: '2.0.0', refusal: null, failed: null },
};
const drained: Partial<ComputerNow> = { barred: 'its computer b is drained by carl: new lamp' };

const step = (computer: string, more: Partial<RolloutStepRow> = {}): RolloutStepRow => ({
  ...{ computer, ring: 1, platform: 'linux-x64', versionBefore: '1.0.0', state: 'waiting', since: begun },
  ...{ askedAt: null, inc: null, usable: [], failure: null },
  ...more,
});

const rollout = (...steps: RolloutStepRow[]): RolloutRow => ({
  ...{ id: 'o1', version: '2.0.0', state: 'running', by: 'ada', reason: 'release', settleMs: 10 * hour },
  ...{ at: begun, resumedAt: null, halt: null, steps, leftOut: [], endedAt: null, endedBy: null },
});

const world = (now: number, computers: Record<string, Partial<ComputerNow>>, hasListened = true): World => ({
  ...{ now, since: begun, hasListened, items: () => [] },
  computer: (name) => ({ ...idle, ...computers[name] }),
});

const after = (row: RolloutRow, now: number, computers: Record<string, Partial<ComputerNow>>) =>
  advance(row, row, world(now, computers));

it.each<[string, Partial<ComputerNow>, string]>([
  ['drained by a person', drained, 'its computer b is drained by carl: new lamp'],
  ['off', { agent: undefined }, 'its agent is not connected'],
  ['kept', { keepers: ['run r'] }, 'run r keeps a device of it between two tasks'],
])('a ring that waits a day for a computer that is %s asks a person', (_, there, why) => {
  const row = rollout(step('b'));
  const end = begun + 24 * hour;
  expect(after(row, end - 1, { b: there }).row.state).toBe('running');
  expect(nextOf(row, begun, begun)).toBe(end);
  const { row: halted } = after(row, end, { b: there });
  expect([halted.state, halted.halt?.reason]).toEqual(['halted', `b could not be updated for 24 h: ${why}`]);
  // A person may let it wait another day.
  const again = resumed(halted, end + hour);
  expect(after(again, end + 24 * hour, { b: there }).row.state).toBe('running');
  expect(after(again, end + 25 * hour, { b: there }).row.state).toBe('halted');
});

it('a computer on which something runs for a day is given back to those who wait for it', () => {
  const row = rollout(step('b', { state: 'draining' }));
  const { row: halted, acts } = after(row, begun + 24 * hour, { b: { users: ['r/a'] } });
  expect(halted.halt?.reason).toBe('b could not be updated for 24 h: r/a runs');
  expect([halted.steps[0]?.state, acts]).toEqual(['waiting', [{ act: 'release', computer: 'b' }]]);
});

it('the day begins with the ring', () => {
  const row = rollout(step('a', { state: 'updated', since: begun + 5 * hour }), step('b', { ring: 2 }));
  const due = begun + 15 * hour;
  expect(after(row, due + 24 * hour - 1, { a: updated, b: drained }).row.state).toBe('running');
  expect(after(row, due + 24 * hour, { a: updated, b: drained }).row.state).toBe('halted');
});

it('nobody is asked about a computer that waits for its turn, or before a new leader has heard the agents', () => {
  const others = ['a', 'b', 'c'].map((name) =>
    step(name, { state: 'updating', inc: 1, since: begun + 24 * hour }),
  );
  const busy = rollout(...others, step('d'));
  expect(after(busy, begun + 24 * hour, {}).row.state).toBe('running');
  const row = rollout(step('b'));
  const early = world(begun + 48 * hour, { b: { agent: undefined } }, false);
  expect(advance(row, row, early).row.state).toBe('running');
});
