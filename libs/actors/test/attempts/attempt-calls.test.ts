import { ServiceError, type DeviceFunction } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { device, task, World } from '../world.js';
import { Unanswered } from '../../src/index.js';
import {
  MemoryOrchestrator,
  VirtualTime,
  type DeviceScript,
  type TaskScript,
} from '../../src/testing/index.js';

const functions: DeviceFunction[] = [
  { name: 'move', kind: 'effect' },
  { name: 'home', kind: 'idempotent' },
  { name: 'look', kind: 'query' },
];
const arm = { lab: 'lab', name: 'arm' };
const working: DeviceScript = { functions, call: async (name) => `${name} done` };
/** Homes and reads. A movement never ends by itself. */
const stuck: DeviceScript = {
  functions,
  call: (name) => (name === 'move' ? new Promise(() => undefined) : Promise.resolve(name)),
};

const handle: TaskScript = async ({ call }) => {
  for (const name of ['home', 'move', 'look', 'move']) await call('arm', name);
  return {};
};

describe('the calls of a result', () => {
  it('contain the number of effects and the last call that is known to have ended', async () => {
    const world = await new World({
      devices: [device('arm')],
      tasks: { handle },
      device: () => working,
    }).up();
    await world.agent.startTask(task('a', 'handle', { devices: { arm: {} } }), {});
    await world.time.advance(0);
    expect(world.orchestrator.results[0]?.calls).toEqual({
      effects: 2,
      last_confirmed: { device: 'lab.arm', function: 'move', call_id: 'a/4' },
      in_doubt: null,
    });
  });

  it('include those on other computers, except those that never began', async () => {
    const world = await new World({ tasks: { handle } }).up();
    let count = 0;
    world.peers.call = async () => {
      if ((count += 1) === 4) throw new ServiceError('device_unavailable', 'busy');
      return 'there';
    };
    const start = task('a', 'handle', { devices: { arm: { computer: 'there' } } });
    start.devices['arm']?.functions?.push(...functions);
    await world.agent.startTask(start, {});
    await world.time.advance(0);
    expect(world.orchestrator.results[0]?.calls).toEqual({
      effects: 1,
      last_confirmed: { device: 'lab.arm', function: 'move', call_id: 'a/2' },
      in_doubt: null,
    });
  });

  it('in doubt make an attempt unknown when its process dies, and failed otherwise', async () => {
    for (const [name, kind] of [
      ['move', 'unknown'],
      ['home', 'failed'],
    ] as const) {
      const ask: TaskScript = async ({ call }) => {
        await call('arm', name).catch(() => undefined);
        return new Promise(() => undefined);
      };
      const world = await new World({ tasks: { ask } }).up();
      world.peers.call = () => Promise.reject(new Unanswered('agent_unreachable', 'gone', { over: true }));
      const start = task('a', 'ask', { devices: { arm: { computer: 'there' } } });
      start.devices['arm']?.functions?.push(...functions);
      await world.agent.startTask(start, {});
      await world.time.advance(0);
      world.taskProcesses.started
        .find((process) => process.received.length > 0)
        ?.exit({ code: null, signal: 'SIGKILL', lastStderr: null });
      await world.time.advance(0);
      const inDoubt = kind === 'unknown' ? { function: 'move' } : null;
      expect(world.orchestrator.results).toMatchObject([{ outcome: { kind }, calls: { in_doubt: inDoubt } }]);
    }
  });

  it.each([
    ['this computer', {}],
    ['another computer', { computer: 'there' }],
  ])('in doubt on %s have their arguments, without secret values', async (_, where) => {
    const secret = { type: 'str', optional: false, secret: true } as const;
    const height = { type: 'int', unit: 'mm', optional: false } as const;
    const lift: DeviceFunction = { name: 'lift', kind: 'effect', parameters: { height, pin: secret } };
    const lifting: TaskScript = async ({ call }) => {
      await call('arm', 'lift', { height: 7, pin: '1234' }).catch(() => undefined);
      return new Promise(() => undefined);
    };
    const world = await new World({
      devices: [device('arm')],
      tasks: { lifting },
      device: () => ({ functions: [lift], call: () => new Promise(() => undefined) }),
    }).up();
    world.peers.call = () => Promise.reject(new Unanswered('agent_unreachable', 'gone', { over: true }));
    const start = task('a', 'lifting', { devices: { arm: where } });
    start.devices['arm']?.functions?.push(lift);
    await world.agent.startTask(start, {});
    await world.time.advance(0);
    const live = world.deviceProcesses.started.get('lab.arm') ?? [];
    live[0]?.exit({ code: 1, signal: null, lastStderr: null });
    world.taskProcesses.started
      .find((process) => process.received.length > 0)
      ?.exit({ code: null, signal: 'SIGKILL', lastStderr: null });
    const endedMs = world.time.now();
    await world.time.advance(60_000);
    expect(world.orchestrator.results).toMatchObject([{ outcome: { kind: 'unknown' }, ended_ms: endedMs }]);
    const call = { device: 'lab.arm', function: 'lift', call_id: 'a/1' };
    expect(world.orchestrator.results[0]?.calls?.in_doubt).toEqual({
      ...call,
      arguments: { height: 7, pin: '***' },
    });
  });

  it.each([
    ['settles it', true, 'failed'],
    ['cannot', false, 'unknown'],
  ])('in doubt delay the end of a failed task until the driver %s', async (_, idle, kind) => {
    const world = await new World({
      devices: [device('arm')],
      tasks: { handle },
      device: () => ({ ...stuck, reconcile: async () => ({ idle }) }),
    }).up();
    await world.agent.startTask(task('a', 'handle', { devices: { arm: {} } }), {});
    await world.time.advance(0);
    const lives = world.deviceProcesses.started.get('lab.arm') ?? [];
    lives[0]?.exit({ code: 1, signal: null, lastStderr: null });
    await world.time.advance(0);
    expect(world.orchestrator.results).toHaveLength(idle ? 1 : 0);
    await world.time.advance(20_000);
    expect(world.orchestrator.results).toMatchObject([
      { outcome: { kind }, calls: { effects: 1, in_doubt: { function: 'move' } } },
    ]);
  });

  it('of an agent that died come from its ledger', async () => {
    const time = new VirtualTime();
    const orchestrator = new MemoryOrchestrator();
    orchestrator.devices = [device('arm')];
    const first = await new World({ time, orchestrator, tasks: { handle }, device: () => stuck }).up();
    await first.agent.startTask(task('a', 'handle', { devices: { arm: {} } }), {});
    await time.advance(0);
    await new World({ time, orchestrator, ledger: first.crash(), session: 'later-' }).up();
    expect(orchestrator.results).toMatchObject([
      {
        outcome: { kind: 'unknown' },
        calls: {
          effects: 1,
          last_confirmed: { device: 'lab.arm', function: 'home', call_id: 'a/1' },
          in_doubt: { device: 'lab.arm', function: 'move', call_id: 'a/2' },
        },
      },
    ]);
  });
});

