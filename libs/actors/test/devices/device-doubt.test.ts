import { describe, expect, it } from 'vitest';
import { arm, DeviceBench } from '../device-bench.js';
import { deferred } from '../world.js';
import { MemoryCallRecords } from '../../src/testing/index.js';

const idle = () => ({ reconcile: () => Promise.resolve({ idle: true, detail: 'parked' }) });

describe('a call', () => {
  it.each(['effect', 'idempotent'] as const)('of kind %s is recorded before it is sent', async (kind) => {
    const bench = await new DeviceBench().up();
    const release = bench.records.hold();
    const call = await bench.call(kind);
    expect([bench.state, bench.begun]).toEqual(['busy', []]);
    release();
    await bench.time.advance(0);
    expect(bench.begun).toEqual([kind]);
    await bench.end(kind, 'moved');
    expect(await call.ended).toBe('moved');
    expect(bench.records.log).toEqual([`begin ${call.id}`, `end ${call.id} returned`]);
    expect(bench.state).toBe('idle');
  });

  it('of kind query is not recorded', async () => {
    const bench = await new DeviceBench().up();
    const call = await bench.call('query');
    await bench.end('query', 3);
    expect([await call.ended, bench.records.log]).toEqual([3, []]);
  });

  it('carries its own id to the process, also for a query', async () => {
    const bench = await new DeviceBench().up();
    await bench.call('effect', { callId: 'attempt/1' });
    await bench.call('query', { callId: 'attempt/2' });
    const ids = bench.process.received.map((message) => ('call_id' in message ? message.call_id : ''));
    expect(ids).toEqual(expect.arrayContaining(['attempt/1', 'attempt/2']));
  });

  it('is refused without effect when it cannot be recorded, and the device stays idle', async () => {
    const bench = await new DeviceBench().up();
    bench.records.breakWith(new Error('no space left'));
    const call = await bench.call('effect');
    expect([call.now(), bench.state, bench.begun]).toEqual(['service_unavailable none', 'idle', []]);
    const query = await bench.call('query');
    await bench.end('query');
    expect(query.now()).toBe('done');
    bench.records.breakWith(undefined);
    await bench.call('effect');
    expect(bench.begun).toEqual(['query', 'effect']);
  });

  it.each([
    ['its process dies', 'device_unavailable none', (bench: DeviceBench) => bench.crash()],
    [
      'people stop the device',
      'aborted none',
      async (bench: DeviceBench) =>
        void bench.devices.emergencyStop({ id: 'h', scope: 'all', by: 'ann', reason: 'fire' }),
    ],
    [
      'the device is taken away',
      'device_unavailable none',
      async (bench: DeviceBench) => bench.devices.assign([]),
    ],
    ['the agent aborts it', 'aborted none', async (bench: DeviceBench) => bench.devices.abortAll('stopping')],
    [
      'its caller waits no longer',
      'deadline_exceeded none',
      (bench: DeviceBench) => bench.time.advance(60_000),
    ],
  ])('is never sent when, while it is being recorded, %s', async (_, ended, happens) => {
    const bench = await new DeviceBench().up();
    const release = bench.records.hold();
    const call = await bench.call('effect');
    await happens(bench);
    await bench.time.advance(0);
    expect(call.now()).toBe(ended);
    release();
    await bench.time.advance(0);
    expect(bench.begun).toEqual([]);
    expect(bench.records.log).toEqual([`begin ${call.id}`, `end ${call.id} none`]);
    expect(bench.devices.statuses().filter(({ doubt }) => doubt !== undefined)).toEqual([]);
  });

  it('does not keep a device that is taken away during the recording', async () => {
    const bench = await new DeviceBench().up();
    const release = bench.records.hold();
    await bench.call('effect');
    bench.devices.assign([]);
    release();
    await bench.time.advance(1_000);
    expect(bench.devices.statuses()).toEqual([]);
  });

  it('is never sent when its task is withdrawn during the recording, and the next call is sent', async () => {
    const bench = await new DeviceBench().up();
    const release = bench.records.hold();
    const withdraw = new AbortController();
    const call = await bench.call('effect', { signal: withdraw.signal });
    await bench.call('idempotent');
    withdraw.abort();
    await bench.time.advance(0);
    expect([call.now(), bench.state]).toEqual(['aborted none', 'busy']);
    release();
    await bench.time.advance(0);
    expect(bench.begun).toEqual(['idempotent']);
  });

  it('joins the same call when it arrives a second time', async () => {
    const bench = await new DeviceBench().up();
    const first = await bench.call('effect', { callId: 'same' });
    const second = await bench.call('effect', { callId: 'same' });
    await bench.end('effect', 5);
    expect([first.now(), second.now(), bench.begun]).toEqual([5, 5, ['effect']]);
  });
});

