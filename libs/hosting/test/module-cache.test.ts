import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orchestratorRequests, ServiceError, type ModuleReference } from '@lab/contracts';
import type { Bus } from '@lab/messaging';
import { MemoryBroker } from '@lab/messaging/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forgetUnused, ModuleCache, type CodeCheck, type CodeManifests } from '../src/module-cache.js';
import { NpmPackages } from '../src/npm-packages.js';
import { RecordedLog } from './recorded-log.js';

const text = Buffer.from('export default 1;\n'.repeat(40_000));
const hash = createHash('sha256').update(text).digest('hex');
const module: ModuleReference = { hash, package: 'p', source: 's.ts' };

let folder: string;
let agent: Bus;
let orchestrator: Bus;
let fetched: number;
let served: Buffer;
/** What was asked for with each piece: the offset, and the name for the manifests. */
let asked: [number, string | undefined][];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-modules-'));
  const broker = new MemoryBroker();
  agent = broker.connect({ role: 'agent', name: 'a' });
  orchestrator = broker.connect({ role: 'orchestrator', name: 'o' });
  fetched = 0;
  served = text;
  asked = [];
  await orchestrator.serve(orchestratorRequests.fetchModule, {}, (piece) => {
    if (piece.hash !== hash) throw new ServiceError('not_found', 'no such module');
    if (piece.offset === 0) fetched += 1;
    asked.push([piece.offset, piece.named?.source]);
    return {
      ...(piece.named === undefined ? {} : { manifest: `manifest of ${piece.named.package}` }),
      data: served.subarray(piece.offset, piece.offset + 131_072).toString('base64'),
      total: served.length,
    };
  });
});

afterEach(async () => {
  await agent.close();
  await orchestrator.close();
  await rm(folder, { recursive: true, force: true });
});

const cache = (check?: CodeCheck): ModuleCache => {
  const log = new RecordedLog();
  return new ModuleCache(folder, new NpmPackages(join(folder, 'packages'), log), agent, log, check);
};

/** A check that allows what it was told about once. */
class TestCheck implements CodeCheck {
  readonly told: CodeManifests[] = [];
  refusal: ServiceError | undefined;

  allows(): Promise<boolean> {
    return Promise.resolve(this.told.length > 0);
  }

  async demand(_: ModuleReference, given: CodeManifests): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    this.told.push({ manifest: given.manifest });
  }
}

