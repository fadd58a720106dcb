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

/** A public key of an authority. */
export interface PublicAuthorityKey {
  /** In base64url. */
  x: string;
  /** From when it is not believed any more, in ISO 8601. Null: it has no end. */
  until: string | null;
}

const end = '------END SVC AUTHORITY------';
/** A process of the first release passes over a key with an end. */
const blockPattern = new RegExp(
  `-----BEGIN SVC AUTHORITY(?: UNTIL ([\\dT:.-]+Z))?-----\\s+([\\w-]{43})\\s+${end}`,
  'g',
);

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

  /** The public part of the key that signs at present, in base64url. */
  get publicKey(): string {
    return this.#now().x;
  }

  /** @returns the statement as JSON and its signature, both in base64url, separated by a dot */
  sign(statement: object): string {
    const text = Buffer.from(JSON.stringify(statement));
    return `${text.toString('base64url')}.${this.signBytes(text).toString('base64url')}`;
  }

  /** The signature of any bytes. The caller makes sure that they cannot be taken for a statement. */
  signBytes(data: Buffer): Buffer {
    return sign(null, data, this.#key());
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
   * @param now milliseconds since 1970
   * @returns undefined: the credentials name no authority
   */
  static in(credentials: string | (() => string), now: () => number = Date.now): AuthorityCheck | undefined {
    const named = reading(typeof credentials === 'string' ? () => credentials : credentials, authorityKeysIn);
    return named().length === 0 ? undefined : new AuthorityCheck(() => acceptedIn(named(), now()));
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

  /** Whether statements that are signed with a key are believed at present. @param x in base64url */
  believes(x: string): boolean {
    return this.#accepted().includes(x);
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

/** The public keys of the authority in credentials, that of the key which signs first, also those that have ended. */
export function authorityKeysIn(credentials: string): PublicAuthorityKey[] {
  const blocks = credentials.matchAll(blockPattern);
  return [...blocks].map(([, until, x = '']) => ({ x, until: until ?? null }));
}

/** The keys that have not ended, in the same order. @param now milliseconds since 1970 */
export function acceptedIn(keys: readonly PublicAuthorityKey[], now: number): string[] {
  return keys.flatMap(({ x, until }) => (until === null || Date.parse(until) > now ? [x] : []));
}

/** What is added to the credentials of a process that must recognise statements of the authority. */
export function authorityBlock({ x, until }: PublicAuthorityKey): string {
  const named = until === null ? '' : ` UNTIL ${until}`;
  return `-----BEGIN SVC AUTHORITY${named}-----\n${x}\n${end}\n`;
}
