import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certifyServer, makeCertificateAuthority } from '@lab/trust/certificates';

/** Certificates of a server at 127.0.0.1, in files. */
export interface Certificates {
  folder: string;
  /** File of the authority. */
  ca: string;
  /** File of an authority that has certified nothing. */
  otherCa: string;
  right: { cert: string; key: string };
  /** With which a client identifies itself. */
  client: { cert: string; key: string };
  /** Of a server with the name `supply.lab`. */
  named: { cert: string; key: string };
  expired: { cert: string; key: string };
  dispose: () => void;
}

export async function makeCertificates(): Promise<Certificates> {
  const folder = mkdtempSync(join(tmpdir(), 'lab-certificates-'));
  const now = Date.now();
  const [authority, other] = await Promise.all([
    makeCertificateAuthority('test lab', now),
    makeCertificateAuthority('another lab', now),
  ]);
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const server = async (days: number, name = '127.0.0.1', use: 'server' | 'peer' = 'server') => {
    const { certificate, key } = await certifyServer(authority, [name], now, days, use);
    return { cert: certificate, key };
  };
  return {
    folder,
    ca: write('ca.pem', authority.certificate),
    otherCa: write('other.pem', other.certificate),
    right: await server(1),
    named: await server(1, 'supply.lab'),
    client: await server(1, 'device', 'peer'),
    // Certificates begin an hour before they are made.
    expired: await server(-1 / 48),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
