import type { JsonObject, JsonValue } from '@lab/contracts';

const concealed = '***';
/** Fields that hold a secret wherever they stand in arguments, and variables of the environment that do. */
const secretName = /(^|_)api_key$/i;
/** A shorter text would be found in places where it is no secret. */
const shortest = 6;

/**
 * Keeps API keys out of everything that leaves the process of an optimizer: whatever text holds one, for example the message
 * of an error that a library made, shows `***` in its place.
 */
export class Concealment {
  readonly #secrets = new Set<string>();

  /** @param environment variables named `..._API_KEY` are secrets */
  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.learn(environment as JsonObject);
  }

  /** Every text in fields named `api_key` or `..._api_key` is a secret from here on. */
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

  /** A copy without secrets: neither known ones in any text, nor what stands in fields that hold them. */
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