describe('a device whose process ends', () => {
  it('in the middle of an effect is uncertain and reports the known facts', async () => {
    const bench = await new DeviceBench().up();
    const before = await bench.call('effect', { attemptId: 'a' });
    await bench.end('effect');
    const call = await bench.call('effect', { attemptId: 'a' });
    await bench.crash();
    expect(call.now()).toBe('device_error maybe');
    expect(bench.status).toMatchObject({
      state: 'uncertain',
      detail: expect.stringMatching(
        /during effect; whether it took effect is not known; its driver cannot tell/,
      ) as string,
      doubt: {
        id: call.id,
        in_doubt: [{ call_id: call.id, function: 'effect', attempt_id: 'a' }],
        last_confirmed: { call_id: before.id, function: 'effect' },
      },
    });
  });

  it('in the middle of an idempotent call restarts, because the call may be repeated', async () => {
    const bench = await new DeviceBench().up();
    const call = await bench.call('idempotent');
    await bench.crash();
    expect([call.now(), bench.state]).toEqual(['device_error maybe', 'restarting']);
    expect(bench.records.log.at(-1)).toBe(`end ${call.id} maybe`);
    await bench.time.advance(1_000);
    expect(bench.state).toBe('idle');
  });

  it('in the middle of a query restarts, and the query is sent again, at most twice', async () => {
    const bench = await new DeviceBench().up();
    const call = await bench.call('query');
    for (const pause of [1_000, 2_000]) {
      await bench.crash();
      expect(call.now()).toBe('open');
      await bench.time.advance(pause);
    }
    expect(bench.begun).toEqual(['query', 'query', 'query']);
    await bench.crash();
    expect(call.now()).toBe('device_error none');
  });

  it('in the middle of a query beside an effect does not repeat the query', async () => {
    const bench = await new DeviceBench().up();
    await bench.call('effect');
    const query = await bench.call('query');
    await bench.crash();
    expect(query.now()).toBe('device_error none');
  });

  it('at rest restarts', async () => {
    const bench = await new DeviceBench().up();
    await bench.crash();
    await bench.time.advance(1_000);
    expect([bench.state, bench.lives]).toEqual(['idle', 2]);
  });
});

