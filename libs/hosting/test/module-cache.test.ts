import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orchestratorRequests, ServiceError, type ModuleReference } from '@lab/contracts';
import type { Bus } from '@lab/messaging';
import { MemoryBroker } from '@lab/messaging/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ModuleCache } from '../src/module-cache.js';
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

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-modules-'));
  const broker = new MemoryBroker();
  agent = broker.connect({ role: 'agent', name: 'a' });
  orchestrator = broker.connect({ role: 'orchestrator', name: 'o' });
  fetched = 0;
  served = text;
  await orchestrator.serve(orchestratorRequests.fetchModule, {}, (piece) => {
    if (piece.hash !== hash) throw new ServiceError('not_found', 'no such module');
    if (piece.offset === 0) fetched += 1;
    return {
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

const cache = (): ModuleCache => {
  const log = new RecordedLog();
  return new ModuleCache(folder, new NpmPackages(join(folder, 'packages'), log), agent, log);
};

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

  it('reports a missing module and an invalid hash at once', async () => {
    const absent = { ...module, hash: 'f'.repeat(64) };
    await expect(cache().path(absent)).rejects.toMatchObject({ code: 'not_found' });
    await expect(cache().path({ ...module, hash: '../../etc/passwd' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
