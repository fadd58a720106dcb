import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isServiceError } from '@lab/contracts';
import { certifyServer, makeCertificateAuthority, type CertifiedKey } from '@lab/trust/certificates';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostCheck, type HostNames } from '../../src/http/host-names.js';
import { raw, startHarness, type Harness } from '../twins.js';

const usual: HostNames = {
  host: '0.0.0.0',
  publicUrl: 'https://lab.example.org:8443',
  computer: 'Bench-PC.lab.local',
  allowed: ['gateway'],
  certificate: () => undefined,
};
let authority: CertifiedKey;
beforeAll(async () => {
  authority = await makeCertificateAuthority('test', Date.now());
});

/** What the check says about a header `Host`; undefined: it accepts the header. */
function answerTo(header: string | undefined, names: Partial<HostNames> = {}): string | undefined {
  try {
    hostCheck({ ...usual, ...names })(header);
    return undefined;
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'misdirected') throw error;
    return error.message;
  }
}

describe('a server is known', () => {
  it.each([
    ['by the name of its computer', 'bench-pc.lab.local:8070'],
    ['by the name of its computer without the domain', 'bench-pc'],
    ['by its public address', 'lab.example.org:8443'],
    ['by a configured name', 'gateway:8070'],
    ['in any case of letters, with the dot of the root', 'LAB.Example.ORG.:1'],
    ['on its own computer', 'localhost:8070'],
    ['by any address, which nobody can rebind', '192.168.1.4:8070'],
    ['by any address of IPv6', '[2001:db8::1]:8070'],
  ])('%s', (_rule, header) => expect(answerTo(header)).toBeUndefined());

  it('by the name that it listens on', () => {
    expect(answerTo('bench:1', { host: 'bench' })).toBeUndefined();
    expect(answerTo('bench:1')).toBeDefined();
  });

  it('by the names in its certificate, as long as it has that certificate', async () => {
    const { certificate } = await certifyServer(
      authority,
      ['lab-server', '*.rooms.example.org'],
      Date.now(),
      1,
    );
    let present: X509Certificate | undefined = new X509Certificate(certificate);
    const check = (header: string): string | undefined => answerTo(header, { certificate: () => present });
    expect(check('LAB-server:8443')).toBeUndefined();
    expect(check('a.rooms.example.org')).toBeUndefined();
    expect(check('a.b.rooms.example.org')).toContain('a.b.rooms.example.org');
    expect(check('evil.example.com')).toContain('evil.example.com');
    present = undefined;
    expect(check('lab-server:8443')).toContain('lab-server');
  });
});

describe('a server is not known', () => {
  it.each([
    'evil.example.com',
    'evil.example.com:8070',
    '127.0.0.1.evil.example.com',
    'localhost.evil.com',
    'lab.example.org.evil.com',
    'evil.com:80@localhost',
    'localhost evil.com',
    '[::1].evil.com',
    '[evil.com]',
    '::1',
    '.',
    '\u0000',
  ])('by "%s", on whatever address it listens', (header) => {
    for (const host of ['127.0.0.1', '0.0.0.0', '::', '192.168.1.4'])
      expect(answerTo(header, { host })).toContain('http.allowed_hosts');
  });

  it.each([undefined, ''])('without a name (%j)', (header) => {
    expect(answerTo(header)).toContain('no header "Host"');
  });

  it('and says so in one sentence of bounded length, which names the setting', () => {
    expect(answerTo('evil.example.com:8070')).toBe(
      'This service is not known as "evil.example.com". If clients shall reach it by this name, list the name under ' +
        'http.allowed_hosts in config.yml, or in SVC_ALLOWED_HOSTS, or set SVC_PUBLIC_URL.',
    );
    expect(answerTo('x'.repeat(10_000))?.length).toBeLessThan(400);
  });
});

describe('a gateway on every address of its computer', () => {
  let folder: string;
  let plain: Harness;
  let secure: Harness;
  const https = () => ({ certificate: join(folder, 'certificate.pem'), key: join(folder, 'key.pem') });
  const certify = async (name: string): Promise<void> => {
    const { certificate, key } = await certifyServer(authority, [name], Date.now(), 1);
    writeFileSync(https().key, key);
    writeFileSync(https().certificate, certificate);
    utimesSync(https().certificate, new Date(), new Date());
  };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lab-names-'));
    await certify('lab-server');
    plain = await startHarness({ host: '0.0.0.0', allowedHosts: ['gateway'] });
    secure = await startHarness({ host: '0.0.0.0', https: https() });
  });
  afterAll(async () => {
    await Promise.all([plain.server.close(), secure.server.close()]);
    rmSync(folder, { recursive: true });
  });

  const here = (): string => plain.url.replace('0.0.0.0', '127.0.0.1');
  const overTls = (host: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(secure.url);
      const options = { host: '127.0.0.1', port, path: '/api/me', headers: { host }, agent: false };
      request({ ...options, ca: authority.certificate, servername: '', checkServerIdentity: () => undefined })
        .on('error', reject)
        .on('response', (response) => resolve(response.resume().statusCode ?? 0))
        .end();
    });

  it.each(['/', '/api/me', '/health/ready', '/metrics', '/docs', '/api/unknown'])(
    'refuses %s under a foreign name, and records it',
    async (path) => {
      plain.refused.kept = [];
      const { status, body } = await raw(here(), `GET ${path} HTTP/1.1`, ['Host: evil.example.com:8070']);
      expect(status).toBe(421);
      expect(JSON.parse(body)).toMatchObject({
        code: 'misdirected',
        detail: expect.stringContaining('"evil.example.com"') as string,
      });
      await plain.refusals.flush();
      expect(plain.refused.kept).toEqual([expect.objectContaining({ kind: 'origin', count: 1 })]);
    },
  );

  it('answers under its own names', async () => {
    for (const host of ['gateway', hostname(), 'localhost', '10.1.2.3:8070'])
      expect((await raw(here(), 'GET /api/me HTTP/1.1', [`Host: ${host}`])).status).toBe(200);
  });

  it('answers under the names in its certificate, also after the certificate was renewed', async () => {
    expect(await overTls('lab-server')).toBe(200);
    expect(await overTls('other-server')).toBe(421);
    await certify('other-server');
    await expect.poll(() => overTls('other-server'), { timeout: 10_000, interval: 200 }).toBe(200);
    expect(await overTls('lab-server')).toBe(421);
  }, 15_000);
});