describe('an uncertain device', () => {
  it('is initialised only after its driver reports idle and the ledger contains that', async () => {
    const bench = await new DeviceBench({ script: idle }).up();
    const call = await bench.call('effect');
    bench.process.exit({ code: 7, signal: null, lastStderr: null });
    await bench.time.advance(0);
    expect(bench.records.log.at(-1)).toBe('settled lab.arm by driver');
    expect(bench.heard).toEqual(['reconcile', 'init']);
    expect(bench.process.received[0]).toMatchObject({
      in_doubt: [{ call_id: call.id, function: 'effect' }],
    });
    expect(bench.status).toMatchObject({ state: 'idle', detail: null });
    expect(bench.status.doubt).toBeUndefined();
    expect(bench.statuses.map(({ state }) => state).slice(-4)).toEqual([
      'uncertain',
      'uncertain',
      'initializing',
      'idle',
    ]);
  });

  it('stays uncertain while the report of its driver cannot be recorded, and asks the driver again later', async () => {
    const bench = await new DeviceBench({ script: idle }).up();
    await bench.call('effect');
    bench.records.breakWith(new Error('no space left'));
    await bench.crash();
    expect([bench.state, bench.heard]).toEqual(['uncertain', ['reconcile']]);
    bench.records.breakWith(undefined);
    await bench.time.advance(60_000);
    expect([bench.state, bench.heard]).toEqual(['idle', ['reconcile', 'init']]);
  });

  it.each([
    [
      'says that it is not',
      { reconcile: () => Promise.resolve({ idle: false, detail: 'it hums' }) },
      'not idle: it hums',
    ],
    ['cannot tell', {}, 'has no _reconcile'],
    ['fails', { reconcile: () => Promise.reject(new Error('no port')) }, '_reconcile failed: Error: no port'],
    [
      'says nothing in time',
      { reconcile: () => new Promise<never>(() => undefined) },
      'did not end within 30 s',
    ],
  ])(
    'whose driver %s takes no call and has no process, until a person resets it',
    async (_, script, says) => {
      const bench = await new DeviceBench({ script: () => script }).up();
      const call = await bench.call('effect');
      await bench.crash();
      await bench.time.advance(3_600_000);
      expect(bench.status).toMatchObject({
        state: 'uncertain',
        detail: expect.stringContaining(says) as string,
      });
      expect(bench.processes.alive('lab', 'arm')).toBe(0);
      for (const kind of ['effect', 'idempotent', 'query'] as const) {
        expect((await bench.call(kind)).now()).toBe('device_unavailable none');
      }
      await bench.devices.actor(arm).reset(call.id, 'ann');
      await bench.time.advance(0);
      expect(bench.records.log.at(-1)).toBe('settled lab.arm by ann');
      expect([bench.state, bench.heard]).toEqual(['idle', ['init']]);
      expect(bench.status.doubt).toBeUndefined();
    },
  );

  it('stays uncertain when its process dies while the agent asks its driver', async () => {
    const bench = await new DeviceBench({
      script: () => ({ reconcile: () => new Promise(() => undefined) }),
    }).up();
    await bench.call('effect');
    await bench.crash();
    await bench.crash();
    await bench.time.advance(3_600_000);
    expect(bench.status).toMatchObject({
      state: 'uncertain',
      detail: expect.stringContaining('its process ended (exit code 7)') as string,
    });
    expect(bench.lives).toBe(2);
  });

  it('stays uncertain when its process sends anything other than an answer', async () => {
    const bench = await new DeviceBench({
      script: () => ({ reconcile: () => new Promise(() => undefined) }),
    }).up();
    const call = await bench.call('effect');
    await bench.crash();
    bench.process.say({ type: 'init_failed', error: { message: 'nobody asked' } });
    bench.process.say({ type: 'ready', functions: [] });
    bench.process.say({ type: 'result', call_id: call.id });
    bench.process.say({ type: 'stopped', supported: true });
    await bench.crash();
    await bench.time.advance(60_000);
    expect([bench.state, bench.lives]).toEqual(['uncertain', 2]);
  });

  it('can be reset by a person while the agent asks its driver', async () => {
    const slow = deferred<{ idle: boolean }>();
    const bench = await new DeviceBench({ script: () => ({ reconcile: () => slow.promise }) }).up();
    const call = await bench.call('effect');
    await bench.crash();
    await bench.devices.actor(arm).reset(call.id, 'ann');
    slow.resolve({ idle: false });
    await bench.time.advance(0);
    expect([bench.state, bench.lives, bench.heard]).toEqual(['idle', 3, ['init']]);
  });

  it('is not reset by a person who names another doubt, or when the reset cannot be recorded', async () => {
    const bench = await new DeviceBench().up();
    await expect(bench.devices.actor(arm).reset(null, 'ann')).rejects.toMatchObject({ code: 'wrong_state' });
    const call = await bench.call('effect');
    await bench.crash();
    for (const id of [null, 'another']) {
      await expect(bench.devices.actor(arm).reset(id, 'ann')).rejects.toMatchObject({ code: 'wrong_state' });
    }
    bench.records.breakWith(new Error('no space left'));
    await expect(bench.devices.actor(arm).reset(call.id, 'ann')).rejects.toThrow('no space left');
    expect(bench.state).toBe('uncertain');
  });

  it('keeps the same doubt under the next agent, which asks before it initialises', async () => {
    const records = new MemoryCallRecords();
    const first = await new DeviceBench({ records }).up();
    const call = await first.call('effect', { attemptId: 'a' });
    const second = await new DeviceBench({ records }).up();
    expect(second.heard).toEqual(['reconcile']);
    expect(second.status).toMatchObject({
      state: 'uncertain',
      detail: expect.stringContaining('the agent ended during effect') as string,
      doubt: { id: call.id },
    });
    const third = await new DeviceBench({ records, script: idle }).up();
    expect([third.state, third.heard]).toEqual(['idle', ['reconcile', 'init']]);
  });

  it('stays uncertain when its code changes', async () => {
    const bench = await new DeviceBench().up();
    await bench.call('effect');
    await bench.crash();
    bench.devices.assign([]);
    await bench.time.advance(0);
    await bench.up();
    expect([bench.state, bench.heard]).toEqual(['uncertain', ['reconcile']]);
  });

  it('keeps its doubt when it crashes too often and is faulted', async () => {
    const bench = await new DeviceBench({ script: idle }).up();
    let last = '';
    for (let n = 0; n < 5; n += 1) {
      last = (await bench.call('effect')).id;
      await bench.crash();
    }
    expect(bench.status).toMatchObject({ state: 'faulted', doubt: { id: last } });
    await expect(bench.devices.actor(arm).reset(null, 'ann')).rejects.toMatchObject({ code: 'wrong_state' });
    await bench.devices.actor(arm).reset(last, 'ann');
    await bench.time.advance(0);
    expect(bench.state).toBe('idle');
  });

  it('is faulted without a doubt when _initialize fails after its doubt was settled', async () => {
    const bench = await new DeviceBench({
      script: (life) => ({
        ...idle(),
        initialize: () => (life === 2 ? Promise.reject(new Error('no port')) : Promise.resolve()),
      }),
    }).up();
    await bench.call('effect');
    await bench.crash();
    expect(bench.status).toMatchObject({ state: 'faulted', detail: 'Error: no port' });
    expect(bench.status.doubt).toBeUndefined();
    await bench.devices.actor(arm).reset(null, 'ann');
    await bench.time.advance(0);
    expect(bench.state).toBe('idle');
  });

  it('asks its driver as soon as its code is available', async () => {
    const bench = await new DeviceBench({ script: idle }).up();
    await bench.call('effect');
    const { path } = bench.modules;
    let missing = true;
    bench.modules.path = (module) =>
      missing ? Promise.reject(new Error('not now')) : path.call(bench.modules, module);
    await bench.crash();
    expect(bench.status).toMatchObject({
      state: 'uncertain',
      detail: expect.stringContaining('not now') as string,
    });
    missing = false;
    await bench.time.advance(1_000);
    expect(bench.state).toBe('idle');
  });
});

describe('a process that does not respond', () => {
  it('is reported after 10 s and keeps running, and is reported when it responds again', async () => {
    let responds = true;
    const bench = await new DeviceBench({ script: () => ({ responds: () => responds }) }).up();
    const call = await bench.call('effect');
    responds = false;
    await bench.time.advance(11_999);
    expect(bench.status.detail).toBe('effect');
    await bench.time.advance(2_001);
    const { silent_since_ms: since, ...status } = bench.status;
    expect(status).toMatchObject({ state: 'busy', detail: 'effect; its process does not respond' });
    expect(bench.time.now() - (since ?? 0)).toBe(12_000);
    responds = true;
    bench.process.say({ type: 'pong' });
    await bench.time.advance(0);
    expect(bench.status).toMatchObject({ state: 'busy', detail: 'effect' });
    expect(bench.status).not.toHaveProperty('silent_since_ms');
    await bench.end('effect');
    expect([call.now(), bench.process.signals]).toEqual(['done', []]);
  });
});
