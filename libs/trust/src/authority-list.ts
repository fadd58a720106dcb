import { z } from 'zod';
import { certificatesIn } from './fingerprint.js';

/**
 * Which certificate authorities certify the servers of a service. The list is signed with the key that computers pinned when they
 * joined. So a computer may fetch it over a connection that nobody vouches for, also after all authorities that it knew have ended.
 */

const entryShape = z.strictObject({
  /** PEM. */
  certificate: z.string().startsWith('-----BEGIN CERTIFICATE-----').max(8_192),
  /** From when it is not trusted any more, in ISO 8601. Null: it has no end but its own. */
  until: z.iso.datetime().nullable(),
});

const listShape = z.strictObject({
  // Other statements that the key signs have no such field.
  list: z.literal('certificate authorities'),
  version: z.literal(1),
  made_at: z.iso.datetime(),
  authorities: z.array(entryShape).min(1).max(20),
});

export type AuthorityEntry = z.infer<typeof entryShape>;
export type AuthorityList = z.infer<typeof listShape>;

/** @param signer with the key of the authority for agents. @param now milliseconds since 1970 */
export function signAuthorities(
  signer: { sign(statement: object): string },
  authorities: readonly AuthorityEntry[],
  now: number,
): string {
  const list: AuthorityList = {
    ...{ list: 'certificate authorities', version: 1, made_at: new Date(now).toISOString() },
    authorities: authorities.map(({ certificate, until }) => ({ certificate, until })),
  };
  return signer.sign(list);
}

/**
 * The list in a signed text.
 *
 * @param check with the keys that this computer pinned
 * @returns undefined: the service has not signed it, or it is no such list
 */
export function readAuthorities(
  signed: string,
  check: { readOnce(signed: string): unknown },
): AuthorityList | undefined {
  return listShape.safeParse(check.readOnce(signed)).data;
}

/** The list in a signed text, for somebody who has written the text. @returns undefined: it is no such list */
export function writtenAuthorities(signed: string): AuthorityList | undefined {
  try {
    return listShape.parse(JSON.parse(Buffer.from(signed.split('.')[0] ?? '', 'base64url').toString()));
  } catch {
    return undefined;
  }
}

/**
 * The authorities that have not ended, newest first, as PEM.
 *
 * @throws Error when one is no certificate
 */
export function trustedIn({ authorities }: Pick<AuthorityList, 'authorities'>, now: number): string {
  const trusted = authorities.filter(({ until }) => until === null || Date.parse(until) > now);
  return certificatesIn(trusted.map(({ certificate }) => certificate).join('\n'));
}
