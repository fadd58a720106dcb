import { inspect } from 'node:util';

/** What is shown in place of a secret. */
export const concealed = '[secret]';

/** A value that must not be seen: printing, inspecting or serialising it shows `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself; call it where it is handed over, and keep only the Secret. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return concealed;
  }

  toJSON(): string {
    return concealed;
  }

  [inspect.custom](): string {
    return concealed;
  }
}
