import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import {
  definitionRequests,
  packageLimits,
  ServiceError,
  type PackageActivationRecord,
} from '@lab/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { byTokens, headersOf } from '../tokens.js';
import { startHarness, type Harness } from '../twins.js';

/** The gateway takes packed packages by their hash, and the orchestrator decides about them. */

let gateway: Harness;
beforeAll(async () => {
  gateway = await startHarness({}, undefined, byTokens);
});
afterAll(() => gateway.server.close());
beforeEach(() => {
  gateway.requests.sent.length = 0;
  gateway.packages.uploads.clear();
  gateway.packages.active = undefined;
  gateway.audit.entries.length = 0;
  gateway.requests.on(definitionRequests.checkPackage, ({ name, sha256 }) => {
    const upload = gateway.packages.uploads.get(`${name}/${sha256}`);
    if (upload === undefined) throw new ServiceError('not_found', 'there is no such version');
    upload.accepted = true;
    const { uploaded } = upload;
    return { ...uploaded, version: '1.0.0', labs: ['a'], active: false, active_since: null, failure: null };
  });
  gateway.requests.on(definitionRequests.listPackages, () => ({ packages: [] }));
});

const content = randomBytes(2_500_000);
const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const hash = sha256Of(content);
const deployerOf = (lab: string) => headersOf(gateway, 'ci', [{ role: 'deployer', lab }]);

