import { describe, expect, it } from 'vitest';
import { startChild, type ChildOptions } from '../../src/process/child.js';
import { identify, isStillRunning } from '../../src/process/identity.js';

/** Runs a script of Node; it is ready when it prints "up". */
function scripted(script: string, options: Partial<ChildOptions> = {}) {
  const lines: string[] = [];
  let up: () => void = () => undefined;
  const said = new Promise<void>((resolve) => {
    up = resolve;
  });
  let pid = 0;
  const started = startChild({
    name: 'script',
    command: { program: process.execPath, args: ['-e', script] },
    env: { PATH: process.env.PATH },
    ready: () => said.then(() => ({ ready: true })),
    startTimeoutMs: 10_000,
    stopTimeoutMs: 5_000,
    onLine: (line) => {
      lines.push(line);
      if (line === 'up') up();
    },
    onSpawn: (number) => {
      pid = number;
    },
    ...options,
  });
  return { started, lines, pid: () => pid };
}

const forEver = 'setInterval(() => {}, 1000); console.log("up");';

describe('a child process', () => {
  it('is available once it is ready, and ends on the stop signal', async () => {
    const child = await scripted(forEver).started;
    expect(child.details).toEqual({ ready: true });
    expect(identify(child.pid)).toBeDefined();
    expect(await child.stop()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(identify(child.pid)).toBeUndefined();
  });

  it('is killed when it does not end in time', async () => {
    const stubborn = `process.on('SIGTERM', () => console.log('no')); ${forEver}`;
    const child = await scripted(stubborn, { stopTimeoutMs: 100 }).started;
    expect(await child.stop()).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('is killed at once when its stop is urgent', async () => {
    const stubborn = `process.on('SIGTERM', () => console.log('no')); ${forEver}`;
    const child = await scripted(stubborn, { stopTimeoutMs: 60_000 }).started;
    const stopping = child.stop();
    child.kill();
    expect(await stopping).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('that ends before it is ready is an error with the line that gives the reason', async () => {
    await expect(scripted('console.error("no table"); process.exit(4)').started).rejects.toThrow(
      'script did not start: no table',
    );
    await expect(scripted('null.x').started).rejects.toThrow(/^script did not start: TypeError: Cannot read/);
    await expect(scripted('process.exit(4)').started).rejects.toThrow('script did not start: exit code 4');
  });

  it('that is not ready in time is an error and is ended', async () => {
    const { started, pid } = scripted('setInterval(() => {}, 1000)', { startTimeoutMs: 300 });
    await expect(started).rejects.toThrow('script was not ready within 0.3 s');
    expect(identify(pid())).toBeUndefined();
  });

  it('is reported as ended even when its own child holds its output open', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      const own = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 3000)'], { stdio: 'inherit' });
      own.once('spawn', () => console.log('up'));`;
    const child = await scripted(script).started;
    const began = performance.now();
    await child.stop();
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('that cannot be executed is an error', async () => {
    await expect(
      scripted('', { command: { program: '/nowhere/program', args: [] } }).started,
    ).rejects.toThrow(/^script cannot be started: spawn \/nowhere\/program ENOENT/);
  });

  it('differs from a later process with the same number', async () => {
    const child = await scripted(forEver).started;
    const identity = identify(child.pid);
    if (identity === undefined) throw new Error('it does not run');
    expect(isStillRunning(identity)).toBe(true);
    if (process.platform !== 'win32')
      expect(isStillRunning({ ...identity, started: 'another time' })).toBe(false);
    await child.stop();
    expect(isStillRunning(identity)).toBe(false);
  });
});

describe('a cancelled start', () => {
  it('leaves no process', async () => {
    const callOff = new AbortController();
    let pid = 0;
    const started = startChild(
      {
        name: 'script',
        command: { program: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] },
        env: {},
        ready: () => new Promise(() => undefined),
        startTimeoutMs: 10_000,
        stopTimeoutMs: 5_000,
        onSpawn: (number) => {
          pid = number;
          callOff.abort();
        },
      },
      callOff.signal,
    );
    await expect(started).rejects.toThrow('the start of script was called off');
    expect(identify(pid)).toBeUndefined();
  });
});
