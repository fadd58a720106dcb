import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** Code keys (Ed25519, RFC 8032): a lab signs its packages with one, and whoever builds a release signs its provenance. */

const publicKeyMark = 'svc_code_';
const publicKeyPattern = /^svc_code_([\w-]{43})$/;

/** Whether a text is the public part of a code key. */
export const isCodeKey = (text: string): boolean => publicKeyPattern.test(text);

/** The public code key of an authority, which signs code for the service. @param x in base64url */
export const codeKeyOf = (x: string): string => publicKeyMark + x;

/** @param pem PKCS #8 @throws Error in one sentence, without the text */
export function privateCodeKey(pem: string): { key: KeyObject; publicKey: string } {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new Error('The file has no private key. "svc pkg key new FILE" makes a code key.');
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error('The key in the file is no Ed25519 key. "svc pkg key new FILE" makes a code key.');
  return { key, publicKey: codeKeyOf(createPublicKey(key).export({ format: 'jwk' }).x ?? '') };
}

/** @param text public part of a code key @throws Error in one sentence when it is none */
export function publicCodeKey(text: string): KeyObject {
  const [, x] = publicKeyPattern.exec(text) ?? [];
  if (x === undefined) throw new Error(`${publicKeyMark} and 43 characters are a code key.`);
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
