import { createHash, randomBytes } from 'node:crypto';
import type { TokenKind } from '@lab/contracts';

const prefixOf: Record<TokenKind, string> = { personal: 'svc_pat_', service: 'svc_svc_' };

/** Characters of the random part that are kept, to tell tokens from each other: they leave 232 unknown bits. */
const shownCharacters = 4;

/** A new token: 32 random bytes, which nobody guesses, so that a plain hash is enough to keep. */
export function newAccessToken(kind: TokenKind): { token: string; prefix: string; hash: string } {
  const token = prefixOf[kind] + randomBytes(32).toString('base64url');
  return {
    token,
    prefix: token.slice(0, prefixOf[kind].length + shownCharacters),
    hash: hashOfToken(token),
  };
}

/** SHA-256 of a token, hexadecimal. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether a text has the form of a token of this service. */
export function isAccessToken(text: string): boolean {
  return /^svc_(pat|svc)_[\w-]{43}$/.test(text);
}
