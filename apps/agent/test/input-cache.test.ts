import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InputCache } from '../src/input-cache.js';

let folder: string;
let server: Server;
let asked: (string | undefined)[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-inputs-'));
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.headers.range);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const ticket = () =>
  Promise.resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/it`, headers: {} });
const open = (maxBytes = 1_000_000): InputCache => new InputCache(join(folder, 'inputs'), maxBytes);
const kept = (): Promise<string[]> => readdir(join(folder, 'inputs'));
const never = new AbortController().signal;

function content(bytes: Buffer): { size: number; sha256: string } {
  return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Sends the bytes, or the requested range. The first answer breaks off after `breakAfter` bytes. */
function sending(bytes: Buffer, breakAfter = Infinity): typeof answer {
  let answers = 0;
  return (request, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const rest = bytes.subarray(from);
    response.writeHead(from === 0 ? 200 : 206, {
      'content-length': rest.length,
      ...(from === 0 ? {} : { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    });
    answers += 1;
    if (answers > 1 || breakAfter >= rest.length) response.end(rest);
    else response.write(rest.subarray(0, breakAfter), () => setTimeout(() => response.destroy(), 50));
  };
}

describe('an input file of a task', () => {
  const bytes = Buffer.alloc(200_000, 'spectrum ');

  it('is fetched once for all tasks, also of a later process, and each task has its own copy', async () => {
    answer = sending(bytes);
    const cache = open();
    const [first, second, third] = ['1', '2', '3'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await Promise.all([first, second].map((path) => cache.copyTo(path, content(bytes), ticket, never)));
    await writeFile(first, 'scribbled over');
    await open().copyTo(third, content(bytes), ticket, never);
    for (const path of [second, third]) expect((await readFile(path)).equals(bytes)).toBe(true);
    expect(asked).toEqual([undefined]);
  });

  it('is fetched from the point of interruption, by another process as well', async () => {
    answer = sending(bytes, 90_000);
    const path = join(folder, 'copy');
    await expect(open().copyTo(path, content(bytes), ticket, never)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(existsSync(path)).toBe(false);
    await open().copyTo(path, content(bytes), ticket, never);
    expect((await readFile(path)).equals(bytes)).toBe(true);
    expect(asked).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/)]);
  });

  it('is fetched anew when its partial copy on the disk has changed', async () => {
    answer = sending(bytes);
    await open().copyTo(join(folder, '1'), content(bytes), ticket, never);
    const [name = ''] = await kept();
    await writeFile(join(folder, 'inputs', name), Buffer.alloc(bytes.length, 'x'));
    await open().copyTo(join(folder, '2'), content(bytes), ticket, never);
    expect((await readFile(join(folder, '2'))).equals(bytes)).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('is fetched anew when its pieces do not belong together', async () => {
    answer = sending(bytes);
    await open().copyTo(join(folder, '1'), content(bytes), ticket, never);
    const [name = ''] = await kept();
    await rm(join(folder, 'inputs', name));
    await writeFile(join(folder, 'inputs', `${name}.part`), Buffer.alloc(10, 'x'));
    const again = () => open().copyTo(join(folder, '2'), content(bytes), ticket, never);
    await expect(again()).rejects.toMatchObject({ code: 'service_unavailable' });
    await again();
    expect((await readFile(join(folder, '2'))).equals(bytes)).toBe(true);
  });

  it.each([
    ['another content', Buffer.alloc(200_000, 'x'), 'invalid'],
    ['more than it has', Buffer.alloc(200_001, 'spectrum '), 'invalid'],
  ])('is refused permanently when the store sends %s', async (_what, sent, code) => {
    answer = sending(sent);
    const path = join(folder, 'copy');
    await expect(open().copyTo(path, content(bytes), ticket, never)).rejects.toMatchObject({ code });
    expect(existsSync(path)).toBe(false);
    expect((await kept()).filter((name) => !name.endsWith('.part'))).toEqual([]);
  });

  it.each([
    [404, 'not_found'],
    [403, 'service_unavailable'],
    [500, 'service_unavailable'],
  ])('fails with the answer %i as %s', async (status, code) => {
    answer = (_request, response) => response.writeHead(status).end();
    const copied = open().copyTo(join(folder, 'copy'), content(bytes), ticket, never);
    await expect(copied).rejects.toMatchObject({ code });
  });

  it('is no longer fetched when no task needs it', async () => {
    const abort = new AbortController();
    answer = (_request, response) => {
      response.writeHead(200).write('spec', () => abort.abort());
    };
    const copied = open().copyTo(join(folder, 'copy'), content(bytes), ticket, abort.signal);
    await expect(copied).rejects.toMatchObject({ code: 'aborted' });
  });

  it('is no longer fetched for a cancelled task while another task waits for the same file and continues', async () => {
    let send: () => void = () => undefined;
    answer = (_request, response) => {
      response.writeHead(200);
      send = () => void response.end(bytes);
    };
    const cache = open();
    const first = cache.copyTo(join(folder, '1'), content(bytes), ticket, never);
    const abort = new AbortController();
    const second = cache.copyTo(join(folder, '2'), content(bytes), ticket, abort.signal);
    const third = cache.copyTo(join(folder, '3'), content(bytes), ticket, never);
    abort.abort();
    await expect(second).rejects.toMatchObject({ code: 'aborted' });
    while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    send();
    await Promise.all([first, third]);
    expect(asked).toHaveLength(1);
  });

  it('may be empty', async () => {
    answer = sending(Buffer.alloc(0));
    await open().copyTo(join(folder, 'copy'), content(Buffer.alloc(0)), ticket, never);
    expect(await readFile(join(folder, 'copy'), 'utf8')).toBe('');
  });

  it('makes room by removing the files that were used longest ago', async () => {
    const cache = open(250);
    const files = ['a', 'b', 'c'].map((letter) => Buffer.alloc(100, letter)) as [Buffer, Buffer, Buffer];
    let copies = 0;
    const get = async (file: Buffer): Promise<void> => {
      answer = sending(file);
      await cache.copyTo(join(folder, String((copies += 1))), content(file), ticket, never);
      await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const [a, b, c] = files;
    for (const file of [a, b, a, c]) await get(file);
    expect((await kept()).sort()).toEqual([a, c].map((file) => content(file).sha256).sort());
    expect(asked).toHaveLength(3);
  });
});
