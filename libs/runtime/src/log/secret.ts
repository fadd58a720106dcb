import { inspect } from 'node:util';

/** Stands in place of a secret. */
export const concealed = '[secret]';

/** A secret value: printing, inspecting or serialising it shows `[secret]`. */
export class Secret {
  constructor(private readonly value: string) {}

  /** The value itself. Call it only where the value is handed over, and keep the Secret. */
  reveal(): string {
    return this.value;
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
