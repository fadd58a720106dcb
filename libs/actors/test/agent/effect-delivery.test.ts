import { ServiceError } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { device, task, World, type WorldOptions } from '../world.js';
import type { DeviceScript, TaskScript } from '../../src/testing/index.js';

const away = new ServiceError('store_unavailable', 'the database is away');

/** An arm that moves for the time that it is told. */
function arm(time: { after(ms: number, act: () => void): void }): DeviceScript {
  return {
    functions: [
      {
        ...{ name: 'move', kind: 'effect' },
        parameters: { to: { type: 'str' }, code: { type: 'str', secret: true } },
      },
      { name: 'look', kind: 'query' },
      { name: 'fail', kind: 'effect' },
    ],
    call: (name, args) =>
      new Promise((resolve, reject) => {
        if (name === 'fail') reject(new Error('the gripper is not closed'));
        else time.after(Number(args['ms'] ?? 0), () => resolve({ at: args['to'] ?? null }));
      }),
  };
}

async function bench(options: WorldOptions = {}): Promise<World> {
  const world: World = new World({
    devices: [device('arm')],
    device: () => arm({ after: (ms, act) => void world.time.after(ms, act) }),
    ...options,
  });
  return world.up();
}

const call = (world: World, callId: string, name: string, args = {}): Promise<unknown> =>
  world.agent
    .callDevice(
      { lab: 'lab', name: 'arm' },
      { callId, function: name, arguments: args, by: 'ann' },
      { asOf: world.agent.readClock() },
    )
    .catch(() => undefined);

describe('the record of a call', () => {
  it('has who called what with what, when and with which result', async () => {
    const world = await bench();
    const began = world.time.now();
    void call(world, 'c1', 'move', { to: 'rack', code: '1234', ms: 100 });
    await world.time.advance(1_000);
    expect([...world.effects.records.values()]).toEqual([
      {
        ...{ call_id: 'c1', lab: 'lab', device: 'arm', function: 'move', kind: 'effect' },
        ...{ arguments: { to: 'rack', code: '***', ms: 100 }, state: 'completed', result: { at: 'rack' } },
        ...{ person: 'ann', began_ms: began, ended_ms: began + 100 },
        code_hash: device('arm').module.hash,
        runtime: { name: 'node', version: null, environment: null },
      },
    ]);
    expect(world.effects.batches).toBe(1);
  });

  it('of a value that is too large to be kept is completed, with the value cut', async () => {
    const world = await bench();
    void call(world, 'c1', 'move', { to: 'x'.repeat(20_000) });
    void call(world, 'c2', 'move', { to: 'x'.repeat(6_000) });
    await world.time.advance(1_000);
    for (const id of ['c1', 'c2']) {
      const record = world.effects.records.get(id);
      expect(record).toMatchObject({ state: 'completed' });
      expect(record?.error).toBeUndefined();
      expect(JSON.stringify(record?.result).length).toBeLessThan(5_000);
    }
  });

  it('is sent at its beginning if the call takes long, and again at its end', async () => {
    const world = await bench();
    void call(world, 'c1', 'move', { ms: 5_000 });
    await world.time.advance(1_000);
    expect(world.effects.records.get('c1')).toMatchObject({ state: 'running' });
    await world.time.advance(5_000);
    expect(world.effects.records.get('c1')).toMatchObject({ state: 'completed' });
    expect(world.effects.batches).toBe(2);
  });

  it('names the attempt of a task and the error of the driver, and there is none of a query', async () => {
    const fail: TaskScript = async ({ call: callDevice }) => {
      await callDevice('arm', 'look');
      await callDevice('arm', 'fail').catch(() => undefined);
      return {};
    };
    const world = await bench({ tasks: { fail } });
    await world.agent.startTask(task('a', 'fail', { devices: { arm: {} } }), {});
    await world.time.advance(1_000);
    const records = [...world.effects.records.values()];
    expect(records).toMatchObject([
      {
        ...{ function: 'fail', state: 'failed', attempt_id: 'a' },
        error: { code: 'device_error', message: 'the gripper is not closed' },
      },
    ]);
    expect(records[0]?.person).toBeUndefined();
  });

  it('waits in the ledger while nobody can store it, also over a restart', async () => {
    const world = await bench();
    world.effects.away = away;
    void call(world, 'c1', 'move');
    await world.time.advance(60_000);
    expect([world.effects.records.size, world.ledger.state.unstored.size]).toEqual([0, 1]);
    const next = await bench({ ledger: world.crash() });
    await next.time.advance(1_000);
    expect(next.effects.records.get('c1')).toMatchObject({ state: 'completed', person: 'ann' });
    await next.time.advance(1_000);
    expect(next.ledger.state.unstored.size).toBe(0);
    const last = await bench({ ledger: next.crash() });
    await last.time.advance(1_000);
    expect(last.effects.batches).toBe(0);
  });

  it('of a call that its agent did not survive is running until the doubt is settled, then unknown', async () => {
    const world = await bench();
    void call(world, 'c1', 'move', { ms: 60_000 });
    await world.time.advance(1_000);
    const next = await bench({ ledger: world.crash() });
    await next.time.advance(1_000);
    expect(next.effects.records.get('c1')).toMatchObject({ state: 'running' });
    await next.agent.resetDevice({ lab: 'lab', name: 'arm' }, 'c1', 'ann', {});
    await next.time.advance(1_000);
    const known = next.effects.records.get('c1');
    expect([known?.state, known?.ended_ms]).toEqual(['unknown', undefined]);
  });

  it('delays no call, and is tried again with growing pauses', async () => {
    const world = await bench();
    world.effects.store = () => new Promise(() => undefined);
    const done = call(world, 'c1', 'move');
    await world.time.advance(1_000);
    expect(await done).toEqual({ at: null });
    const other = await bench();
    other.effects.away = away;
    void call(other, 'c1', 'move');
    await other.time.advance(60_000);
    expect(other.effects.batches).toBeGreaterThan(5);
    expect(other.effects.batches).toBeLessThan(12);
    other.effects.away = undefined;
    await other.time.advance(10_000);
    expect(other.effects.records.size).toBe(1);
  });

  it('that is refused for good holds up no other', async () => {
    const world = await bench();
    const store = world.effects.store.bind(world.effects);
    world.effects.store = async (effects) => {
      if (effects.some(({ call_id: id }) => id === 'c2')) throw new ServiceError('internal', 'malformed');
      await store(effects);
    };
    for (const id of ['c1', 'c2', 'c3']) void call(world, id, 'move');
    await world.time.advance(5_000);
    expect([...world.effects.records.keys()]).toEqual(['c1', 'c3']);
    expect(world.ledger.state.unstored.size).toBe(0);
    const given = world.log.lines.filter(({ level }) => level === 'error');
    expect(given).toMatchObject([{ fields: { callIds: ['c2'] } }]);
  });

  it('is delivered when the agent ends', async () => {
    const world = await bench();
    void call(world, 'c1', 'move');
    await world.time.advance(0);
    const stopped = world.agent.stop('the agent is stopping');
    await world.time.advance(30_000);
    await stopped;
    expect(world.effects.records.get('c1')).toMatchObject({ state: 'completed' });
  });
});
