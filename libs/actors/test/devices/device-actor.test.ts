import type { DeviceAssignment, DeviceFunction, JsonValue } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { deferred, device, World, type WorldOptions } from '../world.js';
import type { DeviceScript } from '../../src/testing/index.js';

const marks = {};
const arm = { lab: 'lab', name: 'arm' };
let calls = 0;
const calling = (
  name: string,
): { callId: string; function: string; arguments: Record<string, JsonValue> } => ({
  callId: `${name}/${++calls}`,
  function: name,
  arguments: {},
});

/** A device whose calls end when the test says so. */
function puppet(timeouts: Record<string, number> = {}): {
  script: () => DeviceScript;
  begun: string[];
  end(name: string, value?: JsonValue): void;
} {
  const begun: string[] = [];
  const open: { name: string; resolve(value: JsonValue | undefined): void }[] = [];
  return {
    begun,
    script: () => ({
      functions: [
        { name: 'first', kind: 'effect', timeout_s: timeouts['first'] },
        { name: 'second', kind: 'idempotent', timeout_s: timeouts['second'] },
        { name: 'look', kind: 'query', timeout_s: timeouts['look'] },
        ...(timeouts['pause'] === undefined
          ? []
          : [{ name: 'pause', kind: 'idempotent', beside: true, timeout_s: timeouts['pause'] } as const]),
      ],
      call(name) {
        begun.push(name);
        const end = deferred<JsonValue | undefined>();
        open.push({ name, resolve: end.resolve });
        return end.promise;
      },
    }),
    end(name, value) {
      const index = open.findIndex((call) => call.name === name);
      open.splice(index, 1)[0]?.resolve(value);
    },
  };
}

async function withPuppet(
  options: WorldOptions & { timeouts?: Record<string, number> } = {},
): Promise<{ world: World; puppet: ReturnType<typeof puppet> }> {
  const hands = puppet(options.timeouts);
  const world = await new World({ devices: [device('arm')], device: hands.script, ...options }).up();
  return { world, puppet: hands };
}

