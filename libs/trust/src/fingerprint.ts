import { createHash, X509Certificate } from 'node:crypto';

/**
 * The fingerprint of the first certificate in a PEM text: SHA-256 of its DER form, in base64url, 43 characters.
 *
 * @throws Error when the text contains no certificate
 */
export function fingerprintOf(pem: string): string {
  return createHash('sha256').update(new X509Certificate(pem).raw).digest('base64url');
}
