import { createHash, X509Certificate } from 'node:crypto';

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The certificates in a PEM text as a PEM text that contains nothing else. Only this text is what {@link fingerprintOf} covers:
 * a TLS library may find certificates in other forms in the text that was given.
 *
 * @throws Error when the text contains no certificate
 */
export function certificatesIn(pem: string): string {
  return parsed(pem).map(String).join('');
}

/**
 * The fingerprint of all certificates in a PEM text: SHA-256 of their DER forms, in base64url, 43 characters. Somebody who adds
 * a certificate changes it.
 *
 * @throws Error when the text contains no certificate
 */
export function fingerprintOf(pem: string): string {
  const hash = createHash('sha256');
  for (const { raw } of parsed(pem)) hash.update(raw);
  return hash.digest('base64url');
}

function parsed(pem: string): X509Certificate[] {
  const found = pem.match(block) ?? [];
  if (found.length === 0) throw new Error('the text contains no certificate');
  return found.map((each) => new X509Certificate(each));
}
