import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acquireLock, processEnvironment } from '@lab/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockOf } from '../../src/installation/index.js';
import { keep, programIn, readPointer, type Program } from '../../src/keeping/index.js';
import { Versions, type Behaviour } from './programs.js';

/** A keeper in this process, or a real one, with small real programs in place of the agent. */

const program = fileURLToPath(new URL('../../dist/svc-agent.js', import.meta.url));
let versions: Versions;
let signals: EventEmitter;
let said: string[];
const running: Promise<number>[] = [];
const processes: ChildProcess[] = [];

beforeEach(() => {
  versions = new Versions();
  signals = new EventEmitter();
  said = [];
});
afterEach(async () => {
  signals.emit('SIGTERM', 'SIGTERM');
  await Promise.all(running.splice(0));
  for (const child of processes.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'close');
      child.kill('SIGTERM');
      await gone;
    }
  }
  versions.remove();
});

/** Starts a keeper whose installed package behaves as given. */
function start(
  installed: Behaviour | Program = 'good',
  trialMs = 20_000,
  version = '0.1.0',
): Promise<number> {
  const own =
    typeof installed === 'string'
      ? (programIn(join(versions.installed(installed), '..')) as Program)
      : installed;
  const kept = keep({
    ...{ data: versions.data, args: ['--computer', 'bench_b'], trialMs, stopMs: 1_000 },
    ...{ installed: { version, program: own }, signals: signals as never, say: (line) => said.push(line) },
  });
  running.push(kept.catch(() => 0));
  return kept;
}
const events = (...wanted: string[]): Promise<void> =>
  expect.poll(() => versions.events, { timeout: 20_000 }).toEqual(wanted);
const pointer = () => readPointer(versions.data);
const served = (): Promise<void> => expect.poll(() => pointer()?.trial, { timeout: 20_000 }).toBe(false);

describe('a keeper', () => {
  it('starts the installed package with its arguments, and ends with its exit code', async () => {
    expect(await start('crash')).toBe(3);
    expect(versions.args).toBe('run --kept --computer bench_b');
    expect(versions.events).toEqual(['installed started']);
    expect(existsSync(join(versions.data, 'keeper.lock'))).toBe(false);
  });

  it.each(['SIGTERM', 'SIGINT'])('passes %s on, and ends with the agent', async (signal) => {
    const ended = start();
    await events('installed started');
    signals.emit(signal, signal);
    expect(await ended).toBe(0);
    await events('installed started', `installed ${signal}`);
  });

  it('runs the version to which the pointer leads', async () => {
    versions.put('0.2.0', 'crash');
    versions.point({ version: '0.2.0' });
    expect(await start()).toBe(3);
    expect(versions.events).toEqual(['0.2.0 started']);
    expect(pointer()).toMatchObject({ version: '0.2.0', installed: '0.1.0', trial: false });
  });

  it('is the only one of its data folder', async () => {
    void start();
    await events('installed started');
    await expect(start()).rejects.toThrow(
      `an agent runs already with process ${process.pid} on ${versions.data}; stop it with "svc-agent stop"`,
    );
  });

  it('ends with 1 when the agent cannot be started', async () => {
    expect(await start({ command: join(versions.folder, 'none'), args: [], env: {} })).toBe(1);
  });
});

