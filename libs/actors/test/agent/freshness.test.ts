import { callFreshMs } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { task, World } from '../world.js';
import { Freshness } from '../../src/agent/freshness.js';
import { VirtualTime, type TaskScript } from '../../src/testing/index.js';

const never: TaskScript = () => new Promise(() => undefined);
const stale = { code: 'stale_message', effect: 'none' };

async function agentWithHeartbeats(): Promise<{ world: World; beat: () => number }> {
  const world = await new World({ tasks: { never } }).up();
  return { world, beat: () => world.agent.nextHeartbeat() };
}

describe('a start', () => {
  it('is accepted while the heartbeat that it names is recent', async () => {
    const { world, beat } = await agentWithHeartbeats();
    const heard = beat();
    await world.time.advance(2_750);
    expect(await world.agent.startTask(task('a', 'never'), { fresh: heard, ttlMs: 2_750 })).toBe('accepted');
  });

  it('is refused without a trace when its agent was stopped for longer than its caller waits', async () => {
    const { world, beat } = await agentWithHeartbeats();
    const heard = beat();
    await world.time.advance(4_000);
    await expect(
      world.agent.startTask(task('a', 'never'), { fresh: heard, ttlMs: 2_750 }),
    ).rejects.toMatchObject(stale);
    expect(world.agent.attempts()).toEqual([]);
    // The leader asks, and the answer is certain: the attempt never ran and never will.
    expect(await world.agent.taskStatus('a', {})).toBe('unknown');
    await expect(world.agent.startTask(task('a', 'never'), { fresh: beat() })).rejects.toMatchObject(stale);
  });

  it('may name the hello until the first heartbeat, for as long as it may name a heartbeat', async () => {
    const { world, beat } = await agentWithHeartbeats();
    beat();
    expect(await world.agent.startTask(task('a', 'never'), { fresh: 0 })).toBe('accepted');
    await world.time.advance(5_001);
    await expect(world.agent.startTask(task('b', 'never'), { fresh: 0 })).rejects.toMatchObject(stale);
    world.agent.reconnected();
    await world.time.advance(0);
    expect(await world.agent.startTask(task('c', 'never'), { fresh: 0 })).toBe('accepted');
  });

  it('is refused when it names no heartbeat, an unsent one or a forgotten one', async () => {
    const { world, beat } = await agentWithHeartbeats();
    expect(await world.agent.startTask(task('a', 'never'), {})).toBe('accepted');
    const first = beat();
    for (let more = 0; more < 64; more += 1) beat();
    for (const fresh of [undefined, first, 66])
      await expect(world.agent.startTask(task('b', 'never'), { fresh })).rejects.toMatchObject(stale);
  });
});

it('stops and queries are accepted at any time', async () => {
  const { world, beat } = await agentWithHeartbeats();
  await world.agent.startTask(task('a', 'never'), { fresh: beat() });
  await world.time.advance(60_000);
  expect(await world.agent.taskStatus('a', {})).toBe('running');
  expect(await world.agent.cancelTask('a', 'by request', {})).toBe('cancelling');
});

describe('a call of a device', () => {
  it('is fresh for two seconds on the clock that it names', () => {
    const time = new VirtualTime();
    const freshness = new Freshness(time);
    const asOf = time.now();
    expect(() => freshness.demandReading(asOf)).not.toThrow();
    expect(() => freshness.demandReading(asOf - callFreshMs)).not.toThrow();
    expect(() => freshness.demandReading(asOf - callFreshMs - 1)).toThrow(
      expect.objectContaining({ code: 'late_message', effect: 'none' }),
    );
  });

  it('with an impossible reading of the clock belongs to another process', () => {
    const time = new VirtualTime();
    const freshness = new Freshness(time);
    expect(() => freshness.demandReading(time.now() + 1)).toThrow(
      expect.objectContaining({ code: 'late_message' }),
    );
  });
});
