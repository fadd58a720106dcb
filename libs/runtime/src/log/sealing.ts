import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { JsonObject, JsonValue } from '@lab/contracts';
import { secretField } from '@lab/contracts/vocabulary';
import { reading, ringIn, textKey } from '@lab/trust/key-ring';
import { Secret } from './secret.js';

/** Beginnings of sealed values: without and with the name of the key. */
const unnamed = 'sealed:v1:';
const named = 'sealed:v2:';
const nonceBytes = 12;
const tagBytes = 16;
/** Stands in place of a secret in a record. */
const shown = '***';

/** One key, ready for use. */
interface SealingKey {
  /** Says which key has sealed a value. It tells nothing about the key. */
  id: string;
  bytes: Uint8Array;
}

/**
 * Encrypts values that must be stored or sent and may be read only where they are used (AES-256-GCM, NIST SP 800-38D;
 * the key by HKDF, RFC 5869). Any computer with the same key text can decrypt them. The text may be a ring of keys: the newest one
 * seals, and the name of the key stands in the value. It is read again for each value.
 */
export class Sealing {
  readonly #ring: () => { keys: readonly SealingKey[]; rotated: boolean };

  /**
   * @param key any text of 32 characters or more, or a ring of such texts, shared by all who seal and open
   * @throws Error in one sentence, without the text, when it is damaged
   */
  constructor(key: Secret) {
    this.#ring = reading(
      () => key.reveal(),
      (text) => {
        const ring = ringIn(text, 'key of secrets (SVC_SECRETS_KEY)', textKey);
        // A value that was sealed is needed for as long as it is stored, so a key has no end here.
        return { keys: ring.map((entry) => sealingKey(entry.key)), rotated: ring[0].since !== null };
      },
    );
    this.#ring();
  }

  /**
   * @returns text that differs each time and names the key: `sealed:v2:<key>:`. While the key was never rotated it begins with
   *   `sealed:v1:`, which the release before this one can open.
   */
  seal(text: string): string {
    const { keys, rotated } = this.#ring();
    const [{ id, bytes }] = keys as [SealingKey];
    const form = rotated ? `${named}${id}:` : unnamed;
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', bytes, nonce);
    if (rotated) cipher.setAAD(Buffer.from(form));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `${form}${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
  }

  /** @throws Error when the text is not sealed, was changed, or was sealed with another key */
  open(sealed: string): Secret {
    const [form = '', id] = /^sealed:v(?:1|2:([\w-]{8})):/.exec(sealed) ?? [];
    const bytes = Buffer.from(sealed.slice(form.length), 'base64url');
    if (form === '' || bytes.length < nonceBytes + tagBytes)
      throw new Error(`a sealed secret begins with ${unnamed} or ${named}; this one does not, or is cut off`);
    const { keys } = this.#ring();
    let cause: unknown;
    for (const key of keys.filter((each) => id === undefined || each.id === id)) {
      try {
        return opened(key, bytes, id === undefined ? undefined : form);
      } catch (error) {
        cause = error;
      }
    }
    throw new Error(
      'a sealed secret was changed, or was sealed with another key; give every process the same SVC_SECRETS_KEY',
      { cause },
    );
  }
}

function opened({ bytes: key }: SealingKey, bytes: Buffer, covered: string | undefined): Secret {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  if (covered !== undefined) decipher.setAAD(Buffer.from(covered));
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const text = [decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()];
  return new Secret(Buffer.concat(text).toString('utf8'));
}

function sealingKey(text: string): SealingKey {
  const derived = (purpose: string, bytes: number): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', text, '', purpose, bytes));
  return {
    id: Buffer.from(derived('svc sealing id v2', 6)).toString('base64url'),
    bytes: derived('svc sealing v1', 32),
  };
}

export function isSealed(text: string): boolean {
  return text.startsWith(unnamed) || text.startsWith(named);
}

/** A copy of a free object in which every secret is sealed. Sealed values stay as they are. */
export function withSecretsSealed(object: JsonObject, sealing: Sealing): JsonObject {
  return mapSecrets(object, (text) => (isSealed(text) ? text : sealing.seal(text)));
}

/** A copy in which every secret is opened. @throws as {@link Sealing.open} */
export function withSecretsOpened(object: JsonObject, sealing: Sealing): JsonObject {
  return mapSecrets(object, (text) => (isSealed(text) ? sealing.open(text).reveal() : text));
}

/** A copy to show, with `***` in place of every secret. */
export function withSecretsHidden(object: JsonObject): JsonObject {
  return mapSecrets(object, () => shown);
}

/** Whether it holds a secret: a field whose name is, or ends in, `api_key`. */
export function holdsSecrets(object: JsonObject): boolean {
  let found = false;
  mapSecrets(object, (text) => {
    found = true;
    return text;
  });
  return found;
}

function mapSecrets(object: JsonObject, change: (text: string) => string): JsonObject {
  const mapped = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(mapped);
    return typeof value === 'object' && value !== null ? mapSecrets(value, change) : value;
  };
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key,
      secretField.test(key) && typeof value === 'string' ? change(value) : mapped(value),
    ]),
  );
}
