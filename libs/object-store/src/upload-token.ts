import { createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '@lab/contracts';
import type { Content } from './object-store.js';

/** What a token allows: this content, under this key, until then. */
export interface UploadGrant extends Content {
  key: string;
}

/** Separates these signatures from any other use of the same secret. */
const purpose = 'upload.1.';

/** Signs a grant. Whoever holds the token may use it until it expires; nobody can change it. */
export function signGrant(grant: UploadGrant, expiresAt: number, secret: string): string {
  const { key, size, sha256 } = grant;
  const payload = Buffer.from(JSON.stringify([key, size, sha256, expiresAt])).toString('base64url');
  return `${payload}.${signature(payload, secret).toString('base64url')}`;
}

/**
 * @param now milliseconds since 1970
 * @throws ServiceError `forbidden` when the token was not signed with the secret, or has expired
 */
export function readGrant(token: string, now: number, secret: string): UploadGrant {
  const [payload = '', signed = '', ...rest] = token.split('.');
  const given = Buffer.from(signed, 'base64url');
  const wanted = signature(payload, secret);
  // The text is compared too: base64url has several spellings of the same bytes.
  const genuine =
    rest.length === 0 &&
    given.length === wanted.length &&
    timingSafeEqual(given, wanted) &&
    given.toString('base64url') === signed;
  if (!genuine) throw new ServiceError('forbidden', 'the upload ticket is not valid');
  const [key, size, sha256, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
    string,
    number,
    string,
    number,
  ];
  if (now >= expiresAt) throw new ServiceError('forbidden', 'the upload ticket has expired');
  return { key, size, sha256 };
}

function signature(payload: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(purpose).update(payload).digest();
}
