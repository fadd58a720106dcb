import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryLog } from '@lab/actors/testing';
import { identify } from '@lab/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeviceProcessList } from '../src/device-process-list.js';

let folder: string;
let path: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-processes-'));
  path = join(folder, 'agent', 'device-processes.json');
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Starts a process that ends by itself after a time. */
async function child(seconds: number): Promise<{ pid: number; gone: Promise<unknown[]> }> {
  const process = spawn('sleep', [String(seconds)], { stdio: 'ignore' });
  children.push(process);
  await once(process, 'spawn');
  return { pid: process.pid ?? 0, gone: once(process, 'exit') };
}

const list = (): DeviceProcessList => new DeviceProcessList(path, new MemoryLog());
const recorded = async (): Promise<unknown> => JSON.parse(await readFile(path, 'utf8')) as unknown;

describe('the list of device processes', () => {
  it('waits for a process of an earlier agent, which can end by itself', async () => {
    const { pid, gone } = await child(1);
    list().add(pid);
    await list().endLeftovers();
    expect(await gone).toEqual([0, null]);
    expect(await recorded()).toEqual([]);
  });

  it('kills a process that does not end', async () => {
    const { pid, gone } = await child(600);
    list().add(pid);
    await list().endLeftovers();
    expect(await gone).toEqual([null, 'SIGKILL']);
  }, 15_000);

  it('does not touch another process that has received the same number', async () => {
    const { pid } = await child(600);
    const processes = list();
    processes.add(pid);
    await writeFile(path, JSON.stringify([{ pid, started: 'long ago' }]));
    await list().endLeftovers();
    expect(identify(pid)).toBeDefined();
  });

  it('forgets a process that is gone', async () => {
    const processes = list();
    const [first, second] = [await child(600), await child(600)];
    processes.add(first.pid);
    processes.add(second.pid);
    processes.remove(first.pid);
    expect(await recorded()).toEqual([identify(second.pid)]);
  });

  it('is empty when its file is missing or contains no list', async () => {
    await list().endLeftovers();
    await writeFile(path, '{"pid":');
    await list().endLeftovers();
    expect(await recorded()).toEqual([]);
  });
});
