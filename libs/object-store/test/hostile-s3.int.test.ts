import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileStore } from '../src/index.js';
import { openS3Store } from '../src/s3-store.js';

/** A hostile server in place of S3. The store neither waits forever nor fills its memory. */

let server: Server;
let endpoint: string;
/** The answers by request. Everything else exists and is empty. */
let play: (asked: URL, reply: ServerResponse) => boolean;
let asked: number;

beforeEach(async () => {
  asked = 0;
  play = () => false;
  server = createServer((request: IncomingMessage, reply) => {
    asked += 1;
    if (!play(new URL(request.url ?? '', 'http://server'), reply)) reply.writeHead(200).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const open = (): Promise<FileStore> =>
  openS3Store({
    endpoint,
    region: 'us-east-1',
    bucket: 'files',
    pathStyle: true,
    accessKeyId: 'key',
    secretAccessKey: 'secret-of-the-test',
    publicUrl: 'http://gateway',
    secret: 'x'.repeat(32),
  });

const xml = (reply: ServerResponse, body: string): boolean => {
  reply.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${body}`);
  return true;
};
const unavailable = { code: 'service_unavailable', effect: 'none' };

/** Bytes that were sent of an endless answer. */
function endless(reply: ServerResponse, status: number): () => number {
  let sent = 0;
  const piece = Buffer.alloc(65_536, ' ');
  const more = (): void => {
    while (!reply.destroyed && reply.write(piece)) sent += piece.length;
  };
  reply.on('drain', more);
  reply.writeHead(status, { 'content-type': 'application/xml' });
  more();
  return () => sent;
}

async function listed(store: FileStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list('')) keys.push(key);
  return keys;
}

describe('a list', () => {
  it.each([200, 403])('without an end, with %i, is read only up to the limit', async (status) => {
    const sent: (() => number)[] = [];
    const store = await open();
    play = (url, reply) => {
      if (url.searchParams.get('list-type') !== '2') return false;
      sent.push(endless(reply, status));
      return true;
    };
    await expect(listed(store)).rejects.toMatchObject(unavailable);
    expect(sent.length).toBeGreaterThan(0);
    // The buffers of a connection hold the bytes that were already sent.
    for (const bytes of sent) expect(bytes()).toBeLessThan(40_000_000);
  });

  it('that leads to the same page forever is abandoned', async () => {
    const store = await open();
    const page =
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>' +
      '<Contents><Key>objects/a</Key><Size>1</Size></Contents></ListBucketResult>';
    play = (url, reply) => url.searchParams.get('list-type') === '2' && xml(reply, page);
    asked = 0;
    await expect(listed(store)).rejects.toMatchObject(unavailable);
    expect(asked).toBeLessThan(5);
  });

  it('of uploads that leads to the same page forever is abandoned on opening', async () => {
    const page =
      '<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker>' +
      '<NextUploadIdMarker>u</NextUploadIdMarker></ListMultipartUploadsResult>';
    play = (url, reply) => url.searchParams.has('uploads') && xml(reply, page);
    await expect(open()).rejects.toMatchObject(unavailable);
    expect(asked).toBeLessThan(6);
  });
});

describe('an object', () => {
  it('that ends before its length is an error', async () => {
    const store = await open();
    play = (url, reply) => {
      if (!url.pathname.includes('/objects/')) return false;
      reply.writeHead(200, { 'content-length': 1_000 }).write('part');
      setTimeout(() => reply.destroy(), 100);
      return true;
    };
    const body = await store.get('tasks/a.txt');
    await expect(body.toArray()).rejects.toThrow();
  });

  it('longer than the limit of a list is read to its end', async () => {
    const store = await open();
    const bytes = 12 * 1024 * 1024;
    play = (url, reply) => {
      if (!url.pathname.includes('/objects/')) return false;
      reply.writeHead(200, { 'content-length': bytes }).end(Buffer.alloc(bytes, 'x'));
      return true;
    };
    let read = 0;
    for await (const piece of await store.get('tasks/a.txt')) read += (piece as Buffer).length;
    expect(read).toBe(bytes);
  });
});
