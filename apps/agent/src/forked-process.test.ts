import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryLog, type ProcessExit } from '@lab/actors';
import { zodSchema } from '@lab/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { ForkedProcess } from './forked-process.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-forked-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const pipes = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'PipeWrap').length;

it('a process whose own child holds its pipes open is told as ended, and costs no descriptor after that', async () => {
  const host = join(folder, 'host.mjs');
  await writeFile(
    host,
    `import { spawn } from 'node:child_process';
     const child = spawn('sleep', ['600'], { stdio: 'inherit', detached: true });
     process.send({ pid: child.pid }, () => process.exit(4));`,
  );
  const before = pipes();
  const log = new MemoryLog();
  const forked = new ForkedProcess({ host, messages: zodSchema(z.object({ pid: z.number() })), log });
  const told: number[] = [];
  forked.onMessage(({ pid }) => told.push(pid));
  try {
    const exit = await new Promise<ProcessExit>((resolve) => forked.onExit(resolve));
    expect(exit).toMatchObject({ code: 4, signal: null });
    await expect.poll(pipes).toBeLessThanOrEqual(before);
  } finally {
    for (const pid of told) process.kill(pid, 'SIGKILL');
  }
});
