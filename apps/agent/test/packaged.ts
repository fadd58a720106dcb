import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { Lab, RunningAgent } from './lab.js';

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
  await run('tar', ['-xzf', archive, '-C', folder]);
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

/** Starts an unpacked agent that has joined, with nothing in its environment and no program on its PATH. */
export async function startPackaged(lab: Lab, folder: string, data: string): Promise<RunningAgent> {
  await mkdir(join(data, 'keys'), { recursive: true });
  await writeFile(join(data, 'keys', 'broker'), lab.natsUrl);
  const joined = { version: 1, computer: 'bench_b', env: { SVC_NATS_URL_FILE: 'keys/broker' } };
  await writeFile(join(data, 'joined.json'), JSON.stringify(joined));
  const options = {
    env: { PATH: '' },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
  };
  return lab.adopt(spawn(join(folder, 'svc-agent'), ['run', '--data', data], options));
}

/** A day of an unpacked agent: a device call, a task, the crash of the device, and the stop in order with `_cleanup`. */
export async function liveThrough(lab: Lab, folder: string): Promise<void> {
  const data = join(lab.dataDir, 'data');
  const trace = join(lab.dataDir, 'trace');
  lab.assigned.set('bench_b', [lab.device('arm', { trace }), lab.device('leg')]);
  const agent = await startPackaged(lab, folder, data);
  for (const device of ['arm', 'leg']) await lab.deviceIs(device, 'idle');

  const moves = lab.task(
    { mode: 'call', function: 'move', args: { to: 'a3' } },
    { arm: { computer: 'bench_b' } },
  );
  await lab.start(moves, 'bench_b');
  expect(await lab.outcome(moves.attempt_id)).toMatchObject({ output_parameters: { said: { at: 'a3' } } });
  const asks = lab.task(
    { mode: 'call', function: 'where', args: {} },
    { arm: { computer: 'bench_b', name: 'leg' }, isolation: 'thread' },
  );
  await lab.start(asks, 'bench_b');
  const answer = (await lab.outcome(asks.attempt_id)) as { output_parameters?: { said?: number } };
  const leg = answer.output_parameters?.said ?? 0;
  const before = lab.changes.length;
  process.kill(leg, 'SIGKILL');
  const states = (): string[] =>
    lab.changes.slice(before).flatMap(({ name, state }) => (name === 'leg' ? [state] : []));
  await lab.until('the leg is lost and comes back', () => {
    const lostAt = states().findIndex((state) => state !== 'idle');
    return lostAt >= 0 && states().lastIndexOf('idle') > lostAt;
  });

  const program = join(folder, 'svc-agent');
  const { stdout } = await run(program, ['stop', '--data', data], { env: { PATH: '' } });
  expect(stdout).toBe(`the agent, process ${agent.child.pid}, has stopped\n`);
  expect(await agent.gone).toEqual([0, null]);
  expect(lab.left).toEqual(['bench_b']);
  expect(readFileSync(trace, 'utf8')).toBe('move a3\ncleaned up\n');
  expect(existsSync(join(data, 'stop-requested'))).toBe(false);
}
