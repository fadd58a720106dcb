import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openFiles, type FileStore } from '../src/index.js';
import { chunks, contentOf, failure, objectStoreContract, read } from './object-store-contract.js';
import { startS3Server, type S3Server } from './s3-server.js';

const mebibyte = 1024 * 1024;
/** The smallest part that S3 accepts. */
const part = 5 * mebibyte;
const tickets = { publicUrl: 'http://127.0.0.1:8070', secret: 'a secret of the test suite' };

let server: S3Server;
let client: S3Client;

beforeAll(async () => {
  server = await startS3Server();
  const { endpoint, accessKeyId, secretAccessKey } = server;
  client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
});
afterAll(async () => {
  client?.destroy();
  await server?.close();
});

async function newBucket(): Promise<string> {
  const bucket = `files-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return bucket;
}

function open(
  bucket: string,
  options: { now?: () => number; secretAccessKey?: string } = {},
): Promise<FileStore> {
  const { endpoint, accessKeyId, secretAccessKey } = server;
  return openFiles({
    kind: 's3',
    ...tickets,
    endpoint,
    region: 'us-east-1',
    bucket,
    pathStyle: true,
    accessKeyId,
    secretAccessKey,
    sizes: { part, copy: 8 * mebibyte },
    ...options,
  });
}

async function unfinished(bucket: string): Promise<number> {
  const uploads = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  const waiting = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'incoming/' }));
  return (uploads.Uploads?.length ?? 0) + (waiting.Contents?.length ?? 0);
}

objectStoreContract('S3', async () => {
  const bucket = await newBucket();
  return { store: await open(bucket), unfinished: () => unfinished(bucket), dispose: async () => undefined };
});

describe('a store on S3', () => {
  const whole = randomBytes(12 * mebibyte + 3);
  const content = contentOf(whole);
  const grant = { key: 'task/1/photo', ...content };
  let bucket: string;
  beforeEach(async () => {
    bucket = await newBucket();
  });

  async function* broken(bytes: Buffer, then: 'fails' | 'hangs' = 'fails'): AsyncIterable<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
    if (then === 'hangs') await new Promise(() => undefined);
    throw new Error('connection lost');
  }
  const hashOf = async (store: FileStore): Promise<string> =>
    createHash('sha256')
      .update(await read(await store.get(grant.key)))
      .digest('hex');

  it('keeps every byte of an object of several parts and returns any range', async () => {
    const store = await open(bucket);
    expect(await store.put('k', chunks(whole.subarray(0, 7_000_000), whole.subarray(7_000_000)))).toEqual(
      content,
    );
    expect((await read(await store.get('k'))).equals(whole)).toBe(true);
    const middle = await read(await store.get('k', { start: part - 2, end: part + 1 }));
    expect(middle.equals(whole.subarray(part - 2, part + 2))).toBe(true);
    expect(
      await failure(store.put('k', chunks(whole), { ...content, sha256: '0'.repeat(64) })),
    ).toMatchObject({
      code: 'invalid',
    });
    expect(await unfinished(bucket)).toBe(0);
  });

  it('stores an uninterrupted upload and copies it to its key', async () => {
    const store = await open(bucket);
    expect(await store.receive(grant, chunks(whole), 0)).toEqual(content);
    expect(await hashOf(store)).toBe(content.sha256);
    expect(await store.received(grant)).toBe(whole.length);
    expect(await store.receive(grant, chunks(), whole.length)).toEqual(content);
    expect(await unfinished(bucket)).toBe(0);
  });

  it('continues an interrupted upload in another process after its last complete part', async () => {
    const store = await open(bucket);
    expect(await store.received(grant)).toBe(0);
    await expect(store.receive(grant, broken(whole.subarray(0, 2 * part + 500_000)), 0)).rejects.toThrow(
      'connection lost',
    );
    expect(await store.head(grant.key)).toBeUndefined();
    const later = await open(bucket);
    expect(await later.received(grant)).toBe(2 * part);
    for (const from of [0 + part, 2 * part + 1]) {
      expect(await failure(later.receive(grant, chunks('x'), from))).toMatchObject({
        code: 'wrong_state',
        effect: 'none',
      });
    }
    expect(await later.receive(grant, chunks(whole.subarray(2 * part)), 2 * part)).toEqual(content);
    expect(await hashOf(later)).toBe(content.sha256);
    expect(await unfinished(bucket)).toBe(0);
  });

  it('restarts an upload whose first part proves wrong', async () => {
    const store = await open(bucket);
    const wrong = Buffer.from(whole);
    wrong[7] = (wrong[7] ?? 0) ^ 1;
    await expect(store.receive(grant, broken(wrong.subarray(0, part + 1)), 0)).rejects.toThrow(
      'connection lost',
    );
    expect(await failure(store.receive(grant, chunks(whole.subarray(part)), part))).toMatchObject({
      code: 'wrong_state',
    });
    expect(await store.received(grant)).toBe(0);
    expect(await failure(store.receive(grant, chunks(wrong), 0))).toMatchObject({ code: 'invalid' });
    expect(await unfinished(bucket)).toBe(0);
    expect(await store.head(grant.key)).toBeUndefined();
  });

  it('lets a new client take over an upload from a silent connection', async () => {
    const store = await open(bucket);
    const silent = failure(store.receive(grant, broken(whole.subarray(0, part + 1), 'hangs'), 0));
    await expect.poll(() => store.received(grant), { timeout: 20_000 }).toBe(part);
    await store.receive(grant, chunks(whole.subarray(part)), part);
    expect(await silent).toMatchObject({ code: 'wrong_state' });
    expect(await hashOf(store)).toBe(content.sha256);
  });

  it('stores small uploads in one piece', async () => {
    const store = await open(bucket);
    for (const text of ['', 'small']) {
      const small = { key: `task/1/${text}`, ...contentOf(text) };
      expect(await store.receive(small, chunks(text), 0)).toEqual(contentOf(text));
      expect((await read(await store.get(small.key))).toString()).toBe(text);
    }
  });

  it('removes on opening every upload without continuation for a day', async () => {
    await expect(
      (await open(bucket)).receive(grant, broken(whole.subarray(0, part + 1)), 0),
    ).rejects.toThrow();
    await open(bucket);
    expect(await unfinished(bucket)).toBe(1);
    await open(bucket, { now: () => Date.now() + 25 * 60 * 60_000 });
    expect(await unfinished(bucket)).toBe(0);
  });

  it('does not open without its bucket or with a wrong secret, and shows neither address nor secret', async () => {
    const wrong = 'not-the-secret-of-the-tests';
    for (const opening of [() => open('nothing-here'), () => open(bucket, { secretAccessKey: wrong })]) {
      const error = await failure(opening());
      expect(error).toMatchObject({ code: 'service_unavailable', effect: 'none' });
      // The error as a log shows it, with its cause.
      expect(inspect(error, { depth: 10 })).not.toMatch(/not-the-secret|Signature|127\.0\.0\.1/);
    }
  });
});
