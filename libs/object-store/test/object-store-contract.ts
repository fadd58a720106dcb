import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { isServiceError, type ServiceError } from '@lab/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Content, ObjectStore } from '../src/index.js';

export interface StoreUnderTest {
  store: ObjectStore;
  /** The number of incomplete uploads that the storage still keeps. */
  unfinished(): Promise<number>;
  dispose(): Promise<void>;
}

export async function* chunks(...parts: (string | Uint8Array)[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(Buffer.from(part));
}

export function contentOf(text: string | Uint8Array): Content {
  const data = Buffer.from(text);
  return { size: data.length, sha256: createHash('sha256').update(data).digest('hex') };
}

export async function read(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

export async function failure(promise: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isServiceError(error)) throw new Error(`no ServiceError: ${String(error)}`);
  return error;
}

/** Keys that a careless implementation confuses, loses or lets escape. */
export const oddKeys = [
  'a',
  'A',
  'a/b',
  'a/',
  '/a',
  '//',
  '/',
  '.',
  '..',
  '../../escape',
  'a/../b',
  '.hidden',
  'a.o',
  'a.d/b.o',
  '%',
  '%41',
  '%2e%2e/x',
  'with space',
  'back\\slash',
  'C:\\x',
  'con',
  '*?"<>|',
  'Ölprobe µ',
  'O\u0308lprobe µ',
  '漢字/👩‍🔬',
  'x'.repeat(1000),
  `${'x'.repeat(999)}y`,
  'Ä'.repeat(500),
  `${'é'.repeat(300)}/${'Z'.repeat(399)}`,
];

/** The guarantees of every implementation of {@link ObjectStore}. */
export function objectStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`an object store on ${name}`, () => {
    let under: StoreUnderTest;
    let store: ObjectStore;
    beforeEach(async () => {
      under = await open();
      store = under.store;
    });
    afterEach(() => under.dispose());

    const listed = async (prefix: string): Promise<string[]> => {
      const keys: string[] = [];
      for await (const { key } of store.list(prefix)) keys.push(key);
      return keys.sort();
    };
    const text = async (key: string): Promise<string> => (await read(await store.get(key))).toString();

    it('returns the stored bytes with size and hash', async () => {
      expect(await store.put('k', chunks('hello ', 'world'))).toEqual(contentOf('hello world'));
      expect(await text('k')).toBe('hello world');
      const head = await store.head('k');
      expect(head?.size).toBe(11);
      expect(Math.abs(Date.now() - (head?.modifiedAt.getTime() ?? 0))).toBeLessThan(60_000);
    });

    it('keeps an empty object', async () => {
      await store.put('empty', chunks(), contentOf(''));
      expect(await text('empty')).toBe('');
      expect((await store.head('empty'))?.size).toBe(0);
    });

    it('keeps every byte of a large object', async () => {
      const parts = Array.from({ length: 40 }, () => randomBytes(100_003));
      const whole = Buffer.concat(parts);
      expect(await store.put('large', chunks(...parts), contentOf(whole))).toEqual(contentOf(whole));
      expect((await read(await store.get('large'))).equals(whole)).toBe(true);
    });

    it('distinguishes all unusual keys and lists them unchanged', async () => {
      for (const key of oddKeys) await store.put(key, chunks(`of ${key}`));
      for (const key of oddKeys) expect(await text(key)).toBe(`of ${key}`);
      expect(await listed('')).toEqual([...oddKeys].sort());
    });

    it('lists exactly the keys that begin with a prefix', async () => {
      for (const key of oddKeys) await store.put(key, chunks('x'));
      const prefixes = ['a', 'a/', 'A', '%', '.', 'x', 'x'.repeat(300), 'é'.repeat(250), '漢', 'nothing'];
      for (const prefix of prefixes) {
        expect(await listed(prefix), prefix).toEqual(oddKeys.filter((key) => key.startsWith(prefix)).sort());
      }
    });

    it('refuses an invalid key in every operation', async () => {
      for (const key of ['', 'x'.repeat(1001), 'lone \ud800 surrogate', 'nul\u0000inside', 'line\nbreak']) {
        const ticket = { key, ...contentOf('x'), expiresInMs: 1_000 };
        const attempts = [
          store.put(key, chunks('x')),
          store.get(key),
          store.head(key),
          store.delete(key),
          store.uploadTicket(ticket),
        ];
        for (const attempt of attempts) {
          expect(await failure(attempt)).toMatchObject({ code: 'invalid', faults: [{ path: 'key' }] });
        }
      }
    });

    it('refuses content that differs from its announcement, and keeps the earlier object', async () => {
      await store.put('k', chunks('old'));
      const wrong = [
        { content: 'longer', expected: contentOf('long'), path: 'size' },
        { content: 'lon', expected: contentOf('long'), path: 'size' },
        { content: 'lung', expected: contentOf('long'), path: 'sha256' },
      ];
      for (const { content, expected, path } of wrong) {
        const error = await failure(store.put('k', chunks(content), expected));
        expect(error).toMatchObject({ code: 'invalid' });
        expect(error.faults[0]?.path).toBe(path);
        expect(await text('k')).toBe('old');
        expect(await failure(store.put('new', chunks(content), expected))).toMatchObject({ code: 'invalid' });
        expect(await store.head('new')).toBeUndefined();
      }
      expect(await under.unfinished()).toBe(0);
    });

    it('accepts an announced hash in capitals', async () => {
      const { size, sha256 } = contentOf('x');
      await store.put('k', chunks('x'), { size, sha256: sha256.toUpperCase() });
      expect(await text('k')).toBe('x');
    });

    it('stops reading a source that sends more than announced', async () => {
      let taken = 0;
      const endless = async function* (): AsyncIterable<Uint8Array> {
        for (;;) {
          taken += 1;
          yield await Promise.resolve(Buffer.alloc(10));
        }
      };
      await failure(store.put('k', endless(), { size: 25, sha256: contentOf('x').sha256 }));
      expect(taken).toBe(3);
    });

    it('passes on the error of a source and keeps the earlier object', async () => {
      await store.put('k', chunks('old'));
      const broken = Object.assign(new Error('connection reset'), { code: 'ECONNRESET' });
      const source = async function* (): AsyncIterable<Uint8Array> {
        yield* chunks('half');
        throw broken;
      };
      await expect(store.put('k', source())).rejects.toBe(broken);
      expect(await text('k')).toBe('old');
      expect(await under.unfinished()).toBe(0);
    });

    it('shows nothing of an object before it is complete', async () => {
      let goOn = (): void => undefined;
      const half = new Promise<void>((resolve) => (goOn = resolve));
      let reached = (): void => undefined;
      const halfWay = new Promise<void>((resolve) => (reached = resolve));
      const source = async function* (): AsyncIterable<Uint8Array> {
        yield* chunks('first ');
        reached();
        await half;
        yield* chunks('second');
      };
      const putting = store.put('k', source());
      await halfWay;
      expect(await store.head('k')).toBeUndefined();
      expect(await listed('')).toEqual([]);
      goOn();
      await putting;
      expect(await text('k')).toBe('first second');
    });

    it('replaces an object completely, and a reader of the old one reads it to its end', async () => {
      await store.put('k', chunks('old content'));
      const reading = await store.get('k');
      await store.put('k', chunks('new'));
      expect((await read(reading)).toString()).toBe('old content');
      expect(await text('k')).toBe('new');
    });

    it('keeps one complete object when many clients store the same key at once', async () => {
      const texts = Array.from({ length: 12 }, (_, index) => `${index}`.repeat(1_000));
      await Promise.all(texts.map((content) => store.put('k', chunks(content), contentOf(content))));
      expect(texts).toContain(await text('k'));
    });

    it('stores while neighbouring objects are deleted', async () => {
      const rounds = Array.from({ length: 40 }, (_, index) => index);
      await Promise.all(
        rounds.map(async (index) => {
          await store.put(`deep/er/${index}`, chunks('x'));
          await store.delete(`deep/er/${index}`);
        }),
      );
      expect(await listed('')).toEqual([]);
    });

    it('gives ranges of bytes, both ends included', async () => {
      await store.put('k', chunks('0123456789'));
      const range = async (start: number, end?: number): Promise<string> =>
        (await read(await store.get('k', end === undefined ? { start } : { start, end }))).toString();
      expect(await range(0)).toBe('0123456789');
      expect(await range(7)).toBe('789');
      expect(await range(2, 4)).toBe('234');
      expect(await range(9, 9)).toBe('9');
      expect(await range(8, 100)).toBe('89');
      for (const [start, end] of [[10], [5, 4], [-1, 3], [0.5]] as [number, number?][]) {
        expect(await failure(range(start, end))).toMatchObject({ code: 'invalid' });
      }
    });

    it('answers not_found for a missing object, and deletes it without an error', async () => {
      expect(await failure(store.get('k'))).toMatchObject({ code: 'not_found' });
      expect(await store.head('k')).toBeUndefined();
      await store.delete('k');
      await store.put('k', chunks('x'));
      await store.delete('k');
      expect(await store.head('k')).toBeUndefined();
      expect(await failure(store.get('k/below'))).toMatchObject({ code: 'not_found' });
    });

    it('refuses a ticket with impossible content', async () => {
      const good = { key: 'k', ...contentOf('x'), expiresInMs: 1_000 };
      for (const bad of [
        { size: -1 },
        { size: 1.5 },
        { sha256: 'abc' },
        { expiresInMs: 0 },
        { expiresInMs: NaN },
      ]) {
        const error = await failure(store.uploadTicket({ ...good, ...bad }));
        expect(error).toMatchObject({ code: 'invalid', faults: [{ path: Object.keys(bad)[0] }] });
      }
    });
  });
}
