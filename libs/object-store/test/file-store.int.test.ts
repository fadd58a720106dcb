import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileTickets, openFileStore, type FileStore } from '../src/index.js';
import { chunks, contentOf, failure, objectStoreContract, read } from './object-store-contract.js';

const secret = 'a secret of the test suite';
const publicUrl = 'http://127.0.0.1:8070';

objectStoreContract('a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-store-'));
  return {
    store: await openFileStore({ folder, publicUrl, secret }),
    unfinished: async () => (await readdir(join(folder, 'incoming'))).length,
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
});

describe('a file store', () => {
  let folder: string;
  let now: number;
  const open = (options: { publicUrl?: string; secret?: string } = {}): Promise<FileStore> =>
    openFileStore({ folder, publicUrl, secret, now: () => now, ...options });
  const filesBelow = async (path: string): Promise<string[]> =>
    (await readdir(path, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-store-'));
    now = Date.now();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  describe('an upload', () => {
    const content = contentOf('0123456789'.repeat(1_000));
    const whole = Buffer.from('0123456789'.repeat(1_000));
    const grant = { key: 'task/1/photo', ...content };
    const unfinished = (): Promise<string[]> => readdir(join(folder, 'incoming'));

    /** Yields these bytes, and then fails like a broken connection or stays silent. */
    async function* broken(bytes: Buffer, then: 'fails' | 'hangs' = 'fails'): AsyncIterable<Uint8Array> {
      for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
      if (then === 'hangs') await new Promise(() => undefined);
      throw new Error('connection lost');
    }

    it('that was interrupted continues at its last byte, also in another process', async () => {
      const store = await open();
      expect(await store.received(grant)).toBe(0);
      await expect(store.receive(grant, broken(whole.subarray(0, 4_000)), 0)).rejects.toThrow(
        'connection lost',
      );
      const later = await open();
      expect(await later.received(grant)).toBe(4_000);
      expect(await later.receive(grant, chunks(whole.subarray(4_000).toString()), 4_000)).toEqual(content);
      expect((await read(await later.get(grant.key))).equals(whole)).toBe(true);
      expect(await unfinished()).toEqual([]);
    });

    it('continues only where it was interrupted', async () => {
      const store = await open();
      const wrongPlace = { code: 'wrong_state', effect: 'none' };
      await expect(store.receive(grant, chunks('x'), 5)).rejects.toMatchObject(wrongPlace);
      await expect(store.receive(grant, broken(whole.subarray(0, 4_000)), 0)).rejects.toThrow(
        'connection lost',
      );
      await expect(store.receive(grant, chunks('x'), 3_999)).rejects.toMatchObject(wrongPlace);
      expect(await store.received(grant)).toBe(4_000);
    });

    it('begins again when its first part proves wrong', async () => {
      const store = await open();
      const wrong = Buffer.from(whole);
      wrong[7] = 0;
      await expect(store.receive(grant, broken(wrong.subarray(0, 4_000)), 0)).rejects.toThrow(
        'connection lost',
      );
      await expect(
        store.receive(grant, chunks(whole.subarray(4_000).toString()), 4_000),
      ).rejects.toMatchObject({ code: 'wrong_state', effect: 'none' });
      expect(await store.received(grant)).toBe(0);
      await expect(store.receive(grant, chunks(wrong.toString('latin1')), 0)).rejects.toMatchObject({
        code: 'invalid',
      });
      expect(await unfinished()).toEqual([]);
      expect(await store.receive(grant, chunks(whole.toString()), 0)).toEqual(content);
    });

    it('is taken over by a new client while a silent connection holds it', async () => {
      const store = await open();
      const silent = store.receive(grant, broken(whole.subarray(0, 4_000), 'hangs'), 0);
      const given = expect(silent).rejects.toMatchObject({ code: 'wrong_state' });
      for (let size = 0; size < 4_000; size = await store.received(grant)) await new Promise(setImmediate);
      await store.receive(grant, chunks(whole.subarray(4_000).toString()), 4_000);
      await given;
      expect((await read(await store.get(grant.key))).equals(whole)).toBe(true);
    });

    it('that is complete is confirmed when its answer was lost', async () => {
      const store = await open();
      await store.receive(grant, chunks(whole.toString()), 0);
      expect(await store.received(grant)).toBe(whole.length);
      expect(await store.receive(grant, chunks(''), whole.length)).toEqual(content);
      await store.put(grant.key, chunks('x'.repeat(whole.length)));
      await expect(store.receive(grant, chunks(''), whole.length)).rejects.toMatchObject({
        code: 'wrong_state',
      });
    });

    it('is removed after a day without continuation', async () => {
      const store = await open();
      await expect(store.receive(grant, broken(whole.subarray(0, 4_000)), 0)).rejects.toThrow(
        'connection lost',
      );
      await open();
      expect(await unfinished()).toHaveLength(1);
      now += 25 * 60 * 60_000;
      await open();
      expect(await unfinished()).toEqual([]);
    });
  });

  it('shows the files that another process stored', async () => {
    await (await open()).put('k', chunks('kept'));
    expect((await read(await (await open()).get('k'))).toString()).toBe('kept');
  });

  it('writes nothing outside its folder', async () => {
    const inner = join(folder, 'inner');
    const store = await openFileStore({ folder: inner, publicUrl, secret });
    for (const key of ['../x', '../../x', '/etc/x', 'a/../../../x']) await store.put(key, chunks('x'));
    const files = await filesBelow(folder);
    expect(files).toHaveLength(4);
    for (const file of files) expect(file.startsWith(join(inner, 'objects'))).toBe(true);
  });

  it('removes empty folders with their last object', async () => {
    const store = await open();
    await store.put('a/b/c', chunks('x'));
    await store.put('a/d', chunks('x'));
    await store.delete('a/b/c');
    await store.delete('a/d');
    expect(await readdir(join(folder, 'objects'))).toEqual([]);
  });

  it('removes on opening the leftovers of dead processes, and nothing of running ones', async () => {
    const gone = spawn(process.execPath, ['--eval', '']);
    await once(gone, 'exit');
    const incoming = join(folder, 'incoming');
    await mkdir(incoming, { recursive: true });
    const mine = `${process.pid}-1.part`;
    const abandoned = `${process.pid}-2.part`;
    for (const name of [`${gone.pid}-1.part`, mine, abandoned, 'notes.txt']) {
      await writeFile(join(incoming, name), 'half');
    }
    const longAgo = new Date(now - 25 * 60 * 60_000);
    await utimes(join(incoming, abandoned), longAgo, longAgo);
    await open();
    expect((await readdir(incoming)).sort()).toEqual([mine, 'notes.txt'].sort());
  });

  it('ignores files with foreign names when it lists', async () => {
    const store = await open();
    await store.put('k', chunks('x'));
    await writeFile(join(folder, 'objects', 'README.txt'), 'not an object');
    await writeFile(join(folder, 'objects', '%zz.o'), 'not an object');
    const keys: string[] = [];
    for await (const { key } of store.list('')) keys.push(key);
    expect(keys).toEqual(['k']);
  });

  it('reports a failure of the storage without its path', async () => {
    const store = await open();
    await rm(join(folder, 'incoming'), { recursive: true });
    const error = await failure(store.put('k', chunks('x')));
    expect(error).toMatchObject({ code: 'service_unavailable', effect: 'none' });
    expect(error.message).not.toContain(folder);
  });

  it('refuses a folder that is a file, and a secret that is too short', async () => {
    await writeFile(join(folder, 'objects'), '');
    expect(await failure(open())).toMatchObject({ code: 'service_unavailable' });
    expect(await failure(open({ secret: 'short' }))).toMatchObject({ code: 'bad_request' });
  });

  describe('a ticket', () => {
    const grant = { key: 'runs/1/Ergebnis µ.csv', ...contentOf('x,y') };
    const tokenOf = async (store: FileStore, expiresInMs = 60_000): Promise<string> =>
      (await store.uploadTicket({ ...grant, expiresInMs })).url.split('/').at(-1) ?? '';

    it('is an address below the public one', async () => {
      const store = await open({ publicUrl: 'https://lab.example/' });
      const ticket = await store.uploadTicket({ ...grant, expiresInMs: 1_000 });
      expect(ticket.method).toBe('PUT');
      expect(ticket.url).toMatch(/^https:\/\/lab\.example\/api\/uploads\/[\w-]+\.[\w-]+$/);
      expect(ticket.headers).toEqual({ 'content-type': 'application/octet-stream' });
    });

    it('is accepted by every store with the same secret', async () => {
      const token = await tokenOf(await open());
      expect((await open()).acceptTicket(token)).toEqual(grant);
    });

    it('is refused from the moment it expires', async () => {
      const store = await open();
      const token = await tokenOf(store, 60_000);
      expect(store.acceptTicket(token, now + 59_999)).toEqual(grant);
      const refused = { code: 'forbidden', message: expect.stringContaining('expired') as string };
      expect(() => store.acceptTicket(token, now + 60_000)).toThrow(expect.objectContaining(refused));
      now += 60_000;
      expect(() => store.acceptTicket(token)).toThrow(expect.objectContaining(refused));
    });

    it('permits either an upload or a download', async () => {
      const store = await open();
      const tickets = new FileTickets({
        publicUrl: 'https://lab.example',
        secret: 'x'.repeat(32),
        now: () => now,
      });
      const other = await open({ secret: 'x'.repeat(32) });
      const { url } = tickets.downloadTicket({ ...grant, expiresInMs: 60_000 });
      const token = url.slice('https://lab.example/api/downloads/'.length);
      expect(other.acceptDownload(token)).toEqual(grant);
      expect(() => other.acceptTicket(token)).toThrow(expect.objectContaining({ code: 'forbidden' }));
      expect(() => store.acceptDownload(token)).toThrow(expect.objectContaining({ code: 'forbidden' }));
      const upload = await tokenOf(store);
      expect(() => store.acceptDownload(upload)).toThrow(expect.objectContaining({ code: 'forbidden' }));
      now += 60_000;
      expect(() => other.acceptDownload(token)).toThrow(expect.objectContaining({ code: 'forbidden' }));
    });

    it('is refused when it was signed with another secret or changed anywhere', async () => {
      const store = await open();
      const token = await tokenOf(store);
      const forged = await tokenOf(await open({ secret: 'another secret of the test suite' }));
      const changed = [...token].map((character, index) => {
        const other = character === 'A' ? 'B' : 'A';
        return `${token.slice(0, index)}${other}${token.slice(index + 1)}`;
      });
      const shapes = ['', '.', token.split('.')[0] ?? '', `${token}.x`, `${token}=`, `.${token}`, 'ä.ö'];
      for (const bad of [forged, ...changed, ...shapes]) {
        expect(() => store.acceptTicket(bad), bad).toThrow(
          expect.objectContaining({ code: 'forbidden', message: 'the upload ticket is not valid' }),
        );
      }
    });
  });
});
