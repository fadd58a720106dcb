import { createServer, connect, type TLSSocket } from 'node:tls';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { certifyServer, isCertifiedFor, makeCertificateAuthority } from '../src/certificates.js';
import { certificatesIn, fingerprintOf } from '../src/fingerprint.js';

const now = Date.now();
const day = 86_400_000;

/** What a client that trusts one authority makes of a server. */
async function reach(
  server: { certificate: string; key: string },
  authority: string,
  as: { host: string; servername?: string },
): Promise<string> {
  const listening = createServer({ cert: server.certificate, key: server.key }, (socket) =>
    socket.end('hello'),
  );
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const socket: TLSSocket = connect({ port, ca: authority, ...as });
  try {
    const [data] = (await once(socket, 'data')) as [Buffer];
    return data.toString();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    socket.destroy();
    listening.close();
  }
}

describe('a certificate of a server', () => {
  it('is accepted for its names alone, by those who trust its authority', async () => {
    const authority = await makeCertificateAuthority('svc', now);
    const other = await makeCertificateAuthority('svc', now);
    const server = await certifyServer(authority, ['lab-server', '127.0.0.1'], now, 90);
    const here = { host: '127.0.0.1' };
    expect(await reach(server, authority.certificate, here)).toBe('hello');
    expect(await reach(server, authority.certificate, { ...here, servername: 'lab-server' })).toBe('hello');
    expect(await reach(server, authority.certificate, { ...here, servername: 'elsewhere' })).toBe(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    );
    expect(await reach(server, other.certificate, here)).not.toBe('hello');
    const late = await certifyServer(authority, ['127.0.0.1'], now - 100 * day, 90);
    expect(await reach(late, authority.certificate, here)).toBe('CERT_HAS_EXPIRED');
  });

  it('is renewed when a name is missing or its end is near', async () => {
    const { certificate } = await certifyServer(
      await makeCertificateAuthority('svc', now),
      ['a', '10.0.0.1'],
      now,
      90,
    );
    expect(isCertifiedFor(certificate, ['a', '10.0.0.1'], now, 30 * day)).toBe(true);
    expect(isCertifiedFor(certificate, ['a', 'b'], now, 30 * day)).toBe(false);
    expect(isCertifiedFor(certificate, ['10.0.0.2'], now, 30 * day)).toBe(false);
    expect(isCertifiedFor(certificate, ['a'], now + 61 * day, 30 * day)).toBe(false);
  });

  it('does not outlive its authority', async () => {
    const authority = await makeCertificateAuthority('svc', now);
    const { certificate } = await certifyServer(authority, ['a'], now, 36_500);
    expect(isCertifiedFor(certificate, ['a'], now, 3_651 * day)).toBe(false);
  });

  it('two authorities of one name have different fingerprints', async () => {
    const [one, two] = await Promise.all([
      makeCertificateAuthority('svc', now),
      makeCertificateAuthority('svc', now),
    ]);
    expect(fingerprintOf(one.certificate)).toMatch(/^[\w-]{43}$/);
    expect(fingerprintOf(one.certificate)).not.toBe(fingerprintOf(two.certificate));
  });

  it('added to a text changes the fingerprint of the text, or is not among its certificates', async () => {
    const [one, two] = await Promise.all([
      makeCertificateAuthority('svc', now),
      makeCertificateAuthority('svc', now),
    ]);
    const both = `# ours\n${one.certificate}${two.certificate}`;
    expect(fingerprintOf(both)).not.toBe(fingerprintOf(one.certificate));
    expect(certificatesIn(both)).toBe(`${one.certificate}${two.certificate}`);
    // TLS libraries also read certificates under this name.
    const hidden = `${one.certificate}${two.certificate.replaceAll('CERTIFICATE', 'X509 CERTIFICATE')}`;
    expect(fingerprintOf(hidden)).toBe(fingerprintOf(one.certificate));
    expect(certificatesIn(hidden)).toBe(one.certificate);
    expect(() => fingerprintOf('no certificate')).toThrow('contains no certificate');
  });
});
