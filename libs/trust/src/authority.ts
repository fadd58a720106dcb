import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';

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

/** Signs statements (Ed25519, RFC 8032): of the leading orchestrator, or of a gateway. */
export class Authority {
  readonly #key: KeyObject;

  constructor({ d, x }: AuthorityKey) {
    this.#key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
  }

  /**
   * @param what names the key for people
   * @throws Error in one sentence, without the text, when it is not the JSON of a key
   */
  static from(text: string, what = 'key of the authority (SVC_AUTHORITY_KEY)'): Authority {
    try {
      return new Authority(JSON.parse(text) as AuthorityKey);
    } catch {
      throw new Error(`The ${what} is damaged.`);
    }
  }

  /** @returns the statement as JSON and its signature, both in base64url, separated by a dot */
  sign(statement: object): string {
    const text = Buffer.from(JSON.stringify(statement));
    return `${text.toString('base64url')}.${sign(null, text, this.#key).toString('base64url')}`;
  }
}

/** Verifies statements with the public key of an authority. */
export class AuthorityCheck {
  readonly #key: KeyObject;
  readonly #kept = new Map<string, unknown>();

  /** @param x the public key, in base64url */
  constructor(x: string) {
    this.#key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  }

  /**
   * The check with the key that was given to a process together with its credentials.
   *
   * @returns undefined: the credentials name no authority
   */
  static in(credentials: string): AuthorityCheck | undefined {
    const x = authorityIn(credentials);
    return x === undefined ? undefined : new AuthorityCheck(x);
  }

  /** The statement, which may come with many messages; undefined: the authority has not signed it. */
  read(signed: string): unknown {
    const known = this.#kept.get(signed);
    if (known !== undefined) return known;
    const statement = this.readOnce(signed);
    if (statement === undefined) return undefined;
    this.#kept.set(signed, statement);
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value ?? '');
    return statement;
  }

  /** As {@link read}, for a statement that does not come again. */
  readOnce(signed: string): unknown {
    const [text = '', signature = ''] = signed.split('.');
    const data = Buffer.from(text, 'base64url');
    if (!verify(null, data, this.#key, Buffer.from(signature, 'base64url'))) return undefined;
    return JSON.parse(data.toString()) as unknown;
  }
}

/** Public key of the authority in credentials, in base64url; undefined: they name none. */
export function authorityIn(credentials: string): string | undefined {
  const from = credentials.indexOf(beginning);
  if (from < 0) return undefined;
  return credentials.slice(from + beginning.length, credentials.indexOf(end, from)).trim();
}

/** What is added to the credentials of a process that must recognise statements of the authority. */
export function authorityBlock({ x }: Pick<AuthorityKey, 'x'>): string {
  return `${beginning}\n${x}\n${end}\n`;
}
