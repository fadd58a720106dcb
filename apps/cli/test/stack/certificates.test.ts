import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certifyServer } from '@lab/trust/certificates';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepHttpsCertificate } from '../../src/stack/certificates.js';
import { authorityPath, OwnAuthority } from '../../src/stack/own-authority.js';

const dayMs = 86_400_000;
let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-certificates-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const pathOf = (name: string): string => join(dataDir, 'https', name);
const served = (): string => readFileSync(pathOf('certificate.pem'), 'utf8');

/** Looks after the certificate once, as a start of the service does. */
async function started(names: readonly string[] = ['lab-server']): Promise<string> {
  const end = await keepHttpsCertificate(dataDir, { certificate: 'own', names: [...names] });
  await end();
  return served();
}

/** Puts a certificate of the service's authority in place that is valid for so many days. */
async function valid(days: number): Promise<string> {
  await started();
  const authority = await OwnAuthority.kept(dataDir);
  const key = readFileSync(join(dataDir, 'secrets', 'ca-key'), 'utf8');
  const names = ['localhost', '127.0.0.1', '::1', 'lab-server'] as const;
  const pair = await certifyServer({ key, certificate: authority.certificate }, [...names], Date.now(), days);
  writeFileSync(pathOf('certificate.pem'), pair.certificate);
  return pair.certificate;
}

describe('the authority of a service', () => {
  it('is made once, and its key is readable for its user alone', async () => {
    const { certificate } = await OwnAuthority.kept(dataDir);
    expect((await OwnAuthority.kept(dataDir)).certificate).toBe(certificate);
    expect(readFileSync(authorityPath(dataDir), 'utf8')).toBe(certificate);
    expect(statSync(join(dataDir, 'secrets', 'ca-key')).mode & 0o777).toBe(0o600);
    expect(new X509Certificate(certificate).ca).toBe(true);
  });

  it('certifies a server for its names, for 90 days', async () => {
    const authority = await OwnAuthority.kept(dataDir);
    const made = new X509Certificate((await authority.certify(['lab-server', '192.168.0.2'])).certificate);
    expect(made.checkHost('lab-server')).toBe('lab-server');
    expect(made.checkIP('192.168.0.2')).toBe('192.168.0.2');
    expect(made.checkHost('other')).toBeUndefined();
    expect(made.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
    expect((Date.parse(made.validTo) - Date.now()) / dayMs).toBeCloseTo(90, 0);
  });
});

describe('the certificate for HTTPS', () => {
  it('is valid for this computer and the names of the settings, and stays over a restart', async () => {
    const first = await started();
    expect(await started()).toBe(first);
    const certificate = new X509Certificate(first);
    for (const name of ['localhost', 'lab-server']) expect(certificate.checkHost(name)).toBe(name);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(first.endsWith((await OwnAuthority.kept(dataDir)).certificate)).toBe(true);
    expect(statSync(pathOf('key.pem')).mode & 0o777).toBe(0o600);
  });

  it('is replaced when the settings have another name', async () => {
    const first = await started();
    const next = await started(['lab-server', 'lab.example.org']);
    expect(next).not.toBe(first);
    expect(new X509Certificate(next).checkHost('lab.example.org')).toBe('lab.example.org');
  });

  it.each([
    ['is replaced within 30 days of its end', 29, true],
    ['stays until 30 days before its end', 31, false],
  ])('%s', async (_, days, replaced) => {
    const present = await valid(days);
    expect((await started()) !== present).toBe(replaced);
  });

  it('is replaced when another authority has certified it', async () => {
    const first = await started();
    for (const path of [authorityPath(dataDir), join(dataDir, 'secrets', 'ca-key')]) rmSync(path);
    const next = await started();
    expect(next).not.toBe(first);
    expect(next.endsWith(readFileSync(authorityPath(dataDir), 'utf8'))).toBe(true);
  });

  it('of the lab itself is left alone', async () => {
    const end = await keepHttpsCertificate(dataDir, { certificate: '/etc/lab.pem', names: [] });
    await end();
    expect(existsSync(join(dataDir, 'https'))).toBe(false);
    expect(existsSync(authorityPath(dataDir))).toBe(false);
  });
});
