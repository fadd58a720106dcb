import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { agentRequests, orchestratorRequests, ServiceError, type DeviceFunction } from '@lab/contracts';
import { ReachedNobody } from '@lab/messaging';
import { ScriptedRequests } from '../twins.js';
import { LeaderWatch } from '@lab/messaging';
import { Orchestrator } from '../../src/orchestrator/orchestrator.js';
import { DeviceCalls } from '../../src/devices/device-calls.js';
import { DeviceLocator } from '../../src/devices/device-locator.js';

const { locateDevice } = orchestratorRequests;
const { callDevice, readClock } = agentRequests;

let requests: ScriptedRequests;
let calls: DeviceCalls;
let inc: number;
let functions: DeviceFunction[];

beforeEach(() => {
  inc = 7;
  functions = ['move', 'f'].map((name) => ({ name, kind: 'effect' }));
  requests = new ScriptedRequests()
    .on(locateDevice, () => ({ computer: 'bench_b', inc, functions }))
    .on(readClock, () => ({ now_ms: 12.5 }))
    .on(callDevice, ({ arguments: given }) => ({ result: given }));
  calls = new DeviceCalls(
    requests,
    new DeviceLocator(new Orchestrator(requests, new LeaderWatch(), { ms: 0 })),
  );
});

/** Fails calls to incarnation 7 with the error, and lets those to later ones pass. */
function failing(error: ServiceError): void {
  requests.on(callDevice, (_body, tokens) => {
    if (tokens.inc === '7') throw error;
    return { result: 'from the new agent' };
  });
}

const allow = (): Promise<void> => Promise.resolve();
const call = (): Promise<unknown> => calls.call('color_lab', 'arm', 'move', { to: 'a' }, 'ann', allow);

