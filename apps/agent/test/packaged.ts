import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { Lab } from './lab.js';

const run = promisify(execFile);
const tool = fileURLToPath(new URL('../../../tools/run.mjs', import.meta.url));

export interface Made {
  platform: string;
  path: string;
  bytes: number;
  sha256: string;
}

/** Makes packages of the agent into a folder. @param args of the command, beside the folder */
export async function makePackages(folder: string, ...args: string[]): Promise<Made[]> {
  const { stdout } = await run(process.execPath, [tool, 'package/package', '--out', folder, ...args]);
  return (JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { packages: Made[] }).packages;
}

/** Unpacks a package into an empty folder. @returns the folder with the launcher */
export async function unpack(archive: string, folder: string): Promise<string> {
  await mkdir(folder);
  if (archive.endsWith('.zip')) await run('unzip', ['-q', archive, '-d', folder]);
  else await run('tar', ['-xzf', archive, '-C', folder]);
  const [name = '', ...others] = await readdir(folder);
  expect(others).toEqual([]);
  return join(folder, name);
}

/** The manifest of an unpacked package, after a check that it names every file with its SHA-256, and no other. */
export async function checkedManifest(folder: string): Promise<Record<string, unknown>> {
  const { files, ...manifest } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    files: Record<string, string>;
  };
  const found = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  expect([...Object.keys(files), 'manifest.json'].sort()).toEqual(found.sort());
  for (const [path, hash] of Object.entries(files)) {
    expect(
      createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex'),
      path,
    ).toBe(hash);
  }
  return manifest;
}

/** How a computer runs the unpacked program. */
export interface Machine {
  /** Starts the launcher. */
  start(args: string[]): ChildProcess;
  /** Kills a process by the number that it has for itself. */
  kill(pid: number): Promise<void>;
}

/** This computer, with nothing in the environment and no program on the PATH. @param folder of an unpacked package */
export function thisMachine(folder: string): Machine {
  const options = {
    env: { PATH: '' },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
  };
  return {
    start: (args) => spawn(join(folder, 'svc-agent'), args, options),
    kill: (pid) => Promise.resolve(void process.kill(pid, 'SIGKILL')),
  };
}

/** Runs a command of the program to its end, with 0. @returns its lines */
export async function said(machine: Machine, ...args: string[]): Promise<string[]> {
  const child = machine.start(args);
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    if (input !== null) createInterface({ input }).on('line', (line) => lines.push(line));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code, lines.join('\n')).toBe(0);
  return lines;
}

/**
 * A day of an agent that has joined: a device call, tasks, the crash of a device, and the stop in order with `_cleanup`.
 */
export async function liveThrough(lab: Lab, machine: Machine): Promise<void> {
  const data = join(lab.dataDir, 'data');
  const trace = join(lab.dataDir, 'trace');
  await mkdir(join(data, 'keys'), { recursive: true });
  await writeFile(join(data, 'keys', 'broker'), lab.natsUrl);
  const joined = { version: 1, computer: 'bench_b', env: { SVC_NATS_URL_FILE: 'keys/broker' } };
  await writeFile(join(data, 'joined.json'), JSON.stringify(joined));
  lab.assigned.set('bench_b', [lab.device('arm', { trace }), lab.device('leg')]);
  const agent = lab.adopt(machine.start(['run', '--data', data]));
  await lab.until('the agent is online', () => lab.online.has('bench_b'), 60_000);
  for (const device of ['arm', 'leg']) await lab.deviceIs(device, 'idle');

  const call = async (name: string, on: string, options: Parameters<Lab['task']>[1] = {}) => {
    const parameters = { mode: 'call', function: name, args: { to: 'a3' } };
    const task = lab.task(parameters, { arm: { computer: 'bench_b', name: on }, ...options });
    await lab.start(task, 'bench_b');
    const outcome = await lab.outcome(task.attempt_id, 60_000);
    expect(outcome).toMatchObject({ kind: 'completed' });
    return outcome.kind === 'completed' ? outcome.output_parameters['said'] : undefined;
  };
  expect(await call('move', 'arm')).toEqual({ at: 'a3' });
  const leg = (await call('where', 'leg', { isolation: 'thread' })) as number;

  const before = lab.changes.length;
  await machine.kill(leg);
  const states = (): string[] =>
    lab.changes.slice(before).flatMap(({ name, state }) => (name === 'leg' ? [state] : []));
  await lab.until('the leg is lost and comes back', () => {
    const lostAt = states().findIndex((state) => state !== 'idle');
    return lostAt >= 0 && states().lastIndexOf('idle') > lostAt;
  });

  expect(await said(machine, 'stop', '--data', data)).toEqual([
    expect.stringMatching(/^the agent, process \d+, has stopped$/),
  ]);
  expect(await agent.gone).toEqual([0, null]);
  expect(lab.left).toEqual(['bench_b']);
  expect(readFileSync(trace, 'utf8')).toBe('move a3\ncleaned up\n');
  expect(existsSync(join(data, 'stop-requested'))).toBe(false);
}
