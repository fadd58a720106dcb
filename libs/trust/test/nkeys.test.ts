import { createAccount, createOperator, createUser, fromSeed } from '@nats-io/nkeys';
import { describe, expect, it } from 'vitest';
import { isSignedBy, keyPairOf, loginOf, makeUserKey, seedOf } from '../src/nkeys.js';

const text = Buffer.from('a challenge');

describe('a key pair in the encoding of NATS', () => {
  it.each([
    ['user', createUser],
    ['account', createAccount],
    ['operator', createOperator],
  ])('of a %s has the public key and the signatures that the library makes', (_what, create) => {
    const seed = seedOf(create());
    const library = fromSeed(Buffer.from(seed));
    const pair = keyPairOf(seed);
    expect(pair.getPublicKey()).toBe(library.getPublicKey());
    expect(Buffer.from(pair.sign(text))).toEqual(Buffer.from(library.sign(text)));
    expect(seedOf(pair)).toBe(seed);
    expect(pair.verify(text, library.sign(text))).toBe(true);
    expect(pair.verify(Buffer.from('another'), library.sign(text))).toBe(false);
  });

  it('is refused when one letter of its seed is wrong', () => {
    const seed = seedOf(createUser());
    const wrong = `${seed.slice(0, 20)}${seed[20] === 'A' ? 'B' : 'A'}${seed.slice(21)}`;
    expect(() => keyPairOf(wrong)).toThrow();
  });
});

describe('a signature of a user', () => {
  const user = makeUserKey();
  const signature = user.sign(text);

  it('is recognised', () => {
    expect(isSignedBy(user.getPublicKey(), text, signature)).toBe(true);
  });

  it.each([
    ['another text', () => isSignedBy(user.getPublicKey(), Buffer.from('b challenge'), signature)],
    ['another user', () => isSignedBy(makeUserKey().getPublicKey(), text, signature)],
    ['part of it', () => isSignedBy(user.getPublicKey(), text, signature.subarray(1))],
    ['a damaged key', () => isSignedBy(`${user.getPublicKey().slice(0, -1)}!`, text, signature)],
    [
      'the key of an account',
      () => {
        const account = keyPairOf(seedOf(createAccount()));
        return isSignedBy(account.getPublicKey(), text, account.sign(text));
      },
    ],
  ])('is refused for %s', (_what, check) => {
    expect(check()).toBe(false);
  });
});

it('a signature of an account is recognised as one of an account alone', () => {
  const account = keyPairOf(seedOf(createAccount()));
  const signature = account.sign(text);
  expect(isSignedBy(account.getPublicKey(), text, signature, 'account')).toBe(true);
  expect(isSignedBy(account.getPublicKey(), text, signature)).toBe(false);
  const user = makeUserKey();
  expect(isSignedBy(user.getPublicKey(), text, user.sign(text), 'account')).toBe(false);
});

it('damaged credentials are refused without their text', () => {
  const seed = seedOf(createUser());
  expect(() => loginOf(`-----BEGIN USER NKEY SEED-----\n${seed}\n`)).toThrow('The credentials are damaged.');
});
