import { expect, it } from 'vitest';
import { authorityBlock, Authority, AuthorityCheck, makeAuthorityKey } from '../src/authority.js';
import { issueCredentials, makeKeys, readKeys } from '../src/index.js';

const statement = { lab: 'l', device: 'd', fence: 7, attempt_id: 'a', caller: 'bench_b' };

it('a process believes what the authority in its credentials has signed, and nothing else', async () => {
  const keys = makeKeys();
  const check = AuthorityCheck.in(await issueCredentials(keys, 'agent', 'bench b'));
  const signed = new Authority(keys.authority).sign(statement);
  expect(check?.read(signed)).toEqual(statement);
  expect(check?.read(signed)).toEqual(statement);
  expect(check?.read(new Authority(makeAuthorityKey()).sign(statement))).toBeUndefined();
  const [, signature] = signed.split('.');
  const forged = Buffer.from(JSON.stringify({ ...statement, fence: 8 })).toString('base64url');
  for (const text of [`${forged}.${signature}`, forged, `${forged}.`, '', 'a.b.c'])
    expect([text, check?.read(text)]).toEqual([text, undefined]);
});

it('credentials of another role name no authority, because only agents need one', async () => {
  expect(AuthorityCheck.in(await issueCredentials(makeKeys(), 'gateway', 'g'))).toBeUndefined();
});

it('the public key in the credentials does not sign', () => {
  const key = makeAuthorityKey();
  expect(authorityBlock({ ...key, until: null })).not.toContain(key.d);
});

it('keys are read as they were written, and damaged keys are refused without their text', () => {
  const keys = makeKeys();
  expect(readKeys(JSON.stringify(keys))).toEqual(keys);
  const { operator: _, ...others } = keys;
  for (const text of [
    'SOSECRET',
    '{}',
    JSON.stringify({ ...keys, operator: 'SOSECRET' }),
    JSON.stringify(others),
  ])
    expect(() => readKeys(text)).toThrow(
      /^The file with the keys of the broker is (no JSON|damaged: [\w ,]+)\.$/,
    );
  expect(() => Authority.from('SECRET')).toThrow('The key of the authority (SVC_AUTHORITY_KEY) is damaged.');
});
