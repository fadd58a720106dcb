import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { JsonObject, JsonValue } from '@lab/contracts';
import { secretField } from '@lab/contracts/vocabulary';
import { Secret } from './secret.js';

const form = 'sealed:v1:';
const nonceBytes = 12;
const tagBytes = 16;
/** Stands in place of a secret in a record. */
const shown = '***';

/**
 * Encrypts values that must be stored or sent and may be read only where they are used (AES-256-GCM, NIST SP 800-38D;
 * the key by HKDF, RFC 5869). Any computer with the same key text can decrypt them.
 */
export class Sealing {
  readonly #key: Uint8Array;

  /** @param key any text of 32 characters or more, shared by all who seal and open */
  constructor(key: Secret) {
    this.#key = new Uint8Array(hkdfSync('sha256', key.reveal(), '', 'svc sealing v1', 32));
  }

  /** @returns text that begins with `sealed:v1:`; it differs each time */
  seal(text: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `${form}${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
  }

  /** @throws Error when the text is not sealed, was changed, or was sealed with another key */
  open(sealed: string): Secret {
    const bytes = Buffer.from(sealed.slice(form.length), 'base64url');
    if (!isSealed(sealed) || bytes.length < nonceBytes + tagBytes)
      throw new Error(`a sealed secret begins with ${form}; this one does not, or is cut off`);
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: tagBytes });
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    try {
      const text = [decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()];
      return new Secret(Buffer.concat(text).toString('utf8'));
    } catch (cause) {
      throw new Error(
        'a sealed secret was changed, or was sealed with another key; give every process the same SVC_SECRETS_KEY',
        { cause },
      );
    }
  }
}

export function isSealed(text: string): boolean {
  return text.startsWith(form);
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
