import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { createUser, fromSeed, Prefix, type KeyPair } from '@nats-io/nkeys';
import { Codec } from '@nats-io/nkeys/lib/codec.js';

/**
 * Keys in the encoding of NATS (nkeys), with the Ed25519 (RFC 8032) of Node. That of the library is written in JavaScript and
 * takes 3 to 5 ms for each signature, which every process would pay whenever it connects.
 */

/** What precedes the seed of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const beforeSeed = Buffer.from('302e020100300506032b657004220420', 'hex');
/** What precedes a public Ed25519 key as a SubjectPublicKeyInfo (RFC 8410, section 4). */
const beforePublicKey = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * The pair of a private key.
 *
 * @param seed in the encoding of NATS; secret
 * @throws NKeysError when it is damaged
 */
export function keyPairOf(seed: string): KeyPair {
  const text = Buffer.from(seed, 'ascii');
  const { prefix, buf } = Codec.decodeSeed(text);
  const key = createPrivateKey({ key: Buffer.concat([beforeSeed, buf]), format: 'der', type: 'pkcs8' });
  const publicKey = (): KeyObject => createPublicKey(key);
  return Object.assign(fromSeed(text), {
    getPublicKey: () => {
      const bytes = publicKey().export({ format: 'der', type: 'spki' }).subarray(beforePublicKey.length);
      return Buffer.from(Codec.encode(prefix, bytes)).toString('ascii');
    },
    sign: (input: Uint8Array) => sign(null, input, key),
    verify: (input: Uint8Array, signature: Uint8Array) => verify(null, input, publicKey(), signature),
  });
}

/** A new key of a user: of a process, or of an agent. */
export const makeUserKey = (): KeyPair => keyPairOf(seedOf(createUser()));

/** The private key as text. Secret. */
export const seedOf = (pair: KeyPair): string => Buffer.from(pair.getSeed()).toString('ascii');

/** Whose key it is: that of a process, or of an account, which signs for the processes of a role. */
export type KeyOwner = 'user' | 'account';

const prefixOf = { user: Prefix.User, account: Prefix.Account } as const;

/**
 * Whether a signature was made with the private part of a key.
 *
 * @param publicKey in the encoding of NATS
 * @returns false also when the key is damaged or is not one of the owner
 */
export function isSignedBy(
  publicKey: string,
  text: Uint8Array,
  signature: Uint8Array,
  owner: KeyOwner = 'user',
): boolean {
  try {
    const bytes = Codec.decode(prefixOf[owner], Buffer.from(publicKey, 'ascii'));
    const key = createPublicKey({
      key: Buffer.concat([beforePublicKey, bytes]),
      format: 'der',
      type: 'spki',
    });
    return verify(null, text, key, signature);
  } catch {
    return false;
  }
}

/** The two parts of a credentials file. @throws Error in one sentence, without the text */
export function partsOf(credentials: string): { statement: string; seed: string } {
  const [, statement] = /-----BEGIN NATS USER JWT-----\s+(\S+)\s/.exec(credentials) ?? [];
  const [, seed] = /-----BEGIN USER NKEY SEED-----\s+(\S+)\s/.exec(credentials) ?? [];
  if (statement === undefined || seed === undefined) throw new Error('The credentials are damaged.');
  return { statement, seed };
}

/**
 * What a client answers to the challenge of a broker.
 *
 * @param credentials text of a credentials file
 * @param nonce the challenge; without one nothing is signed
 * @throws Error in one sentence, without the text, when the credentials are damaged
 */
export function loginOf(credentials: string, nonce = ''): { jwt: string; sig: string } {
  const { statement, seed } = partsOf(credentials);
  return {
    jwt: statement,
    sig: Buffer.from(keyPairOf(seed).sign(Buffer.from(nonce))).toString('base64url'),
  };
}
