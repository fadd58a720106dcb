import { randomUUID, X509Certificate } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { announce, deviceFeature, SilaServer } from '@lab/sila';
import { certifyServer, makeCertificateAuthority } from '@lab/trust/certificates';
import { svcHere } from './in-process.js';

/** `svc device discover` with servers of our own on the loopback interface. */

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of open.splice(0).reverse()) await end();
});

/** Announces a server on the loopback interface. */
async function tell(uuid: string, name: string, port: number): Promise<void> {
  const about = { version: '1.0', description: 'Reads plates' };
  const { withdraw } = await announce({ uuid, name, ...about, address: { host: '127.0.0.1', port } });
  open.push(withdraw);
}

async function announced(name: string, keys?: { key: string; certificate: string }) {
  const identity = {
    ...{ uuid: randomUUID(), name, type: 'PlateReader', description: 'Reads plates', version: '1.0' },
    vendorUrl: 'https://example.org',
  };
  const status = { name: 'status', kind: 'query', description: null, parameters: {} } as const;
  const feature = deviceFeature('reader', 'org.example', [status], () => Promise.resolve('ready'));
  const server = new SilaServer(identity, [feature]);
  const port = await server.listen('127.0.0.1', 0, keys);
  open.push(() => server.close());
  await tell(identity.uuid, name, port);
  return { uuid: identity.uuid, address: `127.0.0.1:${port}` };
}

const discover = (...flags: string[]) =>
  svcHere(['device', 'discover', '--interface', '127.0.0.1', '--timeout', '2.5', ...flags]);

describe('svc device discover', () => {
  it('lists servers with their certificates, and the command that adds each to a package', async () => {
    const authority = await makeCertificateAuthority('lab', Date.now());
    const keys = await certifyServer(authority, ['127.0.0.1'], Date.now(), 1);
    const fingerprint = new X509Certificate(keys.certificate).fingerprint256;
    const [secured, plain] = [await announced('Reader 1', keys), await announced('Reader \u001B[2J2')];
    const { code, out } = await discover('--features');
    expect(code).toBe(0);
    const [first = '', second = ''] = ['Reader 1\n', 'Reader  [2J2\n'].map((name) =>
      out.slice(out.indexOf(name)),
    );
    for (const line of [
      'type         PlateReader',
      `UUID         ${secured.uuid}`,
      `address      ${secured.address}`,
      'certificate  of an authority that this computer does not know, CN',
      `SHA-256      ${fingerprint}`,
      'feature  org.example/devices/Reader/v1',
      `svc pkg add device PACKAGE reader_1 --kind sila --set address=${secured.address} --set server_uuid=${secured.uuid}\n`,
      "Compare the SHA-256 with what the instrument shows. If it is the same, add --set fingerprint='...'.",
    ])
      expect(first).toContain(`  ${line}`);
    expect(second).toContain('certificate  none: the server does not encrypt');
    expect(second).toContain(`--set server_uuid=${plain.uuid} --set insecure=true`);
    expect(out).not.toContain('\u001B');
  });

  it('prints the list as JSON, also with a server that does not answer', async () => {
    const uuid = randomUUID();
    await tell(uuid, 'Away', 9);
    const { code, out } = await discover('--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toContainEqual({
      ...{ kind: 'sila', name: 'Away', type: null, uuid, address: '127.0.0.1:9' },
      ...{ certificate: null, features: [] },
      problem: expect.stringContaining('did not answer (UNAVAILABLE') as string,
    });
  });

  it('refuses a time that is none', async () => {
    expect(await discover('--timeout', 'soon')).toMatchObject({ code: 2 });
  });
});
