import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zodSchema } from '@lab/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { ForkedProcess, type ForkedExit } from '../src/forked-process.js';
import { RecordedLog } from './recorded-log.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-forked-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const pipes = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'PipeWrap').length;

it('a process whose own child holds its pipes open is reported as ended and then needs no descriptor', async () => {
  const host = join(folder, 'host.mjs');
  await writeFile(
    host,
    `import { spawn } from 'node:child_process';
     const child = spawn('sleep', ['600'], { stdio: 'inherit', detached: true });
     process.send({ pid: child.pid }, () => process.exit(4));`,
  );
  const before = pipes();
  const log = new RecordedLog();
  const forked = new ForkedProcess({ host, messages: zodSchema(z.object({ pid: z.number() })), log });
  const told: number[] = [];
  forked.onMessage(({ pid }) => told.push(pid));
  try {
    const exit = await new Promise<ForkedExit>((resolve) => forked.onExit(resolve));
    expect(exit).toMatchObject({ code: 4, signal: null });
    await expect.poll(pipes).toBeLessThanOrEqual(before);
  } finally {
    for (const pid of told) process.kill(pid, 'SIGKILL');
  }
});

/** Starts a host of this code, which may send `{ said: <text> }`, and waits for its end. */
async function run(
  code: string,
  nodeOptions: string[] = [],
): Promise<{ said: string[]; exit: ForkedExit; log: RecordedLog }> {
  const host = join(folder, 'host.mjs');
  await writeFile(host, `import { writeSync } from 'node:fs';\n${code}`);
  const log = new RecordedLog();
  const messages = zodSchema(z.object({ said: z.string() }));
  const forked = new ForkedProcess<object, { said: string }>({ host, messages, log, nodeOptions });
  const said: string[] = [];
  forked.onMessage((message) => said.push(message.said));
  const exit = new Promise<ForkedExit>((resolve) => forked.onExit(resolve));
  forked.send({ ask: 'größer' });
  return { said, exit: await exit, log };
}

it('messages arrive in both directions, in order, the last one before the exit', async () => {
  const { said, exit } = await run(`
    process.on('message', ({ ask }) => {
      process.send({ said: ask });
      for (let n = 0; n < 1000; n += 1) process.send({ said: 'x'.repeat(n * 10) + n });
      process.send({ said: 'last' }, () => process.exit(0));
    });`);
  expect(exit).toEqual({ code: 0, signal: null, lastStderr: null });
  expect(said).toHaveLength(1002);
  expect([said[0], said[700]?.slice(-3), said.at(-1)]).toEqual(['größer', '699', 'last']);
});

it('a process that runs out of memory is reported with the limit of its memory', async () => {
  const { exit } = await run('const all = []; for (;;) all.push(new Array(1000).fill(all));', [
    '--max-old-space-size=16',
  ]);
  expect(exit).toEqual({
    code: null,
    signal: 'SIGABRT',
    lastStderr: 'it ran out of memory, of which JavaScript may use 16 MB',
  });
});

it('a process learns of the end of its agent in the same way as from Node', async () => {
  const { said } = await run(`
    process.on('message', () => process.send({ said: String(process.connected) }, () => process.disconnect()));`);
  expect(said).toEqual(['true']);
});

it.each([
  ['no JSON', `writeSync(3, 'garbage\\n')`],
  ['half a message', `writeSync(3, '{"said":"a\\n')`],
  ['bytes that are no text', `writeSync(3, Buffer.from([0, 255, 10]))`],
  ['a message that is not in the protocol', `process.send({ said: 4 })`],
  ['no object', `writeSync(3, 'null\\n')`],
  ['a line without an end', `const x = 'x'.repeat(65536); for (;;) { try { writeSync(3, x); } catch {} }`],
])('a process that sends %s is ended, and its later messages are dropped', async (_, deed) => {
  const { said, exit, log } = await run(`
    process.on('message', () => {
      process.send({ said: 'before' }, () => {
        ${deed};
        try { writeSync(3, '{"said":"after"}\\n'); } catch {}
      });
      setInterval(() => {}, 1000);
    });`);
  expect(said).toEqual(['before']);
  expect(exit).toMatchObject({
    signal: 'SIGKILL',
    lastStderr: 'it violated the protocol with the process that started it',
  });
  expect(log.lines.some(({ level }) => level === 'error')).toBe(true);
});
