import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { HttpsSettings } from '@lab/runtime';
import type { GatewayConfig } from './config.js';
import type { TrustedAuthorities } from './enrolment/index.js';
import type { HttpsFiles } from './http/index.js';

/**
 * The files of HTTPS as they are configured; undefined: the gateway does not encrypt.
 *
 * @param dataDir where `svc` writes the certificate that the service makes for itself
 */
export function httpsFilesOf({ certificate, key }: HttpsSettings, dataDir: string): HttpsFiles | undefined {
  if (certificate === undefined) return undefined;
  if (key !== undefined) return { certificate: resolve(certificate), key: resolve(key) };
  return { certificate: join(dataDir, 'https', 'certificate.pem'), key: join(dataDir, 'https', 'key.pem') };
}

/** The authorities that computers must trust; undefined: they trust what their system trusts. */
export function authoritiesFor({ tlsCa, https, dataDir }: GatewayConfig): TrustedAuthorities | undefined {
  if (tlsCa === undefined && https.certificate !== 'own') return undefined;
  const certificates = (): string => tlsCa?.reveal() ?? readFileSync(join(dataDir, 'ca.pem'), 'utf8');
  // An error now instead of with the first computer.
  certificates();
  const path = join(dataDir, 'ca-list');
  return {
    certificates,
    signedList: () => (existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined),
  };
}