async function put(
  path: string,
  body: Buffer,
  headers: Record<string, string>,
): Promise<{ status: number; body: { code?: string; sha256?: string; detail?: string } }> {
  const response = await fetch(`${gateway.url}/api/packages/${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/gzip', ...headers },
    body,
  });
  return { status: response.status, body: (await response.json()) as { code?: string } };
}

const made: PackageActivationRecord = {
  ...{ package: 'my_lab', sha256: hash, before: 'none', state: 'active', labs: ['a'] },
  ...{ definitions: [], devices: [], keeps_old: [], waits_for: [], started: [] },
};

describe('an upload', () => {
  it('stores the bytes, has the orchestrator check them, and tells commit and author to the audit', async () => {
    const path = `my_lab/${hash}?commit=abc123&author=ada%40example.org`;
    const headers = await deployerOf('a');
    expect(await put(path, content, headers)).toMatchObject({ status: 201, body: { sha256: hash } });
    const kept = gateway.packages.uploads.get(`my_lab/${hash}`);
    expect(kept?.bytes.equals(content)).toBe(true);
    expect(kept?.uploaded).toMatchObject({ size: content.length, uploaded_by: 'ci', commit: 'abc123' });
    expect(gateway.requests.of(definitionRequests.checkPackage)[0]?.body).toEqual({
      ...{ name: 'my_lab', sha256: hash, deploy: ['a'] },
    });
    expect(gateway.audit.entries.at(-1)).toMatchObject({
      by: 'ci',
      action: 'PUT /api/packages/{package_name}/{sha256}',
      detail: { package: 'my_lab', sha256: hash, commit: 'abc123', author: 'ada@example.org', status: 201 },
    });
    expect(await put(path, content, headers)).toMatchObject({ status: 200, body: { sha256: hash } });
  });

  it('is refused when its hash is another one, and leaves nothing behind', async () => {
    const other = sha256Of(Buffer.from('other'));
    const answer = await put(`my_lab/${other}`, content, await deployerOf('a'));
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid' } });
    expect(answer.body.detail).toContain(hash);
    expect(gateway.packages.uploads.size).toBe(0);
    expect(gateway.requests.of(definitionRequests.checkPackage)).toEqual([]);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('svc-package-'))).toEqual([]);
  });

  it('counts for nothing when the orchestrator refuses it', async () => {
    gateway.requests.on(definitionRequests.checkPackage, () => {
      throw new ServiceError('invalid', 'the package my_lab has errors');
    });
    expect(await put(`my_lab/${hash}`, content, await deployerOf('a'))).toMatchObject({ status: 422 });
    expect(gateway.packages.uploads.size).toBe(0);
  });

  it('is refused without the role, of another kind, and when it is too large', async () => {
    const operator = await headersOf(gateway, 'eve', [{ role: 'lab_admin', lab: 'a' }]);
    expect(await put(`my_lab/${hash}`, content, operator)).toMatchObject({ status: 403 });
    const headers = await deployerOf('a');
    const json = await gateway.send('PUT', `/api/packages/my_lab/${hash}`, { a: 1 }, headers);
    expect(json.status).toBe(415);
    const elsewhere = await gateway.send('POST', '/api/labs/load', undefined, {
      ...headers,
      'content-type': 'application/gzip',
    });
    expect([415, 403, 422]).toContain(elsewhere.status);
    const large = Buffer.alloc(packageLimits.packedBytes + 1);
    expect(await put(`my_lab/${sha256Of(large)}`, large, headers)).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    });
    for (const path of [`../${hash}`, 'my_lab/NOHASH', `my%20lab/${hash}`])
      expect([404, 415, 422]).toContain((await put(path, content, headers)).status);
    expect(gateway.packages.uploads.size).toBe(0);
  });
});

describe('an activation', () => {
  it('passes on who may deploy what, and answers 202 while work is in the way', async () => {
    gateway.requests.on(definitionRequests.activatePackage, () => ({ ...made, state: 'draining' as const }));
    const body = { sha256: hash, expect: 'none', drain: true, commit: 'abc', author: 'ada' };
    const answer = await gateway.send('POST', '/api/packages/my_lab/activate', body, await deployerOf('a'));
    expect(answer).toMatchObject({ status: 202, body: { state: 'draining' } });
    expect(gateway.requests.of(definitionRequests.activatePackage)[0]?.body).toEqual({
      ...{ name: 'my_lab', activation: body, deploy: ['a'], by: 'ci' },
    });
    expect(gateway.audit.entries.at(-1)).toMatchObject({
      by: 'ci',
      detail: { package: 'my_lab', sha256: hash, expect: 'none', commit: 'abc', author: 'ada', status: 202 },
    });
  });

  it('only says what would change with dry_run', async () => {
    gateway.requests.on(definitionRequests.tryPackage, () => ({ ...made, state: 'possible' as const }));
    const body = { sha256: hash, expect: 'none', dry_run: true };
    const answer = await gateway.send('POST', '/api/packages/my_lab/activate', body, await deployerOf('a'));
    expect(answer).toMatchObject({ status: 200, body: { state: 'possible' } });
    expect(gateway.requests.of(definitionRequests.activatePackage)).toEqual([]);
    expect(gateway.audit.entries.at(-1)).toMatchObject({ detail: { sha256: hash, dry_run: true } });
  });

  it('needs to know what is active at present', async () => {
    const body = { sha256: hash };
    const answer = await gateway.send('POST', '/api/packages/my_lab/activate', body, await deployerOf('a'));
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: 'expect' }] } });
  });
});

describe('a dry run of a package that is not uploaded', () => {
  const tried = (headers: Record<string, string>, sha256 = hash) =>
    fetch(`${gateway.url}/api/packages/my_lab/${sha256}/dry-run`, {
      method: 'POST',
      headers: { 'content-type': 'application/gzip', ...headers },
      body: content,
    });
  const dryRunner = () => headersOf(gateway, 'pr', [{ role: 'dry_runner', lab: 'a' }]);

  it('shows the orchestrator the bytes while it asks, and leaves no version', async () => {
    let shown: string[] = [];
    gateway.requests.on(definitionRequests.tryUpload, () => {
      shown = [...gateway.packages.uploads.keys()];
      return { ...made, state: 'possible' as const };
    });
    const answer = await tried(await dryRunner());
    expect([answer.status, ((await answer.json()) as { state: string }).state]).toEqual([200, 'possible']);
    expect(shown).toEqual([`dry run/${hash}`]);
    expect(gateway.requests.of(definitionRequests.tryUpload)[0]?.body).toEqual({
      ...{ name: 'my_lab', sha256: hash, labs: ['a'] },
    });
    expect(gateway.packages.uploads.size).toBe(0);
    expect(gateway.audit.entries.at(-1)).toMatchObject({ by: 'pr', detail: { dry_run: true, sha256: hash } });
  });

  it('leaves nothing when the orchestrator refuses it, and needs the role', async () => {
    gateway.requests.on(definitionRequests.tryUpload, () => {
      throw new ServiceError('invalid', 'the package has errors');
    });
    expect((await tried(await dryRunner())).status).toBe(422);
    expect((await tried(await dryRunner(), sha256Of(Buffer.from('other')))).status).toBe(422);
    expect((await tried(await headersOf(gateway, 'v', [{ role: 'lab_admin', lab: 'a' }]))).status).toBe(403);
    expect(gateway.packages.uploads.size).toBe(0);
    expect(await put(`my_lab/${hash}`, content, await dryRunner())).toMatchObject({ status: 403 });
  });
});

describe('the deletion of a version', () => {
  it('asks the orchestrator for the laboratories of the deployer, and tells the audit', async () => {
    const deleted = { package: 'my_lab', sha256: hash, size: 3 };
    gateway.requests.on(definitionRequests.deletePackage, () => deleted);
    const path = `/api/packages/my_lab/${hash}`;
    const answer = await gateway.send('DELETE', path, undefined, await deployerOf('a'));
    expect([answer.status, answer.body]).toEqual([200, deleted]);
    expect(gateway.requests.of(definitionRequests.deletePackage)[0]?.body).toEqual({
      ...{ name: 'my_lab', sha256: hash, deploy: ['a'], by: 'ci' },
    });
    expect(gateway.audit.entries.at(-1)).toMatchObject({
      action: 'DELETE /api/packages/{package_name}/{sha256}',
      detail: { package: 'my_lab', sha256: hash, status: 200 },
    });
    const viewer = await headersOf(gateway, 'v', [{ role: 'dry_runner', lab: 'a' }]);
    expect((await gateway.send('DELETE', path, undefined, viewer)).status).toBe(403);
  });
});

describe('the versions of a package', () => {
  it('are shown to a viewer of a laboratory that they concern, and to nobody else', async () => {
    await put(`my_lab/${hash}`, content, await deployerOf('a'));
    gateway.packages.active = {
      ...{ package: 'my_lab', sha256: hash, previous: 'folder', since: '2026-11-28T02:00:00.000Z' },
      ...{ by: 'ci', waiting: null },
    };
    const seen = async (lab: string) =>
      gateway.send(
        'GET',
        '/api/packages/my_lab/versions',
        undefined,
        await headersOf(gateway, 'v', [{ role: 'viewer', lab }]),
      );
    expect(await seen('a')).toMatchObject({
      status: 200,
      body: {
        ...{ active: hash, previous: 'folder', activated_by: 'ci', waiting: null },
        versions: [{ sha256: hash, active: true, active_since: '2026-11-28T02:00:00.000Z' }],
      },
    });
    expect(await seen('b')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
