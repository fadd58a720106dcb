import { rootCertificates } from 'node:tls';
import { makeKeys, withNewAuthority, type Keys } from '@lab/trust';
import { acceptedIn, Authority, AuthorityCheck } from '@lab/trust/authority';
import { readAuthorities, signAuthorities } from '@lab/trust/authority-list';
import { followServiceKeys, type KnownServiceKeys } from '@lab/trust/service-keys';
import type { Attack } from './attacks.js';

const day = 86_400_000;
const [certificate = '', another = ''] = rootCertificates;
const entries = (pem: string) => [{ certificate: pem, until: null }];

/**
 * Attacks of whoever answers an agent in place of the gateway, over a connection that the agent does not verify.
 *
 * @param keys of the service that the computer joined
 */
export function listAttacksOf(keys: Keys): Attack[] {
  const now = Date.now();
  const listWith = (signer: Keys): string =>
    signAuthorities(new Authority(signer.authority), entries(certificate), now);
  /** An agent of this service, which takes such a list of the service, must not believe what comes instead. */
  const untrusted = (name: string, instead: () => string, believed = keys): Attack => ({
    name: `joining: a list of certificate authorities ${name}`,
    attempt: async () => {
      const check = new AuthorityCheck(believed.authority.x);
      if (readAuthorities(listWith(believed), check) === undefined)
        throw new Error('the list itself is no list');
      const list = readAuthorities(instead(), check);
      return list === undefined ? undefined : `the agent believes ${JSON.stringify(list)}`;
    },
  });
  /** The same of the keys with which the service signs. */
  const unknown = (name: string, instead: () => readonly string[], known: KnownServiceKeys): Attack => ({
    name: `joining: keys of the service ${name}`,
    attempt: async () => {
      const list = followServiceKeys(instead(), known, now);
      return list === undefined ? undefined : `the agent believes ${JSON.stringify(list)}`;
    },
  });
  const linksOf = (of: Keys): readonly string[] => of.authorities?.links ?? [];
  const pinned: KnownServiceKeys = { keys: [{ x: keys.authority.x, until: null }] };
  const renewed = withNewAuthority(keys, now, { overlapMs: 0 });
  const known = followServiceKeys(linksOf(renewed), pinned, now);
  if (known === undefined || acceptedIn(known.keys, now).join() !== renewed.authority.x)
    throw new Error('an agent does not learn of a new key of its service');
  // Replaced twice, so that a key which the computer still believes has signed the list of before.
  const replaced = withNewAuthority(keys, now - day, { overlapMs: 2 * day });
  const latest = followServiceKeys(
    linksOf(withNewAuthority(replaced, now, { overlapMs: 2 * day })),
    pinned,
    now,
  );
  if (latest === undefined) throw new Error('an agent does not learn of the second new key of its service');
  /** What a thief of the key that was replaced signs with it. */
  const ofThief = withNewAuthority({ ...makeKeys(), authority: keys.authority }, now + day, {
    overlapMs: day,
  });
  return [
    untrusted('signed by another service', () => listWith(makeKeys())),
    untrusted('that was changed on its way', () =>
      changed(listWith(keys), { authorities: entries(another) }),
    ),
    untrusted('that is another statement of the service', () =>
      new Authority(keys.authority).sign({
        ...{ computer: 'x21', version: 1, made_at: new Date().toISOString() },
        authorities: entries(certificate),
      }),
    ),
    untrusted('signed with a stolen key that the service has replaced', () => listWith(keys), renewed),
    unknown(
      'signed by another service',
      () => linksOf(withNewAuthority(makeKeys(), now, { overlapMs: 0 })),
      pinned,
    ),
    unknown(
      'that were changed on their way',
      () =>
        linksOf(renewed).map((link) => changed(link, { keys: [{ x: makeKeys().authority.x, until: null }] })),
      pinned,
    ),
    unknown('signed with a stolen key that the service has replaced', () => linksOf(ofThief), known),
    unknown(
      'that are another statement of the service',
      () => [
        new Authority(keys.authority).sign({
          version: 1,
          made_at: new Date().toISOString(),
          keys: pinned.keys,
        }),
      ],
      pinned,
    ),
    unknown('of before, repeated', () => linksOf(replaced), latest),
  ];
}

/** A signed text with other fields and the same signature. */
function changed(signed: string, fields: object): string {
  const [text = '', signature = ''] = signed.split('.');
  const statement = JSON.parse(Buffer.from(text, 'base64url').toString()) as object;
  return `${Buffer.from(JSON.stringify({ ...statement, ...fields })).toString('base64url')}.${signature}`;
}
