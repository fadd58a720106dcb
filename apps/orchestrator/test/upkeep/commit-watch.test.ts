import { ServiceError } from '@lab/contracts';
import { VirtualClock } from '@lab/ports';
import { expect, it } from 'vitest';
import { CommitWatch } from '../../src/upkeep/commit-watch.js';

const full = new ServiceError('store_unavailable', 'the disk of the database is full (53100)');

/** A watch with a database that has no room while `state.full` is true, and hangs while `state.hangs` is. */
function bench() {
  const clock = new VirtualClock();
  const state = { full: false, hangs: false, proofs: 0 };
  const said: string[] = [];
  const say = (message: string): void => void said.push(message);
  const log = { debug: () => undefined, info: say, warn: say, error: say };
  const watch = new CommitWatch({ clock, wall: clock, timers: clock, log });
  const stop = watch.start(async () => {
    state.proofs += 1;
    if (state.hangs) await new Promise(() => undefined);
    if (state.full) throw full;
  });
  return { clock, state, said, watch, stop };
}

it('the leader proves every 5 s that it can write', async () => {
  const { clock, state, watch, stop } = bench();
  await clock.advance(60_000);
  expect(state.proofs).toBeGreaterThanOrEqual(9);
  expect(state.proofs).toBeLessThanOrEqual(12);
  expect(watch.health).toEqual({});
  stop();
  await clock.settle();
  expect(clock.pending).toBe(0);
});

it('a full disk is reported within 6 s while commits still fit, and no commit ends the report', async () => {
  const { clock, state, said, watch } = bench();
  state.full = true;
  for (let second = 0; second < 30; second += 1) {
    watch.noted(undefined);
    await clock.advance(1_000);
    if (second >= 6) expect(watch.health).toMatchObject({ failing: { detail: full.message } });
  }
  expect(said).toEqual(['commits fail; no work can be accepted, started or recorded']);
});

it('a failed commit is reported until a write succeeds, since its first failure and once in the log', async () => {
  const { clock, state, said, watch } = bench();
  state.full = true;
  const since = new Date(clock.now()).toISOString();
  watch.noted(full);
  await clock.advance(30_000);
  watch.noted(full);
  expect(watch.health).toEqual({ failing: { detail: full.message, since } });
  expect(said).toEqual(['commits fail; no work can be accepted, started or recorded']);
  state.full = false;
  await clock.advance(2_000);
  expect(watch.health).toEqual({});
  expect(said.at(-1)).toBe('commits succeed again');
});

it('a database that fills up while nobody commits is reported within 6 s', async () => {
  const { clock, state, watch } = bench();
  state.full = true;
  await clock.advance(6_000);
  expect(watch.health).toMatchObject({ failing: { detail: full.message } });
});

it('a write without an end is reported', async () => {
  const { clock, state, watch } = bench();
  state.hangs = true;
  await clock.advance(20_000);
  expect(watch.health).toMatchObject({ failing: { detail: 'no commit has succeeded for 20 s' } });
});
