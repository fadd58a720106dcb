import type { JsonObject, JsonValue } from '@lab/contracts';

const concealed = '***';
/** Names of argument fields, at any depth, and of environment variables that hold a secret. */
const secretName = /(^|_)api_key$/i;
/** Shorter texts are not concealed, because they would also match texts that are no secret. */
const shortest = 6;

/**
 * Keeps API keys out of everything that leaves the process of an optimizer. Any text that contains a key, for example the
 * message of an error of a library, has `***` in its place.
 */
export class Concealment {
  readonly #secrets = new Set<string>();

  /** @param environment its variables named `..._API_KEY` are secrets */
  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.learn(environment as JsonObject);
  }

  /** Takes every text in fields named `api_key` or `..._api_key` as a secret from now on. */
  learn(value: JsonValue | undefined): void {
    if (Array.isArray(value)) value.forEach((each) => this.learn(each));
    else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value)) {
        if (typeof each !== 'string') this.learn(each);
        else if (secretName.test(key) && each.length >= shortest) this.#secrets.add(each);
      }
    }
  }

  text(text: string): string {
    let shown = text;
    for (const secret of this.#secrets) shown = shown.replaceAll(secret, concealed);
    return shown;
  }

  /** Returns a copy without known secrets in its texts and without the content of secret fields. */
  value<Value extends JsonValue | object>(value: Value): Value {
    return this.#copy(value as JsonValue) as Value;
  }

  #copy(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.#copy(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        this.text(key),
        secretName.test(key) && typeof each === 'string' ? concealed : this.#copy(each),
      ]),
    );
  }
}