describe('after a restart of the agent', () => {
  it('an owner of a device with a fence from before its latest one is refused', async () => {
    const time = new VirtualTime();
    const orchestrator = new MemoryOrchestrator();
    orchestrator.devices = [device('arm')];
    const first = await new World({ time, orchestrator, tasks: { handle }, device: () => working }).up();
    await first.agent.startTask(task('a', 'handle', { devices: { arm: { fence: 7 } } }), {});
    await time.advance(0);
    const call = { callId: 'b/1', function: 'move', arguments: {}, attemptId: 'b' };
    await first.callDevice(arm, call, { fence: { 'lab.arm': 8 } });
    const second = await new World({
      time,
      orchestrator,
      ledger: first.crash(),
      session: 'later-',
      device: () => working,
    }).up();
    const late = { ...call, callId: 'a/9', attemptId: 'a' };
    await expect(second.callDevice(arm, late, { fence: { 'lab.arm': 7 } })).rejects.toMatchObject({
      code: 'stale_message',
      effect: 'none',
    });
  });

  it('a repeated call gets the same answer and moves nothing', async () => {
    const time = new VirtualTime();
    const orchestrator = new MemoryOrchestrator();
    orchestrator.devices = [device('arm')];
    const ran: string[] = [];
    const counting = (): DeviceScript => ({
      functions,
      call: async (name) => {
        ran.push(name);
        return ran.length;
      },
    });
    const first = await new World({ time, orchestrator, device: counting }).up();
    const call = { callId: 'person-1', function: 'move', arguments: {} };
    expect(await first.callDevice(arm, call, {})).toBe(1);
    // A crash loses this: the end is written after the answer.
    await time.advance(0);
    const second = await new World({
      time,
      orchestrator,
      ledger: first.crash(),
      session: 'later-',
      device: counting,
    }).up();
    expect(await second.callDevice(arm, call, {})).toBe(1);
    expect(ran).toEqual(['move']);
  });
});

describe('while the ledger cannot be written', () => {
  it('tasks and effects are refused without effect, queries continue, and the agent reports the fault', async () => {
    const world = await new World({
      devices: [device('arm')],
      tasks: { handle },
      device: () => working,
    }).up();
    const calling = (callId: string, name: string): Promise<unknown> =>
      world.callDevice(arm, { callId, function: name, arguments: {} }, {});
    expect(world.agent.trouble).toBeUndefined();
    world.ledger.breakWith(new Error('no space left on device'));
    const refusal = { code: 'service_unavailable', effect: 'none' };
    await expect(
      world.agent.startTask(task('a', 'handle', { devices: { arm: {} } }), {}),
    ).rejects.toMatchObject(refusal);
    await expect(calling('1', 'move')).rejects.toMatchObject(refusal);
    await expect(calling('2', 'home')).rejects.toMatchObject(refusal);
    expect(await calling('3', 'look')).toBe('look done');
    expect(world.agent.trouble).toContain('no space left on device');
    expect(world.state('arm')).toBe('idle');
    world.ledger.breakWith(undefined);
    expect(await calling('4', 'move')).toBe('move done');
    expect(world.agent.trouble).toBeUndefined();
  });
});
