import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { reading, ringIn, signingEntry } from './key-ring.js';

/** The seed and the public key of an Ed25519 key pair, in base64url (RFC 8037). */
export interface AuthorityKey {
  readonly d: string;
  readonly x: string;
}

const beginning = '-----BEGIN SVC AUTHORITY-----';
const end = '------END SVC AUTHORITY------';

/** Readings of signed texts that are kept, so that a statement that comes with every call is verified once. */
const mostKept = 1_000;

export function makeAuthorityKey(): AuthorityKey {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { d, x };
}

/** A key of an authority in a file; undefined: it is none. */
export function authorityKeyIn(given: unknown): AuthorityKey | undefined {
  const { d, x } = (given ?? {}) as Partial<AuthorityKey>;
  const isPart = (part: unknown): boolean => typeof part === 'string' && /^[\w-]{43}$/.test(part);
  return isPart(d) && isPart(x) ? ({ d, x } as AuthorityKey) : undefined;
}

/** The same for the text of a file that was never rotated. */
export function authorityKeyAlone(text: string): AuthorityKey | undefined {
  try {
    return authorityKeyIn(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The public part of a key in a file; undefined: it is none. */
export const publicKeyIn = (given: unknown): string | undefined =>
  typeof given === 'string' && /^[\w-]{43}$/.test(given) ? given : undefined;

/** Signs statements (Ed25519, RFC 8032): of the leading orchestrator, or of a gateway. */
export class Authority {
  #last: { from: AuthorityKey; key: KeyObject } | undefined;
  readonly #now: () => AuthorityKey;

  /** @param key a function gives the key that signs at this moment */
  constructor(key: AuthorityKey | (() => AuthorityKey)) {
    this.#now = typeof key === 'function' ? key : () => key;
    this.#key();
  }

  /**
   * @param source text with one key or with a ring of keys; a function gives the present one
   * @param what names the key for people
   * @throws Error in one sentence, without the text, when it is not that of a key
   */
  static from(
    source: string | (() => string),
    what = 'key of the authority (SVC_AUTHORITY_KEY)',
    now: () => number = Date.now,
  ): Authority {
    const ring = reading(typeof source === 'string' ? () => source : source, (text) =>
      ringIn(text, what, authorityKeyIn, authorityKeyAlone),
    );
    ring();
    try {
      return new Authority(() => signingEntry(ring(), now()).key);
    } catch {
      throw new Error(`The ${what} is damaged.`);
    }
  }

  #key(): KeyObject {
    const from = this.#now();
    if (this.#last?.from !== from)
      this.#last = {
        from,
        key: createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d: from.d, x: from.x }, format: 'jwk' }),
      };
    return this.#last.key;
  }

  /** @returns the statement as JSON and its signature, both in base64url, separated by a dot */
  sign(statement: object): string {
    const text = Buffer.from(JSON.stringify(statement));
    return `${text.toString('base64url')}.${sign(null, text, this.#key()).toString('base64url')}`;
  }
}

/** Verifies statements with the public keys of an authority. */
export class AuthorityCheck {
  readonly #accepted: () => readonly string[];
  readonly #keys = new Map<string, KeyObject>();
  readonly #kept = new Map<string, { x: string; statement: unknown }>();

  /**
   * @param accepted the public key, in base64url; a function gives those that are accepted at this moment
   * @throws Error when one is no key
   */
  constructor(accepted: string | (() => readonly string[])) {
    this.#accepted = typeof accepted === 'function' ? accepted : () => [accepted];
    for (const x of this.#accepted()) this.#key(x);
  }

  /**
   * The check with the keys that were given to a process together with its credentials.
   *
   * @param credentials a function gives the present ones
   * @returns undefined: the credentials name no authority
   */
  static in(credentials: string | (() => string)): AuthorityCheck | undefined {
    const named = reading(typeof credentials === 'string' ? () => credentials : credentials, authoritiesIn);
    return named().length === 0 ? undefined : new AuthorityCheck(named);
  }

  /** The statement, which may come with many messages; undefined: the authority has not signed it. */
  read(signed: string): unknown {
    const known = this.#kept.get(signed);
    if (known !== undefined && this.#accepted().includes(known.x)) return known.statement;
    const found = this.#find(signed);
    if (found === undefined) return undefined;
    this.#kept.set(signed, found);
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value ?? '');
    return found.statement;
  }

  /** As {@link read}, for a statement that does not come again. */
  readOnce(signed: string): unknown {
    return this.#find(signed)?.statement;
  }

  #find(signed: string): { x: string; statement: unknown } | undefined {
    const [text = '', signature = ''] = signed.split('.');
    const data = Buffer.from(text, 'base64url');
    const given = Buffer.from(signature, 'base64url');
    const x = this.#accepted().find((each) => verify(null, data, this.#key(each), given));
    return x === undefined ? undefined : { x, statement: JSON.parse(data.toString()) as unknown };
  }

  #key(x: string): KeyObject {
    let key = this.#keys.get(x);
    if (key === undefined) {
      key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      this.#keys.set(x, key);
    }
    return key;
  }
}

/** The public keys of the authority in credentials, that of the key which signs first. */
export function authoritiesIn(credentials: string): string[] {
  const blocks = credentials.matchAll(new RegExp(`${beginning}\\s+(\\S+)\\s+${end}`, 'g'));
  return [...blocks].map(([, x = '']) => x);
}

/** Public key of the authority that signs, in credentials, in base64url; undefined: they name none. */
export const authorityIn = (credentials: string): string | undefined => authoritiesIn(credentials)[0];

/** What is added to the credentials of a process that must recognise statements of the authority. */
export function authorityBlock({ x }: Pick<AuthorityKey, 'x'>): string {
  return `${beginning}\n${x}\n${end}\n`;
}
