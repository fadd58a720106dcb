import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zodSchema } from '@lab/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { ForkedProcess, type ForkedExit } from '../src/forked-process.js';
import { nodeHost } from '../src/host-program.js';
import { RecordedLog } from './recorded-log.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-forked-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A host that speaks the protocol with the least means: `hear(listener)`, `gone(listener)` and `say(message, sent)`. */
const host = `
  import { Socket } from 'node:net';
  import { createInterface } from 'node:readline';
  import { writeFileSync, writeSync } from 'node:fs';
  const input = new Socket({ fd: 3, readable: true, writable: false });
  const output = new Socket({ fd: 4, readable: false, writable: true });
  const hear = (listener) => createInterface({ input }).on('line', (line) => listener(JSON.parse(line)));
  const gone = (listener) => input.once('close', listener);
  const say = (message, sent) => output.write(JSON.stringify(message) + '\\n', sent);
`;

const pipes = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'PipeWrap').length;

it('a process whose own child holds its pipes open is reported as ended and then needs no descriptor', async () => {
  const path = await programOf(`
    import { spawn } from 'node:child_process';
    const stdio = ['ignore', 'inherit', 'inherit', 3, 4];
    const child = spawn('sleep', ['600'], { stdio, detached: true });
    say({ pid: child.pid }, () => process.exit(4));`);
  const before = pipes();
  const log = new RecordedLog();
  const messages = zodSchema(z.object({ pid: z.number() }));
  const forked = new ForkedProcess({ host: nodeHost(path), messages, log });
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

/** Writes a host with this code. */
async function programOf(code: string): Promise<string> {
  const path = join(folder, 'host.mjs');
  await writeFile(path, host + code);
  return path;
}

/** Starts a host of this code, which may send `{ said: <text> }`, and waits for its end. */
async function run(
  code: string,
  nodeOptions: string[] = [],
): Promise<{ said: string[]; exit: ForkedExit; log: RecordedLog }> {
  const log = new RecordedLog();
  const messages = zodSchema(z.object({ said: z.string() }));
  const started = { host: nodeHost(await programOf(code), { options: nodeOptions }), messages, log };
  const forked = new ForkedProcess<object, { said: string }>(started);
  const said: string[] = [];
  forked.onMessage((message) => said.push(message.said));
  const exit = new Promise<ForkedExit>((resolve) => forked.onExit(resolve));
  forked.send({ ask: 'größer' });
  return { said, exit: await exit, log };
}

it('messages arrive in both directions, in order, the last one before the exit', async () => {
  const { said, exit } = await run(`
    hear(({ ask }) => {
      say({ said: ask });
      for (let n = 0; n < 1000; n += 1) say({ said: 'x'.repeat(n * 10) + n });
      say({ said: 'last' }, () => process.exit(0));
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

it('a process learns of the end of its agent by the end of its input, after the last message', async () => {
  const parent = join(folder, 'parent.mjs');
  const heard = join(folder, 'heard');
  const child = await programOf(`
    let last;
    hear((message) => (last = message.last));
    gone(() => { writeFileSync(${JSON.stringify(heard)}, 'gone after ' + last); process.exit(0); });`);
  await writeFile(
    parent,
    `import { spawn } from 'node:child_process';
     const child = spawn(process.execPath, [${JSON.stringify(child)}], {
       stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
     });
     child.stdio[3].write('{"last":1}\\n{"last":2}\\n', () => process.kill(process.pid, 'SIGKILL'));`,
  );
  await once(spawn(process.execPath, [parent], { stdio: 'ignore' }), 'exit');
  await expect
    .poll(() => readFile(heard, 'utf8').catch(() => undefined), { timeout: 20_000 })
    .toBe('gone after 2');
});

it('reads nothing more from a process that does not read, until the process reads again', async () => {
  const path = await programOf(`
    let asked = 0;
    const ask = setInterval(() => {
      for (let n = 0; n < 100; n += 1) say({ ask: (asked += 1), text: 'x'.repeat(1_000) });
      if (asked < 4_000) return;
      clearInterval(ask);
      setTimeout(() => {
        let answers = 0;
        hear(() => {
          answers += 1;
          if (answers === asked) say({ ask: -1 }, () => process.exit(0));
        });
      }, 300);
    }, 1);`);
  const messages = zodSchema(z.object({ ask: z.number() }));
  const forked = new ForkedProcess<object, { ask: number }>({
    host: nodeHost(path),
    ...{ messages, log: new RecordedLog() },
  });
  const asked: number[] = [];
  let mostWaiting = 0;
  const exit = new Promise<ForkedExit>((resolve) => forked.onExit(resolve));
  forked.onMessage(({ ask }) => {
    asked.push(ask);
    if (ask < 0) return;
    forked.send({ answer: 'x'.repeat(10_000) });
    mostWaiting = Math.max(mostWaiting, forked.waitingBytes);
  });
  expect(await exit).toMatchObject({ code: 0 });
  expect(asked).toEqual([...Array.from({ length: 4_000 }, (_, index) => index + 1), -1]);
  // All answers together have 40 MB.
  expect(mostWaiting).toBeGreaterThan(4 * 1024 * 1024);
  expect(mostWaiting).toBeLessThan(8 * 1024 * 1024);
});

it.each([
  ['no JSON', `writeSync(4, 'garbage\\n')`],
  ['half a message', `writeSync(4, '{"said":"a\\n')`],
  ['bytes that are no text', `writeSync(4, Buffer.from([0, 255, 10]))`],
  ['a message that is not in the protocol', `say({ said: 4 })`],
  ['no object', `writeSync(4, 'null\\n')`],
  ['a line without an end', `const x = 'x'.repeat(65536); for (;;) { try { writeSync(4, x); } catch {} }`],
])('a process that sends %s is ended, and its later messages are dropped', async (_, deed) => {
  const { said, exit, log } = await run(`
    hear(() => {
      say({ said: 'before' }, () => {
        ${deed};
        try { writeSync(4, '{"said":"after"}\\n'); } catch {}
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