describe('calls of a device', () => {
  it('run one effect at a time, in order of arrival', async () => {
    const { world, puppet } = await withPuppet();
    const first = world.callDevice(arm, calling('first'), marks);
    const second = world.callDevice(arm, calling('second'), marks);
    await world.time.advance(0);
    expect(puppet.begun).toEqual(['first']);
    expect(world.state('arm')).toBe('busy');
    puppet.end('first', 1);
    expect(await first).toBe(1);
    await world.time.advance(0);
    expect(puppet.begun).toEqual(['first', 'second']);
    puppet.end('second', 2);
    expect(await second).toBe(2);
    expect(world.state('arm')).toBe('idle');
  });

  it('that the device did not begin have effect none, and other failures effect maybe', async () => {
    const fail = (name: string) => Promise.reject(Object.assign(new Error('not connected'), { name }));
    const script = (): DeviceScript => ({
      functions: [
        { name: 'NotBegun', kind: 'effect' },
        { name: 'Error', kind: 'effect' },
      ],
      call: fail,
    });
    const world = await new World({ devices: [device('arm')], device: script }).up();
    for (const [name, effect] of [
      ['NotBegun', 'none'],
      ['Error', 'maybe'],
    ] as const) {
      const failed = expect(world.callDevice(arm, calling(name), marks)).rejects.toMatchObject({
        ...{ code: 'device_error', message: 'not connected', effect },
      });
      await world.time.advance(0);
      await failed;
      expect(world.state('arm')).toBe('idle');
    }
  });

  it('let up to four queries pass beside an effect', async () => {
    const { world, puppet } = await withPuppet();
    const calls = ['first', 'look', 'look', 'look', 'look', 'look'].map((name) =>
      world.callDevice(arm, calling(name), marks),
    );
    await world.time.advance(0);
    expect([...puppet.begun].sort()).toEqual(['first', 'look', 'look', 'look', 'look']);
    puppet.end('look');
    await world.time.advance(0);
    expect(puppet.begun).toHaveLength(6);
    for (const name of ['first', 'look', 'look', 'look', 'look']) puppet.end(name);
    await expect(Promise.all(calls)).resolves.toHaveLength(6);
  });

  it('let a function pass that runs beside an effect, with its record, and not during an emergency stop', async () => {
    const { world, puppet } = await withPuppet({ timeouts: { pause: 5, first: 60 } });
    const first = world.callDevice(arm, calling('first'), marks);
    const waiting = world.callDevice(arm, calling('second'), marks);
    const pause = world.callDevice(arm, calling('pause'), marks);
    await world.time.advance(0);
    expect(puppet.begun).toEqual(['first', 'pause']);
    puppet.end('pause', 'paused');
    expect(await pause).toBe('paused');
    expect(world.state('arm')).toBe('busy');
    expect(puppet.begun).toEqual(['first', 'pause']);
    const late = expect(world.callDevice(arm, calling('pause'), marks)).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    await world.time.advance(5_000);
    await late;
    expect(world.state('arm')).toBe('busy');
    puppet.end('first', 1);
    expect(await first).toBe(1);
    await world.time.advance(0);
    puppet.end('second', 2);
    expect(await waiting).toBe(2);
    expect(world.state('arm')).toBe('idle');
  });

  it('are refused without effect when too many wait', async () => {
    const { world } = await withPuppet({ limits: { deviceMailbox: 1 } });
    const going = world.callDevice(arm, calling('first'), marks);
    const waiting = world.callDevice(arm, calling('first'), marks);
    await expect(world.callDevice(arm, calling('first'), marks)).rejects.toMatchObject({
      code: 'device_unavailable',
      effect: 'none',
      retryable: true,
    });
    await world.time.advance(0);
    world.deviceProcesses.latest('lab', 'arm').kill('SIGKILL');
    await expect(going).rejects.toMatchObject({ effect: 'maybe' });
    await expect(waiting).rejects.toMatchObject({ code: 'device_unavailable', effect: 'none' });
  });

  it('of an undeclared function name the declared ones', async () => {
    const { world } = await withPuppet();
    await expect(world.callDevice(arm, calling('fly'), marks)).rejects.toMatchObject({
      code: 'unknown_function',
      message: expect.stringContaining('first, second, look') as string,
    });
  });

  it('with arguments that contradict the declaration are refused with every fault and never reach the process', async () => {
    const faults = [
      { path: 'arguments.a', code: 'type', message: 'must be an integer' },
      { path: 'arguments.b', code: 'missing_parameter', message: 'is required' },
    ];
    const { world, puppet } = await withPuppet({
      checkArguments: ({ name }, values) => ({ values, faults: name === 'first' ? faults : [] }),
    });
    await expect(world.callDevice(arm, calling('first'), marks)).rejects.toMatchObject({
      code: 'invalid',
      effect: 'none',
      faults,
      message:
        'first of device lab.arm was not called: arguments.a: must be an integer; arguments.b: is required',
    });
    void world.callDevice(arm, calling('second'), marks);
    await world.time.advance(0);
    expect(puppet.begun).toEqual(['second']);
    expect(world.state('arm')).toBe('busy');
  });

  it('get defaults for omitted arguments', async () => {
    const world = await new World({
      devices: [device('arm')],
      device: () => ({
        functions: [{ name: 'move', kind: 'effect' }],
        call: (_, given) => Promise.resolve(given),
      }),
      checkArguments: (_, values) => ({ values: { speed: 3, ...values }, faults: [] }),
    }).up();
    const call = { callId: 'm', function: 'move', arguments: { to: 'shelf' } };
    expect(await world.callDevice(arm, call, marks)).toEqual({ speed: 3, to: 'shelf' });
  });

  it('are checked against the declaration of the device, and the agent reports the whole declaration', async () => {
    const declared: DeviceFunction = {
      name: 'move',
      kind: 'effect',
      timeout_s: 900,
      description: 'Moves',
      parameters: { to: { type: 'str' } },
    };
    const checked: DeviceFunction[] = [];
    const world = await new World({
      devices: [device('arm')],
      device: () => ({ functions: [declared] }),
      checkArguments: (each, values) => {
        checked.push(each);
        return { values, faults: [] };
      },
    }).up();
    await world.callDevice(arm, calling('move'), marks);
    expect(checked).toEqual([declared]);
    expect(world.agent.devices()[0]?.functions).toEqual([declared]);
  });

  it('that throw carry the message of the author, with effect maybe for an effect and none for a query', async () => {
    const world = await new World({
      devices: [device('arm')],
      device: () => ({
        functions: [
          { name: 'move', kind: 'effect' },
          { name: 'look', kind: 'query' },
        ],
        call: (name) => Promise.reject(new Error(`${name} is jammed`)),
      }),
    }).up();
    await expect(world.callDevice(arm, calling('move'), marks)).rejects.toMatchObject({
      code: 'device_error',
      message: 'move is jammed',
      effect: 'maybe',
    });
    await expect(world.callDevice(arm, calling('look'), marks)).rejects.toMatchObject({
      effect: 'none',
    });
    expect(world.state('arm')).toBe('idle');
  });

  it('with a fence below the highest seen are refused', async () => {
    const world = await new World({ devices: [device('arm')] }).up();
    const call = (fence: number): Promise<unknown> =>
      world.callDevice(arm, { ...calling('move'), attemptId: 'a' }, { fence: { 'lab.arm': fence } });
    await call(4);
    await call(4);
    await expect(call(3)).rejects.toMatchObject({ code: 'stale_message', effect: 'none' });
    await expect(world.callDevice(arm, { ...calling('move'), attemptId: 'a' }, {})).rejects.toMatchObject({
      code: 'stale_message',
    });
  });

  it('that did not begin within their time never begin', async () => {
    const { world, puppet } = await withPuppet();
    const going = world.callDevice(arm, calling('first'), marks);
    const late = world.callDevice(arm, calling('second'), { ttlMs: 500 });
    const refused = expect(late).rejects.toMatchObject({ code: 'deadline_exceeded', effect: 'none' });
    await world.time.advance(500);
    await refused;
    puppet.end('first');
    await going;
    await world.time.advance(1000);
    expect(puppet.begun).toEqual(['first']);
  });
});

