import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpsSettings } from '@lab/runtime';
import { readIfThere, writePrivately } from './private-files.js';
import { OwnAuthority } from './own-authority.js';

const dayMs = 86_400_000;
/** How long before its end a certificate of a server is replaced, in days. */
const renewDays = 30;
/** Interval at which the end of a certificate is looked at, in milliseconds. */
const lookEveryMs = 6 * 3_600_000;
/** Interval at which the authority is looked at, which may have been rotated, in milliseconds. */
const authorityEveryMs = 30_000;

/**
 * Makes sure that the gateway finds a certificate of the service's own authority, and replaces it before it ends, for as long
 * as this process runs.
 *
 * @returns a function that ends the replacing, and resolves when no file is written any more; nothing is done with another certificate
 */
export async function keepHttpsCertificate(
  dataDir: string,
  { certificate, names }: HttpsSettings,
): Promise<() => Promise<void>> {
  if (certificate !== 'own') return () => Promise.resolve();
  let [lookedAt, certifier] = [Date.now(), await renewIfDue(dataDir, names)];
  const look = async (): Promise<void> => {
    const isEarly = Date.now() - lookedAt < lookEveryMs;
    if (isEarly && OwnAuthority.present(dataDir)?.certificate === certifier) return;
    [lookedAt, certifier] = [Date.now(), await renewIfDue(dataDir, names)];
  };
  // A failure leaves the present certificate, and the next look tries again.
  let looking: Promise<void> | undefined;
  const timer = setInterval(() => {
    // One at a time: two would mix the key of one certificate with the other certificate.
    looking ??= look()
      .catch(() => undefined)
      .finally(() => (looking = undefined));
  }, authorityEveryMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await looking;
  };
}

/** @returns the certificate of the authority that has certified the gateway */
async function renewIfDue(dataDir: string, names: readonly string[]): Promise<string> {
  const folder = join(dataDir, 'https');
  const all: [string, ...string[]] = ['localhost', '127.0.0.1', '::1', ...names];
  const present = readIfThere(join(folder, 'certificate.pem'));
  const authority = await OwnAuthority.kept(dataDir);
  authority.publish(readIfThere(join(dataDir, 'secrets', 'broker-keys')));
  const { certificate } = authority;
  if (present?.endsWith(certificate) === true) {
    const { isCertifiedFor } = await import('@lab/trust/certificates');
    if (isCertifiedFor(present, all, Date.now(), renewDays * dayMs)) return certificate;
  }
  const made = await authority.certify(all);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writePrivately(join(folder, 'key.pem'), made.key);
  writePrivately(join(folder, 'certificate.pem'), made.certificate);
  return certificate;
}
