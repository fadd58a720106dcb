import { definitionRequests, type PackageActivationRecord } from '@lab/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { byTokens, headersOf } from '../../gateway/test/tokens.js';
import { startHarness, type Harness } from '../../gateway/test/twins.js';
import { svcHere, trimmed } from './in-process.js';

/** The real gateway with tokens. The test scripts the answers of the orchestrator. */
let gateway: Harness;
beforeAll(async () => {
  gateway = await startHarness({}, undefined, byTokens);
});
afterAll(() => gateway.server.close());

const hash = 'a'.repeat(64);
const waiting: PackageActivationRecord = {
  ...{ package: 'my_lab', sha256: hash, before: 'none', state: 'draining', labs: ['a'] },
  ...{ definitions: [], devices: [], keeps_old: [], waits_for: ['task long'], started: [] },
};

it('says what becomes of a version whose token ends while it waits for work', async () => {
  const { authorization } = await headersOf(gateway, 'ci', [{ role: 'deployer', lab: 'a' }]);
  const upload = { package: 'my_lab', sha256: hash, size: 1, commit: null, author: null };
  gateway.packages.uploads.set(`my_lab/${hash}`, {
    uploaded: { ...upload, uploaded_at: '2026-11-28T00:00:00.000Z', uploaded_by: 'ci' },
    bytes: Buffer.alloc(1),
    accepted: true,
  });
  gateway.requests.on(definitionRequests.listPackages, () => ({ packages: [] }));
  gateway.requests.on(definitionRequests.activatePackage, () => {
    const none = { sha256: null, previous: null, since: null, by: null };
    gateway.packages.active = { package: 'my_lab', ...none, waiting: hash };
    for (const { id } of gateway.tokens.kept)
      void gateway.tokens.revoke(id, 'test', '2026-11-28T00:00:01.000Z');
    return waiting;
  });

  const env = { SVC_TOKEN: authorization.replace('Bearer ', '') };
  const args = ['pkg', 'activate', 'my_lab', hash, '--drain', '--url', gateway.url];
  expect(trimmed(await svcHere(args, { env }))).toEqual({
    code: 3,
    out: '',
    err: [
      'waiting until task long has ended',
      'The token ended while my_lab aaaaaaaaaaaa waited for work. The service still makes it active when the work has ended: see svc pkg versions my_lab.',
    ].join('\n'),
  });
});
