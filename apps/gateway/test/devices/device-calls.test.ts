import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { agentRequests, orchestratorRequests, ServiceError, type DeviceFunction } from '@lab/contracts';
import { ReachedNobody } from '@lab/messaging';
import { ScriptedRequests } from '../twins.js';
import { LeaderWatch } from '@lab/messaging';
import { Orchestrator } from '../../src/orchestrator/orchestrator.js';
import { DeviceCalls, type Permit } from '../../src/devices/device-calls.js';
import { DeviceLocator } from '../../src/devices/device-locator.js';
import { TakenDevices } from '../../src/devices/taken-devices.js';

const { locateDevice } = orchestratorRequests;
const { callDevice, readClock } = agentRequests;

let requests: ScriptedRequests;
let calls: DeviceCalls;
let inc: number;
let fence: number;
let leaders: LeaderWatch;
let taken: TakenDevices;
let functions: DeviceFunction[];

beforeEach(() => {
  inc = 7;
  fence = 3;
  leaders = new LeaderWatch();
  taken = new TakenDevices();
  functions = ['move', 'f'].map((name) => ({ name, kind: 'effect' }));
  requests = new ScriptedRequests()
    .on(locateDevice, () => ({ computer: 'bench_b', inc, functions, fence }))
    .on(readClock, () => ({ now_ms: 12.5 }))
    .on(callDevice, ({ arguments: given }) => ({ result: given }));
  calls = new DeviceCalls(
    requests,
    new DeviceLocator(new Orchestrator(requests, leaders, { ms: 0 }), leaders, taken),
  );
});

/** Fails calls to incarnation 7 with the error, and lets those to later ones pass. */
function failing(error: ServiceError): void {
  requests.on(callDevice, (_body, tokens) => {
    if (tokens.inc === '7') throw error;
    return { result: 'from the new agent' };
  });
}

