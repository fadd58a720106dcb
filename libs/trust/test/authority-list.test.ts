import { beforeAll, expect, it } from 'vitest';
import { Authority, AuthorityCheck, makeAuthorityKey } from '../src/authority.js';
import { readAuthorities, signAuthorities, trustedIn, writtenAuthorities } from '../src/authority-list.js';
import { makeCertificateAuthority } from '../src/certificates.js';
import { certificatesIn } from '../src/fingerprint.js';

const now = Date.UTC(2026, 0, 1);
const iso = (ms: number): string => new Date(ms).toISOString();
const key = makeAuthorityKey();
const check = new AuthorityCheck(key.x);
let older: string;
let newer: string;

beforeAll(async () => {
  [newer = '', older = ''] = await Promise.all(
    ['new', 'old'].map(async (name) => (await makeCertificateAuthority(name, now)).certificate),
  );
});

const entries = () => [
  { certificate: newer, until: null },
  { certificate: older, until: iso(now + 1_000) },
];

it('a list has the authorities that have not ended, newest first', () => {
  const list = readAuthorities(signAuthorities(new Authority(key), entries(), now), check);
  expect(list?.made_at).toBe(iso(now));
  expect(trustedIn(list ?? { authorities: [] }, now)).toBe(certificatesIn(newer + older));
  expect(trustedIn(list ?? { authorities: [] }, now + 1_000)).toBe(certificatesIn(newer));
});

it('a list of another key is not read', () => {
  const signed = signAuthorities(new Authority(makeAuthorityKey()), entries(), now);
  expect(readAuthorities(signed, check)).toBeUndefined();
  // Who wrote the file may read it all the same.
  expect(writtenAuthorities(signed)?.authorities).toEqual(entries());
});

it.each([
  ['another statement', (list: object) => ({ ...list, list: undefined, grant: 'arm' })],
  ['no authority', (list: object) => ({ ...list, authorities: [] })],
  ['a field more', (list: object) => ({ ...list, trust: 'everybody' })],
  ['no certificate', (list: object) => ({ ...list, authorities: [{ certificate: 'x', until: null }] })],
])('a signed statement with %s is no list', (_, changed) => {
  const list = writtenAuthorities(signAuthorities(new Authority(key), entries(), now)) ?? {};
  expect(readAuthorities(new Authority(key).sign(list), check)).toBeDefined();
  expect(readAuthorities(new Authority(key).sign(changed(list)), check)).toBeUndefined();
});

it('a text that is no list is none', () => {
  for (const text of ['', '.', 'x.y', `${Buffer.from('{}').toString('base64url')}.`])
    expect([writtenAuthorities(text), readAuthorities(text, check)]).toEqual([undefined, undefined]);
});
