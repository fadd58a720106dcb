import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certifyServer, makeCertificateAuthority } from '@lab/trust/certificates';
import { describe, expect, it } from 'vitest';
import { SilaClient, UntrustedServer } from '../../src/client/index.js';
import { libraries, Peer, python } from '../peers.js';

/** @returns the certificate that a connection was refused for */
async function fingerprintOf(peer: Peer, trust = {}): Promise<string> {
  const refused = await SilaClient.connect(peer.address, trust).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(UntrustedServer);
  return (refused as UntrustedServer).fingerprint;
}

describe.skipIf(python === undefined).each(libraries)('a server of %s with a certificate', (library) => {
  it('is refused until a person has confirmed the certificate, and its error shows what to confirm', async () => {
    const peer = await Peer.start(library, { tls: true });
    await expect(SilaClient.connect(peer.address, {})).rejects.toThrow(
      /nobody has confirmed \(CN SiLA2, .*\): compare its SHA-256 .* write fingerprint: '[0-9A-F:]{95}'/,
    );
    const fingerprint = await fingerprintOf(peer);
    const client = await SilaClient.connect(peer.address, { fingerprint }, peer.uuid);
    expect(client.server.uuid).toBe(peer.uuid);
    client.close();
    await peer.kill();
  });

  it('is refused with another certificate than the confirmed one', async () => {
    const peer = await Peer.start(library, { tls: true });
    const fingerprint = await fingerprintOf(peer);
    const client = await SilaClient.connect(peer.address, { fingerprint });
    const next = await peer.restart({ tls: true });
    // The connection of before does not fall for it either.
    await expect
      .poll(() => client.ping().catch((error: unknown) => error), { timeout: 20_000, interval: 500 })
      .toBeInstanceOf(UntrustedServer);
    expect(await fingerprintOf(next, { fingerprint })).not.toBe(fingerprint);
    client.close();
    await next.kill();
  });

  it('is trusted by the authority that has issued its certificate, and by no other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sila-trust-'));
    const now = Date.now();
    const [authority, other] = await Promise.all([
      makeCertificateAuthority('lab', now),
      makeCertificateAuthority('other lab', now),
    ]);
    const made = await certifyServer(authority, ['127.0.0.1'], now, 1);
    const keys = { key: join(folder, 'key.pem'), certificate: join(folder, 'certificate.pem') };
    writeFileSync(keys.key, made.key);
    writeFileSync(keys.certificate, made.certificate);
    const peer = await Peer.start(library, { keys });
    rmSync(folder, { recursive: true });
    const fingerprint = await fingerprintOf(peer);
    for (const trust of [{}, { fingerprint }]) {
      const trusting = { ...trust, authorities: authority.certificate };
      const client = await SilaClient.connect(peer.address, trusting, peer.uuid);
      expect(client.server.uuid).toBe(peer.uuid);
      client.close();
    }
    await expect(SilaClient.connect(peer.address, { authorities: other.certificate })).rejects.toThrow(
      /which none of the given authorities has issued for 127\.0\.0\.1/,
    );
    await peer.kill();
  });

  it('is not taken without encryption, nor the other way round', async () => {
    const plain = await Peer.start(library);
    await expect(SilaClient.connect(plain.address, {})).rejects.toThrow('no SiLA server with TLS answers at');
    await plain.kill();
  });
});