describe('the timeout of a call', () => {
  it('is declared by its function and shown in the status', async () => {
    const { world, puppet } = await withPuppet({ timeouts: { first: 900 } });
    const call = world.callDevice(arm, calling('first'), marks);
    await world.time.advance(899_999);
    expect(world.state('arm')).toBe('busy');
    puppet.end('first', 'hot');
    expect(await call).toBe('hot');
    expect(world.agent.devices()[0]?.functions).toEqual([
      { name: 'first', kind: 'effect', timeout_s: 900 },
      { name: 'second', kind: 'idempotent' },
      { name: 'look', kind: 'query' },
    ]);
  });

  it('is the setting of the agent when the function declares none, and the status shows it', async () => {
    const { world } = await withPuppet({ timeouts: { look: 5 }, limits: { deviceCallMs: 120_000 } });
    const failed = expect(world.callDevice(arm, calling('first'), marks)).rejects.toMatchObject({
      message: 'first of device lab.arm did not end within 120 s',
    });
    await world.time.advance(119_999);
    expect(world.state('arm')).toBe('busy');
    expect(world.agent.devices()[0]?.functions.map(({ timeout_s }) => timeout_s)).toEqual([120, 120, 5]);
    await world.time.advance(1);
    await failed;
  });

  it('starts at the begin of the call, not while it waits', async () => {
    const { world, puppet } = await withPuppet();
    const first = world.callDevice(arm, calling('first'), marks);
    const second = world.callDevice(arm, calling('second'), marks);
    await world.time.advance(59_000);
    puppet.end('first');
    await first;
    await world.time.advance(59_000);
    expect(world.state('arm')).toBe('busy');
    puppet.end('second', 'set');
    expect(await second).toBe('set');
    expect(world.deviceProcesses.started.get('lab.arm')).toHaveLength(1);
  });

  it('is independent of a caller that stops waiting', async () => {
    const { world, puppet } = await withPuppet();
    const call = world.callDevice(arm, calling('first'), { ttlMs: 1_000 });
    await world.time.advance(30_000);
    expect(world.state('arm')).toBe('busy');
    puppet.end('first', 'done');
    expect(await call).toBe('done');
  });
});