describe('the cache of modules', () => {
  it('fetches a module once, in pieces, for simultaneous and later requests', async () => {
    const one = cache();
    const paths = await Promise.all([one.path(module), one.path(module), one.path(module)]);
    expect(new Set(paths).size).toBe(1);
    expect((await readFile(paths[0] ?? '')).equals(text)).toBe(true);
    await cache().path(module);
    expect(fetched).toBe(1);
    expect(await readdir(folder)).toEqual([`${hash}.mjs`]);
  });

  it('replaces a file on disk whose content does not match its hash', async () => {
    const path = await cache().path(module);
    await writeFile(path, 'evil()');
    expect((await readFile(await cache().path(module))).equals(text)).toBe(true);
    expect(fetched).toBe(2);
  });

  it('keeps nothing of a module with a wrong hash, and fetches it again on request', async () => {
    const one = cache();
    served = Buffer.from('something else');
    await expect(one.path(module)).rejects.toThrow('has the hash');
    expect(await readdir(folder)).toEqual([]);
    served = text;
    await expect(one.path(module)).resolves.toContain(hash);
  });

  it('refuses a module whose text names other npm packages than its reference', async () => {
    await expect(cache().path({ ...module, dependencies: ['usb@2.0.0'] })).rejects.toMatchObject({
      code: 'internal',
      message: 'p/s.ts imports the npm packages (none), and its reference names usb@2.0.0',
    });
  });

  it.each([
    ['', 'a'.repeat(64)],
    ['b'.repeat(64), 'a'.repeat(64)],
    ['b'.repeat(64), undefined],
  ])(
    'refuses code in Python whose text names the lock "%s" and its reference %s',
    async (named, environment) => {
      const content = JSON.stringify(named === '' ? {} : { environment: named });
      const hash = createHash('sha256').update(content).digest('hex');
      await writeFile(join(folder, `${hash}.json`), content);
      const reference: ModuleReference = { hash, package: 'p', source: 's.py', runtime: 'python' };
      const wrong = environment === undefined ? reference : { ...reference, environment };
      await expect(cache().path(wrong)).rejects.toMatchObject({
        code: 'internal',
        message: `p/s.py has the lock ${named || '(none)'}, and its reference names ${environment ?? '(none)'}`,
      });
      const right = named === '' ? reference : { ...reference, environment: named };
      await expect(cache().path(right)).resolves.toContain(hash);
    },
  );

  it('reports a missing module and an invalid hash at once', async () => {
    const absent = { ...module, hash: 'f'.repeat(64) };
    await expect(cache().path(absent)).rejects.toMatchObject({ code: 'not_found' });
    await expect(cache().path({ ...module, hash: '../../etc/passwd' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('the cache of modules with a check', () => {
  it('gets the manifests with the first piece, and asks for nothing more than the module', async () => {
    const check = new TestCheck();
    const one = cache(check);
    await Promise.all([one.path(module), one.path(module)]);
    expect(check.told).toEqual([{ manifest: 'manifest of p' }]);
    const pieces = Math.ceil(text.length / 131_072);
    expect(asked).toEqual(
      Array.from({ length: pieces }, (_, at) => [at * 131_072, at === 0 ? 's.ts' : undefined]),
    );
    await one.path(module);
    await cache(check).path(module);
    expect(asked).toHaveLength(pieces);
  });

  it('asks for nothing but the manifests of a module that it has', async () => {
    await cache().path(module);
    asked = [];
    await cache(new TestCheck()).path(module);
    expect(asked).toEqual([[text.length, 's.ts']]);
  });

  it('gives no path and keeps no file of a module that is refused, and asks again for the next request', async () => {
    const check = new TestCheck();
    check.refusal = new ServiceError('forbidden', 'nobody has signed it');
    const one = cache(check);
    await expect(one.path(module)).rejects.toThrow('nobody has signed it');
    expect(await readdir(folder)).toEqual([]);
    check.refusal = undefined;
    await expect(one.path(module)).resolves.toContain(hash);
  });

  it('checks a module of another package or source although it has the same text', async () => {
    const check = new TestCheck();
    const one = cache(check);
    await one.path(module);
    check.told.length = 0;
    check.refusal = new ServiceError('forbidden', 'not of this package');
    await expect(one.path({ ...module, package: 'q' })).rejects.toThrow('not of this package');
    await expect(one.path({ ...module, source: 't.ts' })).rejects.toThrow('not of this package');
    await expect(one.path(module)).resolves.toContain(hash);
  });
});

describe('a module that nobody uses', () => {
  const day = 86_400_000;

  it.each(['node', 'python'] as const)(
    'of %s leaves the disk after 30 days, and is fetched again',
    async (runtime) => {
      const module: ModuleReference = { hash, package: 'p', source: 's', runtime };
      const path = await cache().path(module);
      await writeFile(join(folder, 'other.txt'), '');
      await forgetUnused(folder, Date.now() + 29 * day);
      expect(await readdir(folder)).toHaveLength(2);
      await forgetUnused(folder, Date.now() + 31 * day);
      expect(await readdir(folder)).toEqual(['other.txt']);
      fetched = 0;
      expect(await cache().path(module)).toBe(path);
      expect(fetched).toBeGreaterThan(0);
    },
  );

  it('stays when a later process uses it', async () => {
    const path = await cache().path(module);
    const old = new Date(Date.now() - 40 * day);
    await utimes(path, old, old);
    await cache().path(module);
    await forgetUnused(folder, Date.now());
    expect(await readFile(path)).toEqual(text);
  });

  it('needs no folder', async () => {
    await expect(forgetUnused(join(folder, 'missing'), Date.now())).resolves.toBeUndefined();
  });
});
