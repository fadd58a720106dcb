import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { HttpsSettings } from '@lab/runtime';
import type { CertifiedKey } from '@lab/trust/certificates';
import { readIfThere, writePrivately } from './data-folder.js';

const dayMs = 86_400_000;
/** How long a certificate of a server is valid, and how long before its end it is replaced, in days. */
const validDays = 90;
const renewDays = 30;
/** Interval at which the end of a certificate is looked at, in milliseconds. */
const lookEveryMs = 6 * 3_600_000;

/** Path of the certificate of the service's own authority, which computers of the lab trust. It is no secret. */
export const authorityPath = (dataDir: string): string => join(dataDir, 'ca.pem');

/** The certificate authority of a service. Its key stays in the data folder. */
export class OwnAuthority {
  private constructor(private readonly pair: CertifiedKey) {}

  /** Makes the authority if the data folder has none. */
  static async kept(dataDir: string): Promise<OwnAuthority> {
    const keyPath = join(dataDir, 'secrets', 'ca-key');
    const key = readIfThere(keyPath);
    const certificate = readIfThere(authorityPath(dataDir));
    if (key !== undefined && certificate !== undefined) return new OwnAuthority({ key, certificate });
    const { makeCertificateAuthority } = await import('@lab/trust/certificates');
    const pair = await makeCertificateAuthority(`laboratory ${hostname()}`, Date.now());
    mkdirSync(join(dataDir, 'secrets'), { recursive: true, mode: 0o700 });
    writePrivately(keyPath, pair.key);
    writePrivately(authorityPath(dataDir), pair.certificate);
    return new OwnAuthority(pair);
  }

  get certificate(): string {
    return this.pair.certificate;
  }

  /** Certifies a new key of a server for these names and addresses. */
  async certify(names: readonly [string, ...string[]]): Promise<CertifiedKey> {
    const { certifyServer } = await import('@lab/trust/certificates');
    return certifyServer(this.pair, names, Date.now(), validDays);
  }
}

/**
 * Makes sure that the gateway finds a certificate of the service's own authority, and replaces it before it ends, for as long
 * as this process runs.
 *
 * @returns a function that ends the replacing; nothing is done with another certificate
 */
export async function keepHttpsCertificate(
  dataDir: string,
  { certificate, names }: HttpsSettings,
): Promise<() => void> {
  if (certificate !== 'own') return () => undefined;
  await renewIfDue(dataDir, names);
  // A failure leaves the present certificate, and the next look tries again.
  const timer = setInterval(() => void renewIfDue(dataDir, names).catch(() => undefined), lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

async function renewIfDue(dataDir: string, names: readonly string[]): Promise<void> {
  const folder = join(dataDir, 'https');
  const all: [string, ...string[]] = ['localhost', '127.0.0.1', '::1', ...names];
  const present = readIfThere(join(folder, 'certificate.pem'));
  const authority = await OwnAuthority.kept(dataDir);
  if (present?.endsWith(authority.certificate) === true) {
    const { isCertifiedFor } = await import('@lab/trust/certificates');
    if (isCertifiedFor(present, all, Date.now(), renewDays * dayMs)) return;
  }
  const made = await authority.certify(all);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writePrivately(join(folder, 'key.pem'), made.key);
  writePrivately(join(folder, 'certificate.pem'), made.certificate);
}
