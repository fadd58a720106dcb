import { afterEach, describe, expect, it } from 'vitest';
import { startChild, type RunningChild } from '../../src/process/child.js';
import { identify } from '../../src/process/identity.js';
import {
  Supervision,
  type SupervisionEvent,
  type SupervisionOptions,
} from '../../src/process/supervision.js';

/** Timers that fire when the test says so and record their delays. */
class ManualTimers {
  readonly waits: number[] = [];
  #next: (() => void) | undefined;
  time = 0;

  now(): number {
    return this.time;
  }

  after(ms: number, callback: () => void): () => void {
    this.waits.push(ms);
    this.#next = callback;
    return () => {
      this.#next = undefined;
    };
  }

  fire(): void {
    const next = this.#next;
    this.#next = undefined;
    next?.();
  }
}

const running: Supervision[] = [];
afterEach(async () => {
  for (const supervision of running.splice(0)) await supervision.stop();
});

function launchReal(signal: AbortSignal): Promise<RunningChild> {
  let up: () => void = () => undefined;
  const said = new Promise<Record<string, unknown>>((resolve) => {
    up = () => resolve({});
  });
  return startChild(
    {
      name: 'script',
      command: { program: process.execPath, args: ['-e', 'setInterval(() => {}, 1000); console.log("up")'] },
      env: {},
      ready: () => said,
      startTimeoutMs: 10_000,
      stopTimeoutMs: 5_000,
      onLine: () => up(),
    },
    signal,
  );
}

function supervise(options: Partial<SupervisionOptions> = {}) {
  const events: SupervisionEvent[] = [];
  const timers = new ManualTimers();
  const supervision = new Supervision({
    name: 'script',
    launch: launchReal,
    onEvent: (event) => events.push(event),
    timers,
    clock: timers,
    ...options,
  });
  running.push(supervision);
  const count = (type: SupervisionEvent['type']): number =>
    events.filter((event) => event.type === type).length;
  const crash = async (): Promise<void> => {
    const before = count('exited');
    process.kill(supervision.child?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => count('exited'), { timeout: 10_000 }).toBe(before + 1);
  };
  const restart = async (): Promise<void> => {
    const before = count('ready');
    timers.fire();
    await expect.poll(() => count('ready'), { timeout: 10_000 }).toBe(before + 1);
  };
  return { supervision, events, timers, crash, restart };
}

describe('a supervised child', () => {
  it('is restarted after it ended, with waits that double up to a maximum', async () => {
    const { supervision, timers, crash, restart } = supervise({ longestMs: 1_500 });
    await supervision.start();
    for (let i = 0; i < 4; i++) {
      await crash();
      await restart();
    }
    expect(timers.waits).toEqual([500, 1_000, 1_500, 1_500]);
  });

  it('begins with the shortest wait again after it was healthy for long enough', async () => {
    const { supervision, timers, crash, restart } = supervise();
    await supervision.start();
    await crash();
    await restart();
    timers.time += 59_999;
    await crash();
    await restart();
    timers.time += 60_000;
    await crash();
    expect(timers.waits).toEqual([500, 1_000, 500]);
  });

  it('is restarted again when a restart fails', async () => {
    let broken = false;
    const { supervision, timers, events, crash, restart } = supervise({
      launch: (signal) => (broken ? Promise.reject(new Error('no port')) : launchReal(signal)),
    });
    await supervision.start();
    broken = true;
    await crash();
    timers.fire();
    await expect.poll(() => events.at(-1)).toMatchObject({ type: 'restart_failed', retryInMs: 1_000 });
    broken = false;
    await restart();
    expect(supervision.child).toBeDefined();
  });

  it('is not started again when its first start fails', async () => {
    const { supervision, timers } = supervise({ launch: () => Promise.reject(new Error('no program')) });
    await expect(supervision.start()).rejects.toThrow('no program');
    expect(timers.waits).toEqual([]);
  });

  it('does not return after it was stopped, also when it had just crashed', async () => {
    const { supervision, timers, events, crash } = supervise();
    await supervision.start();
    await crash();
    await supervision.stop();
    timers.fire();
    expect(events.filter(({ type }) => type === 'ready')).toHaveLength(1);
    expect(supervision.child).toBeUndefined();
  });

  it('stays down once its restarts have ended, whether it ended before or after that', async () => {
    const before = supervise();
    await before.supervision.start();
    await before.crash();
    before.supervision.endRestarts();
    before.timers.fire();
    const after = supervise();
    await after.supervision.start();
    after.supervision.endRestarts();
    expect(after.supervision.child).toBeDefined();
    process.kill(after.supervision.child?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => after.supervision.child, { timeout: 10_000 }).toBeUndefined();
    expect(after.timers.waits).toEqual([]);
    for (const { events } of [before, after])
      expect(events.filter(({ type }) => type === 'ready')).toHaveLength(1);
  });

  it('does not return when it was ended before its turn to stop', async () => {
    const { supervision, timers, events } = supervise();
    const child = await supervision.start();
    supervision.hurry();
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await supervision.stop();
    timers.fire();
    expect(events.map(({ type }) => type)).toEqual(['ready']);
  });

  it('is gone when its stop resolves, also during its start', async () => {
    const { supervision } = supervise();
    let pid = 0;
    const started = supervision.start().then(
      (child) => {
        pid = child.pid;
      },
      (error: unknown) => expect(String(error)).toContain('called off'),
    );
    await supervision.stop();
    await started;
    expect(pid === 0 || identify(pid) === undefined).toBe(true);
  });
});
