import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { HttpsSettings } from '@lab/runtime';
import type { GatewayConfig } from './config.js';
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

/** PEM certificate of the authority that computers must trust; undefined: they trust what their system trusts. */
export function authorityFor({ tlsCa, https, dataDir }: GatewayConfig): string | undefined {
  if (tlsCa !== undefined) return tlsCa.reveal();
  return https.certificate === 'own' ? readFileSync(join(dataDir, 'ca.pem'), 'utf8') : undefined;
}