describe('a device call', () => {
  it('goes to the agent and incarnation that run the device, with unchanged parameters', async () => {
    expect(await call()).toEqual({ to: 'a' });
    expect(requests.of(callDevice)).toEqual([
      {
        name: callDevice.name,
        tokens: { computer: 'bench_b', inc: '7', lab: 'color_lab', device: 'arm' },
        body: {
          call_id: expect.any(String) as string,
          function: 'move',
          arguments: { to: 'a' },
          by: 'ann',
          as_of_ms: 12.5,
        },
        options: { inc: 7, timeoutMs: 65_000 },
      },
    ]);
  });

  it('gives null for a function that returns nothing', async () => {
    requests.on(callDevice, () => ({}));
    expect(await call()).toBeNull();
  });

  it('looks a device up once for queries, also when many calls arrive at once', async () => {
    functions = [{ name: 'move', kind: 'query' }];
    await Promise.all([call(), call(), call()]);
    await call();
    expect(requests.of(locateDevice)).toHaveLength(1);
  });

  it('looks a device up once for all calls if nothing is to be checked', async () => {
    const free = (): Promise<unknown> => calls.call('l', 'arm', 'move', {}, 'ann', undefined);
    await free();
    await free();
    expect(requests.of(locateDevice)).toHaveLength(1);
  });

  describe('waits five seconds longer than the timeout of the function', () => {
    afterEach(() => {
      vi.useRealTimers();
    });
    const waited = (): unknown[] => requests.of(callDevice).map(({ options }) => options.timeoutMs);

    it('according to its declaration', async () => {
      functions = [{ name: 'move', kind: 'effect', timeout_s: 900 }];
      await call();
      expect(waited()).toEqual([905_000]);
    });

    it('also when the device was looked up before its functions were known', async () => {
      functions = [];
      await call();
      functions = [{ name: 'move', kind: 'effect', timeout_s: 900 }];
      await call();
      await call();
      expect(waited()).toEqual([65_000, 905_000, 905_000]);
    });

    it('also when the declaration of a query changed more than ten seconds ago', async () => {
      vi.useFakeTimers({ toFake: ['performance'] });
      functions = [{ name: 'move', kind: 'query' }];
      await call();
      functions = [{ name: 'move', kind: 'query', timeout_s: 900 }];
      vi.advanceTimersByTime(9_999);
      await call();
      vi.advanceTimersByTime(1);
      await call();
      expect(waited()).toEqual([65_000, 65_000, 905_000]);
    });
  });

  it('distinguishes devices of different labs with the same name', async () => {
    functions = [{ name: 'f', kind: 'query' }];
    await calls.call('a', 'bc', 'f', {}, 'ann', allow);
    await calls.call('ab', 'c', 'f', {}, 'ann', allow);
    expect(requests.of(locateDevice)).toHaveLength(2);
  });

  it('that acts is checked with the task that holds the device at this moment, without another round', async () => {
    await call();
    requests.sent.length = 0;
    const asked: unknown[] = [];
    requests.on(locateDevice, () => ({ computer: 'bench_b', inc, functions, held_by: 'mix_1/carry' }));
    const permit = (holder: string | undefined, declared: DeviceFunction | undefined): Promise<void> => {
      asked.push(holder, declared?.kind);
      return Promise.reject(new ServiceError('device_in_use', 'held'));
    };
    const refused = calls.call('color_lab', 'arm', 'move', {}, 'ann', permit);
    await expect(refused).rejects.toMatchObject({ code: 'device_in_use' });
    expect(asked).toEqual(['mix_1/carry', 'effect']);
    expect(requests.sent.map(({ name }) => name)).toEqual([readClock.name, locateDevice.name]);
  });

  it('looks the device up again after a failed look-up', async () => {
    requests.on(locateDevice, () => {
      throw new ServiceError('agent_unreachable', 'away');
    });
    await expect(call()).rejects.toMatchObject({ code: 'agent_unreachable' });
    requests.on(locateDevice, () => ({ computer: 'bench_b', inc, functions }));
    expect(await call()).toEqual({ to: 'a' });
  });

  it.each([
    ['reaching nobody', new ReachedNobody('nobody serves it')],
    ['stale_message', new ServiceError('stale_message', 'no')],
    ['unknown_device', new ServiceError('unknown_device', 'no')],
  ])('is sent once more, to the present agent of the device, after %s without effect', async (_, error) => {
    functions = [{ name: 'move', kind: 'query' }];
    await call();
    failing(error);
    inc = 8;
    expect(await call()).toBe('from the new agent');
    expect(requests.of(callDevice).map(({ tokens }) => tokens.inc)).toEqual(['7', '7', '8']);
    await call();
    expect(requests.of(locateDevice)).toHaveLength(2);
  });

  it.each([
    ['service_unavailable', 'none'],
    ['service_unavailable', 'maybe'],
    ['stale_message', 'maybe'],
    ['disconnected', 'maybe'],
    ['deadline_exceeded', 'maybe'],
    ['device_error', 'done'],
    ['device_error', 'none'],
    ['device_unavailable', 'none'],
    ['unknown_function', 'none'],
  ] as const)('is never sent again after %s with effect %s', async (code, effect) => {
    failing(new ServiceError(code, 'no', { effect }));
    await expect(call()).rejects.toMatchObject({ code, effect, message: 'no' });
    expect(requests.of(callDevice)).toHaveLength(1);
  });

  it.each([
    ['nobody', new ReachedNobody('nobody serves it')],
    ['stale_message', new ServiceError('stale_message', 'no')],
  ])('reports an unavailable agent after %s twice', async (_, error) => {
    failing(error);
    await expect(call()).rejects.toMatchObject({ code: 'agent_unreachable', effect: 'none' });
    expect(requests.of(callDevice)).toHaveLength(2);
  });

  it('reports the effect of the second failure', async () => {
    let count = 0;
    requests.on(callDevice, () => {
      count += 1;
      throw count === 1
        ? new ReachedNobody('gone')
        : new ServiceError('deadline_exceeded', 'late', { effect: 'maybe' });
    });
    await expect(call()).rejects.toMatchObject({ code: 'deadline_exceeded', effect: 'maybe' });
    expect(count).toBe(2);
  });
});