describe('a new version', () => {
  it('that serves is kept, with the one before, and older ones are removed', async () => {
    for (const version of ['0.0.9', '0.1.5', '0.2.0']) versions.put(version, 'good');
    versions.point({ version: '0.2.0', previous: '0.1.5', trial: true });
    void start();
    await served();
    expect(pointer()).toEqual({
      ...{ version: '0.2.0', previous: '0.1.5', trial: false, starts: 0, installed: '0.1.0' },
    });
    expect(['0.0.9', '0.1.5', '0.2.0'].map((version) => existsSync(versions.place(version)))).toEqual([
      false,
      true,
      true,
    ]);
    expect(said).toEqual(['version 0.2.0 serves']);
    await events('0.2.0 started');
  });

  it('is started when the agent stops and the pointer has changed', async () => {
    versions.put('0.2.0', 'good');
    void start('stops');
    await events('installed started');
    versions.point({ version: '0.2.0', trial: true });
    versions.signal('stop');
    await served();
    await events('installed started', '0.2.0 started');
  });

  it('that served and crashes later ends the keeper, as without an update', async () => {
    versions.put('0.2.0', 'stops');
    versions.point({ version: '0.2.0', trial: true });
    const ended = start();
    await served();
    versions.signal('fall');
    expect(await ended).toBe(7);
    expect(pointer()).toMatchObject({ version: '0.2.0', trial: false });
    expect(pointer()?.failed).toBeUndefined();
  });

  it.each([
    ['crashes', 'crash', 'it ended with exit code 3', ['0.2.0 started']],
    ['never serves', 'mute', 'it did not serve within 1.5 s', ['0.2.0 started', '0.2.0 closed']],
    ['hangs', 'stubborn', 'it did not serve within 1.5 s', ['0.2.0 started', '0.2.0 closed']],
  ] as const)('that %s gives way to the version before', async (_what, behaviour, why, before) => {
    versions.put('0.1.5', 'good');
    versions.put('0.2.0', behaviour);
    versions.point({ version: '0.2.0', previous: '0.1.5', trial: true });
    void start('good', 1_500);
    await events(...before, '0.1.5 started');
    expect(pointer()).toMatchObject({
      ...{ version: '0.1.5', trial: false, previous: null },
      failed: { version: '0.2.0', why },
    });
    expect(said).toEqual([`version 0.2.0 failed: ${why}; version 0.1.5 runs again`]);
  });

  it('that cannot be started gives way to the installed package', async () => {
    versions.point({ version: '0.2.0', trial: true });
    void start();
    await events('installed started');
    expect(pointer()).toMatchObject({ version: null, failed: { version: '0.2.0' } });
    expect(pointer()?.failed?.why).toContain('its program is missing');
  });

  it('that was started twice without serving is not started again', async () => {
    versions.put('0.2.0', 'good');
    versions.point({ version: '0.2.0', trial: true, starts: 2 });
    void start();
    await events('installed started');
    expect(pointer()?.failed?.why).toBe('it was started 2 times and never served');
  });

  it('that is stopped in order before it serves is tried again', async () => {
    versions.put('0.2.0', 'mute');
    versions.point({ version: '0.2.0', trial: true, starts: 1 });
    const ended = start();
    await events('0.2.0 started');
    signals.emit('SIGTERM', 'SIGTERM');
    expect(await ended).toBe(0);
    expect(pointer()).toMatchObject({ version: '0.2.0', trial: true, starts: 1 });
    expect(pointer()?.failed).toBeUndefined();
  });

  it('waits for an agent whose keeper was killed', async () => {
    versions.put('0.2.0', 'good');
    versions.point({ version: '0.2.0', trial: true });
    const lock = acquireLock(lockOf(versions.data));
    void start();
    await expect.poll(() => existsSync(join(versions.data, 'keeper.lock'))).toBe(true);
    versions.note('the former agent ends');
    lock.release();
    await events('the former agent ends', '0.2.0 started');
  });

  it('that is missing later is replaced by the installed package', async () => {
    versions.point({ version: '0.2.0' });
    expect(await start('crash')).toBe(3);
    expect(said[0]).toContain('the installed version 0.1.0 runs instead');
    expect(pointer()).toMatchObject({ version: '0.2.0' });
  });

  it('gives way to a package that was installed by hand since', async () => {
    versions.put('0.2.0', 'good');
    versions.point({ version: '0.2.0', installed: '0.1.0' });
    expect(await start('crash', 1_000, '0.3.0')).toBe(3);
    expect(versions.events).toEqual(['installed started']);
    expect(pointer()).toBeUndefined();
    expect(said).toEqual(['version 0.3.0 was installed and runs instead of 0.2.0']);
  });
});

describe('the process of a keeper', () => {
  const launch = (
    ...more: string[]
  ): { child: ChildProcess; gone: Promise<unknown[]>; lines: () => string } => {
    const env = { ...processEnvironment(), SVC_AGENT_LAUNCHER: versions.installed('good') };
    const args = [program, 'run', '--data', versions.data, ...more];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    processes.push(child);
    let text = '';
    child.stderr.on('data', (piece: Buffer) => (text += piece.toString()));
    return { child, gone: once(child, 'close'), lines: () => text };
  };

  it.runIf(process.platform === 'linux')('takes a few mebibytes more than Node alone', async () => {
    const memory = (pid: number | undefined): number =>
      Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
    const bare = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => 0, 1e6)'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    processes.push(bare);
    await once(bare.stdout, 'data');
    const { child } = launch();
    await events('installed started');
    expect(memory(child.pid) - memory(bare.pid)).toBeLessThan(16);
  });

  it('that is killed leaves an agent that stops in order, and the trial goes on', async () => {
    versions.put('0.2.0', 'mute');
    versions.point({ version: '0.2.0', trial: true });
    const { child } = launch();
    await events('0.2.0 started');
    await expect.poll(() => pointer()?.starts).toBe(1);
    child.kill('SIGKILL');
    await events('0.2.0 started', '0.2.0 closed');
    versions.put('0.2.0', 'good');
    launch();
    await served();
    expect(pointer()).toMatchObject({ version: '0.2.0', trial: false });
  });

  it('goes back after two power cuts', async () => {
    versions.put('0.2.0', 'mute');
    versions.point({ version: '0.2.0', trial: true });
    for (const starts of [1, 2]) {
      const { child, gone } = launch();
      await expect.poll(() => pointer()?.starts, { timeout: 20_000 }).toBe(starts);
      child.kill('SIGKILL');
      await gone;
    }
    launch();
    await expect.poll(() => versions.events.at(-1), { timeout: 20_000 }).toBe('installed started');
    expect(pointer()?.failed).toMatchObject({ version: '0.2.0' });
  });

  it('refuses nothing itself: the agent refuses wrong arguments', async () => {
    const env = { ...processEnvironment(), SVC_AGENT_LAUNCHER: '' };
    const args = [program, 'run', `--data=${versions.data}`, '--wrong'];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const text = new Promise<string>((resolve) => {
      let all = '';
      child.stderr.on('data', (piece: Buffer) => (all += piece.toString())).on('end', () => resolve(all));
    });
    const [code] = (await once(child, 'close')) as [number];
    expect([code, await text]).toEqual([2, expect.stringContaining("unknown option '--wrong'")]);
  });

  it('is wanted by an agent that is told to have one', async () => {
    const child = spawn(process.execPath, [program, 'run', '--kept', '--data', versions.data], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    child.stderr.on('data', (piece: Buffer) => (text += piece.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect([code, text]).toEqual([
      1,
      expect.stringContaining('--kept is for the agent that "svc-agent run" starts'),
    ]);
  });
});