describe('a device', () => {
  it('is killed before the call fails when an effect exceeds its deadline, and is uncertain', async () => {
    const { world } = await withPuppet({ timeouts: { first: 5 } });
    const states = (): string[] => world.announcer.statuses.map((status) => status.state);
    const call = world.callDevice(arm, calling('first'), marks);
    const failed = call.then(
      () => 'done',
      (error: unknown) => {
        expect(world.deviceProcesses.alive('lab', 'arm')).toBe(0);
        return error;
      },
    );
    await world.time.advance(5_000);
    expect(await failed).toMatchObject({ code: 'deadline_exceeded', effect: 'maybe' });
    expect([...new Set(states())].slice(-3)).toEqual(['busy', 'aborting', 'uncertain']);
  });

  it('is asked to end before it is killed when a call is aborted, so that it can clean up', async () => {
    const { world } = await withPuppet({ timeouts: { first: 5 } });
    const process = world.deviceProcesses.latest('lab', 'arm');
    process.onTerm(() => undefined);
    const call = expect(world.callDevice(arm, calling('first'), marks)).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    await world.time.advance(8_999);
    expect([process.signals, world.state('arm')]).toEqual([['SIGTERM'], 'aborting']);
    await world.time.advance(1);
    expect(process.signals).toEqual(['SIGTERM', 'SIGKILL']);
    await call;
  });

  it('reports no effect when it refuses a call before it begins', async () => {
    const { world } = await withPuppet();
    const call = expect(world.callDevice(arm, calling('first'), marks)).rejects.toMatchObject({
      code: 'device_unavailable',
      effect: 'none',
    });
    await world.time.advance(0);
    const process = world.deviceProcesses.latest('lab', 'arm');
    const sent = process.received.find((message) => message.type === 'call');
    process.say({
      type: 'failure',
      call_id: sent?.call_id ?? '',
      code: 'device_unavailable',
      error: { message: 'The device is being shut down' },
    });
    await world.time.advance(0);
    await call;
  });

  it('keeps running when a query exceeds its deadline beside an effect', async () => {
    const { world, puppet } = await withPuppet({ timeouts: { look: 1 } });
    const effect = world.callDevice(arm, calling('first'), marks);
    const query = expect(world.callDevice(arm, calling('look'), marks)).rejects.toMatchObject({
      code: 'deadline_exceeded',
      effect: 'none',
    });
    await world.time.advance(1_000);
    await query;
    puppet.end('first', 'moved');
    expect(await effect).toBe('moved');
  });

  it('that crashes during an effect fails that call with effect maybe and is uncertain', async () => {
    const { world } = await withPuppet();
    const call = expect(world.callDevice(arm, calling('first'), marks)).rejects.toMatchObject({
      code: 'device_error',
      effect: 'maybe',
      message: expect.stringContaining('out of memory') as string,
    });
    await world.time.advance(0);
    world.deviceProcesses.latest('lab', 'arm').exit({ code: 1, signal: null, lastStderr: 'out of memory' });
    await call;
    await world.time.advance(3_600_000);
    expect(world.agent.devices()[0]).toMatchObject({
      state: 'uncertain',
      detail: expect.stringContaining('during first') as string,
    });
    expect(world.deviceProcesses.alive('lab', 'arm')).toBe(0);
    await expect(world.callDevice(arm, calling('look'), marks)).rejects.toMatchObject({
      code: 'device_unavailable',
      effect: 'none',
    });
  });

  it('restarts after 1, 2, 4 and 8 s and is faulted by the fifth crash within ten minutes', async () => {
    const world = await new World({ devices: [device('arm')] }).up();
    const crash = async (): Promise<void> => {
      world.deviceProcesses.latest('lab', 'arm').exit({ code: 3, signal: null, lastStderr: 'boom' });
      await world.time.advance(0);
    };
    for (const pause of [1_000, 2_000, 4_000, 8_000]) {
      await crash();
      await world.time.advance(pause - 1);
      expect(world.state('arm')).toBe('restarting');
      await world.time.advance(1);
      expect(world.state('arm')).toBe('idle');
    }
    await crash();
    expect(world.state('arm')).toBe('faulted');
    await world.time.advance(3_600_000);
    expect(world.deviceProcesses.started.get('lab.arm')).toHaveLength(5);
  });

  it('is faulted with the error of the author and its place when it cannot be initialised', async () => {
    const thrown = {
      message: 'no such port',
      stack: 'Error: no such port\n    at Arm._initialize (lab/devices/arm/device.ts:9:5)',
    };
    const world = await new World({
      devices: [device('arm')],
      device: () => ({ functions: [], initialize: () => Promise.reject(thrown) }),
    }).up();
    expect(world.agent.devices()[0]).toMatchObject({
      state: 'faulted',
      detail: 'no such port (lab/devices/arm/device.ts:9:5)',
    });
  });

  it('is killed and faulted when it does not end _initialize within 60 s', async () => {
    const world = await new World({
      devices: [device('arm')],
      device: () => ({ functions: [], initialize: () => new Promise(() => undefined) }),
    }).up();
    await world.time.advance(59_999);
    expect(world.state('arm')).toBe('initializing');
    await world.time.advance(1);
    expect(world.state('arm')).toBe('faulted');
    expect(world.deviceProcesses.alive('lab', 'arm')).toBe(0);
  });

  it('reports its state during an effect', async () => {
    const world = await new World({
      devices: [device('arm')],
      device: () => ({
        functions: [{ name: 'move', kind: 'effect' }],
        call: () => new Promise(() => undefined),
        report: async () => ({ position: 3 }),
      }),
      limits: { deviceCleanupMs: 10 },
    }).up();
    const going = expect(world.callDevice(arm, calling('move'), marks)).rejects.toMatchObject({
      effect: 'maybe',
    });
    expect(await world.agent.reportDevice(arm)).toEqual({ position: 3 });
    const stopped = world.agent.stop('test');
    await world.time.advance(60_000);
    await stopped;
    await going;
  });
});