const allow: Permit = { force: false, admit: () => Promise.resolve() };
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
        options: { inc: 7, timeoutMs: 65_000, fence: { 'color_lab.arm': 3 } },
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

  describe('that acts', () => {
    const held = (holder: string | undefined): void => {
      requests.on(locateDevice, () => ({ computer: 'bench_b', inc, functions, fence, held_by: holder }));
    };
    /** Notes what it is asked, and refuses a device that a task has. */
    const asked: unknown[] = [];
    const careful: Permit = {
      force: false,
      admit: (holder, declared) => {
        asked.push([holder, declared?.kind]);
        if (holder === undefined) return Promise.resolve();
        return Promise.reject(new ServiceError('device_in_use', `held by ${holder}`));
      },
    };
    const act = (permit = careful): Promise<unknown> =>
      calls.call('color_lab', 'arm', 'move', {}, 'ann', permit);
    beforeEach(() => {
      asked.length = 0;
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it('asks nobody again while the device was free a moment ago', async () => {
      await act();
      requests.sent.length = 0;
      await act();
      expect(requests.sent.map(({ name }) => name)).toEqual([callDevice.name]);
      expect(requests.of(callDevice)[0]?.options.fence).toEqual({ 'color_lab.arm': 3 });
    });

    it('asks again what is one second old, and renews what is half a second old beside the call', async () => {
      vi.useFakeTimers({ toFake: ['performance'] });
      await act();
      vi.advanceTimersByTime(500);
      await act();
      expect(requests.of(locateDevice)).toHaveLength(2);
      vi.advanceTimersByTime(1_000);
      held('mix_1/carry');
      await expect(act()).rejects.toMatchObject({ code: 'device_in_use' });
      expect(requests.of(callDevice)).toHaveLength(2);
    });

    it('asks again when a task got the device', async () => {
      await act();
      taken.hear(['color_lab.stirrer']);
      await act();
      expect(requests.of(locateDevice)).toHaveLength(1);
      held('mix_1/carry');
      taken.hear(['color_lab.arm']);
      await expect(act()).rejects.toMatchObject({ code: 'device_in_use' });
    });

    it('asks again when the connection to the broker was lost meanwhile', async () => {
      await act();
      held('mix_1/carry');
      taken.miss();
      await expect(act()).rejects.toMatchObject({ code: 'device_in_use' });
    });

    it('asks again when another orchestrator leads', async () => {
      leaders.hear(1);
      await act();
      leaders.hear(2);
      held('mix_1/carry');
      await expect(act()).rejects.toMatchObject({ code: 'device_in_use' });
    });

    it('is refused when the agent knows that a task got the device since', async () => {
      await act();
      requests.on(callDevice, () => {
        throw new ServiceError('device_in_use', 'fence 3 is older than 4');
      });
      fence = 4;
      held('mix_1/carry');
      asked.length = 0;
      await expect(act()).rejects.toMatchObject({ code: 'device_in_use', message: 'held by mix_1/carry' });
      expect(asked).toEqual([
        [undefined, 'effect'],
        ['mix_1/carry', 'effect'],
      ]);
    });

    it('is never refused for a task that had the device a moment ago', async () => {
      held('mix_1/carry');
      await expect(act()).rejects.toMatchObject({ code: 'device_in_use' });
      held(undefined);
      expect(await act()).toEqual({});
    });

    it('is checked with the present task when it is forced, and the agent compares no fence', async () => {
      const holders: unknown[] = [];
      const forced: Permit = {
        force: true,
        admit: (holder) => {
          holders.push(holder);
          return Promise.resolve();
        },
      };
      await act(forced);
      held('mix_1/carry');
      await act(forced);
      expect(holders).toEqual([undefined, 'mix_1/carry']);
      expect(requests.of(callDevice).map(({ options }) => options.fence)).toEqual([undefined, undefined]);
    });

    it('is checked when the agent answers that the function is no query any more', async () => {
      functions = [{ name: 'move', kind: 'query' }];
      await act();
      expect(asked).toEqual([]);
      functions = [{ name: 'move', kind: 'effect' }];
      held('mix_1/carry');
      requests.on(callDevice, (body) => {
        expect(body.query).toBe(true);
        throw new ServiceError('stale_message', 'no query now');
      });
      await expect(act()).rejects.toMatchObject({ code: 'device_in_use' });
    });
  });

  describe('carries a reading of the clock of the agent', () => {
    afterEach(() => {
      vi.useRealTimers();
    });
    const readings = (): unknown[] =>
      requests.of(callDevice).map(({ body }) => (body as { as_of_ms: number }).as_of_ms);

    it('which the answer to the call before brought', async () => {
      requests.on(callDevice, () => ({ now_ms: 99 }));
      await call();
      await call();
      expect(readings()).toEqual([12.5, 99]);
      expect(requests.of(readClock)).toHaveLength(1);
    });

    it('which is new after a pause', async () => {
      vi.useFakeTimers({ toFake: ['performance'] });
      await call();
      vi.advanceTimersByTime(1_000);
      requests.on(readClock, () => ({ now_ms: 1_012.5 }));
      await call();
      expect(readings()).toEqual([12.5, 1_012.5]);
    });

    it('which is new when the agent refuses the call as late', async () => {
      requests.on(callDevice, ({ as_of_ms: asOf }) => {
        if (asOf < 50) throw new ServiceError('late_message', 'late');
        return { result: 'moved' };
      });
      await expect(call()).rejects.toMatchObject({ code: 'late_message' });
      requests.on(readClock, () => ({ now_ms: 50 }));
      expect(await call()).toBe('moved');
    });
  });

  it('looks the device up again after a failed look-up', async () => {
    requests.on(locateDevice, () => {
      throw new ServiceError('agent_unreachable', 'away');
    });
    await expect(call()).rejects.toMatchObject({ code: 'agent_unreachable' });
    requests.on(locateDevice, () => ({ computer: 'bench_b', inc, functions, fence }));
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
