import { z } from 'zod';
import { acceptedIn, AuthorityCheck, type PublicAuthorityKey } from './authority.js';

/**
 * The public keys with which the service signs what computers believe. When the service replaces its key, it makes a new list,
 * and signs it with each key that was believed until then and with the new one. So a computer that has pinned one of them
 * learns of the new one over a connection that nobody vouches for. After several replacements, it follows them one after the other.
 */

const listShape = z.strictObject({
  // Other statements that the key signs have no such field.
  list: z.literal('keys of the service'),
  version: z.literal(1),
  made_at: z.iso.datetime(),
  /** Newest first. A key that is not here is not believed. */
  keys: z
    .array(z.strictObject({ x: z.string().regex(/^[\w-]{43}$/), until: z.iso.datetime().nullable() }))
    .min(1)
    .max(20),
});

export type ServiceKeyList = z.infer<typeof listShape>;

/** What a computer knows of the keys. */
export interface KnownServiceKeys {
  keys: readonly PublicAuthorityKey[];
  /** Of the list that it knows; undefined: it knows only what it pinned when it joined. */
  made_at?: string | undefined;
}

/** @param signer with one of the keys. @param now milliseconds since 1970 */
export function signServiceKeys(
  signer: { sign(statement: object): string },
  keys: readonly PublicAuthorityKey[],
  now: number,
): string {
  const list: ServiceKeyList = {
    ...{ list: 'keys of the service', version: 1, made_at: new Date(now).toISOString() },
    keys: keys.map(({ x, until }) => ({ x, until })),
  };
  return signer.sign(list);
}

/**
 * Follows the replacements in signed lists.
 *
 * @param signed oldest first. Other statements are passed over
 * @param now milliseconds since 1970: a key that has ended by then vouches for nothing
 * @returns the newest list that a believed key has signed; undefined: none is newer than what is known
 */
export function followServiceKeys(
  signed: readonly string[],
  known: KnownServiceKeys,
  now: number,
): ServiceKeyList | undefined {
  let last: ServiceKeyList | undefined;
  for (const each of signed) {
    const { keys, made_at: seen } = last ?? known;
    const list = readServiceKeys(each, new AuthorityCheck(() => acceptedIn(keys, now)));
    if (list !== undefined && (seen === undefined || Date.parse(list.made_at) > Date.parse(seen)))
      last = list;
  }
  return last;
}

function readServiceKeys(signed: string, check: AuthorityCheck): ServiceKeyList | undefined {
  try {
    return listShape.safeParse(check.readOnce(signed)).data;
  } catch {
    return undefined;
  }
}

/** The list in a signed text, for somebody who has written the text. @returns undefined: it is no such list */
export function writtenServiceKeys(signed: string): ServiceKeyList | undefined {
  try {
    return listShape.parse(JSON.parse(Buffer.from(signed.split('.')[0] ?? '', 'base64url').toString()));
  } catch {
    return undefined;
  }
}

/** The list in the text of a file of one's own; undefined: it is damaged. */
export function keptServiceKeys(text: string): ServiceKeyList | undefined {
  try {
    return listShape.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
