import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeKeys } from '@lab/trust';
import { AuthorityCheck } from '@lab/trust/authority';
import { readAuthorities, trustedIn } from '@lab/trust/authority-list';
import { certificatesIn } from '@lab/trust/fingerprint';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Keyring } from '../../src/keys/index.js';
import { keepHttpsCertificate } from '../../src/stack/certificates.js';
import { OwnAuthority } from '../../src/stack/own-authority.js';

const day = 86_400_000;
let dataDir: string;
const keys = makeKeys();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  dataDir = mkdtempSync(join(tmpdir(), 'svc-authority-'));
  mkdirSync(join(dataDir, 'secrets'));
  writeFileSync(join(dataDir, 'secrets', 'broker-keys'), JSON.stringify(keys));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dataDir, { recursive: true, force: true });
});

const file = (...path: string[]): string => readFileSync(join(dataDir, ...path), 'utf8');
const list = () => readAuthorities(file('ca-list').trim(), new AuthorityCheck(keys.authority.x));
const rotate = (overlapMs: number): Promise<string[]> => new Keyring(dataDir, {}).rotate('ca', { overlapMs });

/** Lets `svc start` look after its certificate once. @returns the certificates that the gateway shows */
async function served(): Promise<string> {
  await (
    await keepHttpsCertificate(dataDir, { certificate: 'own', names: ['lab-server'] })
  )();
  return file('https', 'certificate.pem');
}

it('signs after half of the overlap; both are trusted from the beginning, and the one before until the end', async () => {
  const before = (await OwnAuthority.kept(dataDir)).certificate;
  expect((await served()).endsWith(before)).toBe(true);
  const first = file('https', 'certificate.pem');
  await rotate(2 * day);
  const both = file('ca.pem');
  const [after = ''] = both.match(/-----BEGIN[^]+?-----END CERTIFICATE-----\n/) ?? [];
  expect(both).toBe(certificatesIn(after + before));
  expect(after).not.toBe(before);
  expect(trustedIn(list() ?? { authorities: [] }, Date.now())).toBe(both);
  expect(await served()).toBe(first);

  vi.advanceTimersByTime(day);
  const second = await served();
  expect(second.endsWith(certificatesIn(after))).toBe(true);
  expect(new X509Certificate(second).checkIssued(new X509Certificate(after))).toBe(true);
  expect(file('ca.pem')).toBe(both);

  vi.advanceTimersByTime(day);
  expect(await served()).toBe(second);
  expect(file('ca.pem')).toBe(certificatesIn(after));
  expect(list()?.authorities).toEqual([{ certificate: after, until: null }]);
});

it('signs at once with --now, and the one before is trusted no more', async () => {
  const before = (await OwnAuthority.kept(dataDir)).certificate;
  await served();
  await rotate(0);
  expect(file('ca.pem')).not.toContain(before);
  expect(list()?.authorities).toHaveLength(1);
  expect((await served()).endsWith((await OwnAuthority.kept(dataDir)).certificate)).toBe(true);
});

it('is noticed by a service that runs, within a minute', async () => {
  const end = await keepHttpsCertificate(dataDir, { certificate: 'own', names: ['lab-server'] });
  try {
    const first = file('https', 'certificate.pem');
    await rotate(0);
    vi.advanceTimersByTime(60_000);
    // `vi.waitFor` advances the faked timers. `expect.poll` does not.
    await vi.waitFor(() => expect(file('https', 'certificate.pem')).not.toBe(first), { timeout: 20_000 });
    await vi.waitFor(
      async () =>
        expect(
          file('https', 'certificate.pem').endsWith((await OwnAuthority.kept(dataDir)).certificate),
        ).toBe(true),
      { timeout: 20_000 },
    );
  } finally {
    await end();
  }
});

it('has a newer list than before also when the clock was set back', async () => {
  await OwnAuthority.kept(dataDir);
  await rotate(2 * day);
  const before = Date.parse(list()?.made_at ?? '');
  vi.setSystemTime(Date.now() - 30 * day);
  await rotate(0);
  expect(Date.parse(list()?.made_at ?? '')).toBeGreaterThan(before);
});

it('is not rotated before there is one, or with an overlap in which computers may not learn of it', async () => {
  await expect(rotate(2 * day)).rejects.toThrow(/"svc start" makes it with SVC_HTTPS_CERTIFICATE=own/);
  const { certificate } = await OwnAuthority.kept(dataDir);
  await expect(rotate(3_600_000)).rejects.toThrow(/Give --overlap 24h or more, or --now/);
  expect(file('ca.pem')).toBe(certificate);
});

it('is damaged in one sentence, without its key', async () => {
  await OwnAuthority.kept(dataDir);
  await rotate(2 * day);
  const path = join(dataDir, 'secrets', 'ca-key');
  writeFileSync(path, file('secrets', 'ca-key').replace(/-----BEGIN CERTIFICATE/, 'x'));
  await expect(OwnAuthority.kept(dataDir)).rejects.toThrow(/^The file secrets\/ca-key is damaged\.$/);
});
