import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { link, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeToken } from '@lab/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InputCache } from '../src/input-cache.js';
import { Spool } from '../src/spool.js';

let folder: string;
let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let spool: Spool;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-spool-'));
  server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  spool = new Spool(folder, new InputCache(join(folder, 'inputs'), 1_000));
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const ticket = (): { url: string; headers: Record<string, string> } => ({
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/here`,
  headers: { 'x-ticket': 'abc' },
});

async function spooled(bytes: Buffer): Promise<{ name: string; size: number; sha256: string; path: string }> {
  await writeFile(join(await spool.prepare('a/1'), 'f'), bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { name: 'photo.png', size: bytes.length, sha256, path: 'f' };
}

/** Answers as a store that continues an interrupted upload. */
function resuming(store: { bytes: Buffer; puts: number; breakAt?: number | undefined }): typeof answer {
  return (request, response) => {
    if (request.method === 'HEAD') {
      response.writeHead(200, { 'upload-offset': store.bytes.length }).end();
      return;
    }
    store.puts += 1;
    const from = Number(request.headers['upload-offset']);
    store.bytes = store.bytes.subarray(0, from);
    request.on('data', (piece: Buffer) => {
      store.bytes = Buffer.concat([store.bytes, piece]);
      if (store.breakAt !== undefined && store.bytes.length >= store.breakAt) request.destroy();
    });
    request.on('end', () => response.writeHead(201).end());
  };
}

describe('a spooled file', () => {
  it('continues at the byte where its upload stopped', async () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 3_000_000 }, (_, n) => n % 251));
    const store = { bytes: Buffer.alloc(0), puts: 0, breakAt: 1_000_000 as number | undefined };
    answer = resuming(store);
    const file = await spooled(bytes);
    await expect(spool.upload('a/1', file, ticket())).rejects.toMatchObject({ code: 'service_unavailable' });
    const before = store.bytes.length;
    expect(before).toBeGreaterThanOrEqual(1_000_000);
    expect(before).toBeLessThan(bytes.length);
    store.breakAt = undefined;
    await spool.upload('a/1', file, ticket());
    expect(store.bytes.equals(bytes)).toBe(true);
    expect(store.puts).toBe(2);
  });

  it('asks for the offset again when the store reports another one', async () => {
    const bytes = Buffer.alloc(1_200_000, 'x');
    answer = (request, response) => {
      if (request.method === 'HEAD') response.writeHead(200, { 'upload-offset': 7 }).end();
      else request.resume().on('end', () => response.writeHead(409).end('the upload goes on at byte 0'));
    };
    await expect(spool.upload('a/1', await spooled(bytes), ticket())).rejects.toMatchObject({
      code: 'service_unavailable',
      effect: 'none',
    });
  });

  it('may be added by the agent itself and is sent like any other', async () => {
    await spool.prepare('a/1');
    const file = await spool.add('a/1', 'more.json', '{"é":1}');
    const sha256 = createHash('sha256').update('{"é":1}').digest('hex');
    expect(file).toEqual({ name: 'more.json', size: 8, sha256, path: 'more.json' });
    let body = '';
    answer = (request, response) => {
      request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
      request.on('end', () => response.writeHead(201).end());
    };
    await spool.upload('a/1', file, ticket());
    expect(body).toBe('{"é":1}');
    await expect(spool.add('a/1', 'more.json', 'again')).rejects.toThrow('EEXIST');
  });

  it('is sent whole with its length and the headers of the ticket', async () => {
    const bytes = Buffer.alloc(2_000_000, 'xyz');
    const seen: { method?: string; length?: string; ticket?: unknown; body: Buffer }[] = [];
    answer = (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        seen.push({
          method: request.method ?? '',
          length: request.headers['content-length'] ?? '',
          ticket: request.headers['x-ticket'],
          body: Buffer.concat(pieces),
        });
        response.writeHead(200).end();
      });
    };
    await spool.upload('a/1', await spooled(bytes), ticket());
    // The agent asks the store first where to continue, and this store does not know that request.
    expect(seen.map(({ method }) => method)).toEqual(['HEAD', 'PUT']);
    expect(seen[1]).toMatchObject({ method: 'PUT', length: '2000000', ticket: 'abc' });
    expect(seen[1]?.body.equals(bytes)).toBe(true);
  });

  it('is sent also when it is empty', async () => {
    const lengths: unknown[] = [];
    answer = (request, response) => {
      lengths.push(request.headers['content-length']);
      request.resume().on('end', () => response.writeHead(204).end());
    };
    await spool.upload('a/1', await spooled(Buffer.alloc(0)), ticket());
    expect(lengths).toEqual(['0']);
  });

  it('is refused with the answer of the store when the store refuses before it has all bytes', async () => {
    answer = (_, response) => response.writeHead(413, { connection: 'close' }).end('at most 1 MB');
    await expect(spool.upload('a/1', await spooled(Buffer.alloc(200_000)), ticket())).rejects.toMatchObject({
      code: 'payload_too_large',
      message: expect.stringContaining('at most 1 MB') as string,
    });
  });

  it('may be sent again when the store is down, breaks the connection or refuses an old ticket', async () => {
    const file = await spooled(Buffer.alloc(1_000));
    const again = { code: 'service_unavailable', retryable: true };
    answer = (_, response) => response.writeHead(403).end('expired');
    await expect(spool.upload('a/1', file, ticket())).rejects.toMatchObject(again);
    answer = (request) => request.socket.destroy();
    await expect(spool.upload('a/1', file, ticket())).rejects.toMatchObject(again);
    const gone = ticket();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    await expect(spool.upload('a/1', file, gone)).rejects.toMatchObject(again);
  });

  it('is never sent when it lies outside its folder, is missing or has another size', async () => {
    let asked = 0;
    answer = (_, response) => {
      asked += 1;
      response.end();
    };
    const file = await spooled(Buffer.alloc(10));
    await writeFile(join(folder, 'secret'), Buffer.alloc(10));
    for (const wrong of [
      { path: '../secret' },
      { path: join(folder, 'secret') },
      { path: 'absent' },
      { size: 9 },
    ]) {
      await expect(spool.upload('a/1', { ...file, ...wrong }, ticket())).rejects.toMatchObject({
        code: 'invalid',
      });
    }
    expect(asked).toBe(0);
  });
});

describe('a spool folder', () => {
  it('is empty when prepared, even when it had contents before, and gone when discarded', async () => {
    const first = await spool.prepare('x/../../y');
    expect(first.startsWith(folder)).toBe(true);
    await writeFile(join(first, 'old'), 'old');
    const second = await spool.prepare('x/../../y');
    expect(second).toBe(first);
    expect(existsSync(join(second, 'old'))).toBe(false);
    await mkdir(join(second, 'scratch'));
    await writeFile(join(second, 'scratch', 'scan.csv'), 'a,b');
    await spool.discard('x/../../y');
    expect(existsSync(first)).toBe(false);
    await spool.discard('x/../../y');
  });
});

describe('the spool', () => {
  it('keeps the folders in use and removes the others', async () => {
    for (const id of ['a/1', 'b', 'c']) await spool.prepare(id);
    await spool.sweep(new Set(['a/1', 'c', 'never was']));
    expect((await readdir(folder)).sort()).toEqual([encodeToken('a/1'), 'c'].sort());
    await rm(folder, { recursive: true });
    await expect(spool.sweep(new Set())).resolves.toBeUndefined();
  });

  it('does not name its folder when it cannot make one', async () => {
    await writeFile(join(folder, 'file'), '');
    const blocked = new Spool(join(folder, 'file'), new InputCache(join(folder, 'inputs'), 1_000));
    const error: unknown = await blocked.prepare('a').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'service_unavailable', effect: 'none' });
    expect(String(error)).toContain('ENOTDIR');
    expect(String(error)).not.toContain(folder);
  });
});

describe('a file that a task of another user has written', () => {
  const shared = (uid = process.getuid?.() ?? 0): Spool =>
    new Spool(
      folder,
      new InputCache(join(folder, 'inputs'), 1_000),
      {},
      {
        uid,
        share: () => undefined,
        shareFile: (file) => file.chmod(0o640),
        remove: (path) => rm(path, { recursive: true }),
      },
    );
  const fileOf = (path: string, size: number) => ({
    ...{ name: 'photo.png', size, sha256: '0'.repeat(64) },
    path,
  });

  it('is sent', async () => {
    const received: Buffer[] = [];
    answer = (request, response) => {
      request
        .on('data', (piece: Buffer) => received.push(piece))
        .on('end', () => response.writeHead(201).end());
    };
    const file = await spooled(Buffer.from('a photo'));
    await shared().upload('a/1', file, ticket());
    expect(Buffer.concat(received).toString()).toBe('a photo');
  });

  it('is not sent when it is a link, lies behind a linked folder, or is no file', async () => {
    let requests = 0;
    answer = (_request, response) => {
      requests += 1;
      response.writeHead(201).end();
    };
    const secret = join(folder, 'agent.creds');
    await writeFile(secret, 'secret');
    const own = await spool.prepare('a/1');
    await symlink(secret, join(own, 'link'));
    await symlink(folder, join(own, 'folder'));
    execFileSync('mkfifo', [join(own, 'pipe')]);
    for (const [path, reason] of [
      ['link', 'cannot be read where the task wrote it (ELOOP)'],
      ['folder/agent.creds', 'is not a file in the spool folder of its task'],
      ['pipe', 'is not a file in the spool folder of its task'],
      ['none', 'cannot be read where the task wrote it (ENOENT)'],
    ] as const)
      await expect(shared().upload('a/1', fileOf(path, 6), ticket()), path).rejects.toThrow(reason);
    // A second name of a file of the agent.
    await link(secret, join(own, 'name'));
    const another = shared((process.getuid?.() ?? 0) + 1);
    await expect(another.upload('a/1', fileOf('name', 6), ticket())).rejects.toThrow('is not a file in the');
    expect(requests).toBe(0);
    await rm(secret);
    await another.upload('a/1', fileOf('name', 6), ticket());
    expect(requests).toBe(1);
  });

  it('can be read by that user when it is an input of the task, and not changed', async () => {
    answer = (_request, response) => response.writeHead(200).end('a photo');
    await shared().prepare('a/1');
    const sha256 = createHash('sha256').update('a photo').digest('hex');
    const input = { handle: 'h', name: 'photo.png', size: 7, sha256, media_type: 'image/png' };
    const path = await shared().place(
      'a/1',
      input,
      () => Promise.resolve(ticket()),
      new AbortController().signal,
    );
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect((await stat(join(folder, 'inputs', sha256))).mode & 0o777).toBe(0o600);
  });
});