describe('the list of devices', () => {
  it('starts missing devices, keeps equal ones, restarts changed ones and stops removed ones', async () => {
    const cleaned: string[] = [];
    const world = await new World({
      devices: [device('a'), device('b'), device('c')],
      device: (assignment: DeviceAssignment) => ({
        functions: [],
        cleanUp: async () => {
          cleaned.push(assignment.name);
        },
      }),
    }).up();
    const lives = (name: string): number => world.deviceProcesses.started.get(`lab.${name}`)?.length ?? 0;
    world.agent.assignDevices([device('a'), device('b', { speed: 2 }), device('d')], { epoch: 1 });
    await world.time.advance(0);
    expect([lives('a'), lives('b'), lives('c'), lives('d')]).toEqual([1, 2, 1, 1]);
    expect(cleaned.sort()).toEqual(['b', 'c']);
    expect(world.agent.devices().map((status) => status.name)).toEqual(['a', 'b', 'd']);
    expect(world.deviceProcesses.alive('lab', 'c')).toBe(0);
  });

  it('starts the new process of a changed device only when the old one is gone', async () => {
    const slow = deferred();
    const world = await new World({
      devices: [device('arm')],
      device: (_, life) => ({
        functions: [],
        cleanUp: () => (life === 1 ? slow.promise : Promise.resolve()),
      }),
    }).up();
    world.agent.assignDevices([device('arm', { speed: 2 })], {});
    await world.time.advance(1_000);
    expect(world.deviceProcesses.started.get('lab.arm')).toHaveLength(1);
    slow.resolve();
    await world.time.advance(0);
    expect(world.deviceProcesses.started.get('lab.arm')).toHaveLength(2);
    expect(world.deviceProcesses.alive('lab', 'arm')).toBe(1);
  });

  it('lets the effect in progress of a changed device end in its own time before it cleans up', async () => {
    const { world, puppet } = await withPuppet({ timeouts: { first: 900 } });
    const call = world.callDevice(arm, calling('first'), marks);
    await world.time.advance(0);
    world.agent.assignDevices([device('arm', { speed: 2 })], {});
    await world.time.advance(600_000);
    expect(world.deviceProcesses.latest('lab', 'arm').signals).toEqual([]);
    puppet.end('first', 'hot');
    expect(await call).toBe('hot');
    await world.time.advance(0);
    expect(world.deviceProcesses.started.get('lab.arm')).toHaveLength(2);
    expect(world.state('arm')).toBe('idle');
  });

  it('does not wait for a long effect when the agent stops', async () => {
    const { world } = await withPuppet({ timeouts: { first: 900 } });
    const call = expect(world.callDevice(arm, calling('first'), marks)).rejects.toMatchObject({
      effect: 'maybe',
    });
    await world.time.advance(0);
    world.agent.assignDevices([], {});
    let stopped = false;
    const stopping = world.agent.stop('test').then(() => (stopped = true));
    await world.time.advance(52_000);
    expect(stopped).toBe(true);
    await Promise.all([stopping, call]);
  });

  it('ends a device that does not clean up by SIGTERM, then SIGKILL', async () => {
    const world = await new World({
      devices: [device('arm')],
      device: () => ({ functions: [], cleanUp: () => new Promise(() => undefined) }),
    }).up();
    const process = world.deviceProcesses.latest('lab', 'arm');
    process.onTerm(() => undefined);
    world.agent.assignDevices([], {});
    await world.time.advance(30_000);
    expect(process.signals).toEqual(['SIGTERM']);
    await world.time.advance(5_000);
    expect(process.signals).toEqual(['SIGTERM', 'SIGKILL']);
    expect(world.agent.devices()).toEqual([]);
  });

  it('announces busy and idle at most every 100 ms, and always the last state', async () => {
    const world = await new World({ devices: [device('arm')] }).up();
    await world.time.advance(1_000);
    const before = world.announcer.statuses.length;
    for (let n = 0; n < 50; n += 1) await world.callDevice(arm, calling('move'), marks);
    expect(world.announcer.statuses.length - before).toBeLessThanOrEqual(2);
    await world.time.advance(200);
    expect(world.announcer.statuses.at(-1)?.state).toBe('idle');
  });
});
