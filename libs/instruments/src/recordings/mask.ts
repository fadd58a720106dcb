/** Replaces every occurrence of secrets by `***`, in texts and in texts inside JSON values. */
export class Mask {
  readonly #secrets: string[] = [];

  /** @param secret texts shorter than 3 characters are not replaced: they occur everywhere */
  add(secret: string): void {
    if (secret.length < 3) return;
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      if (!this.#secrets.includes(form)) this.#secrets.push(form);
    }
  }

  text(text: string): string {
    return this.#secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
  }

  value<Value>(value: Value): Value {
    if (this.#secrets.length === 0) return value;
    if (typeof value === 'string') return this.text(value) as Value;
    if (Array.isArray(value)) return value.map((each: unknown) => this.value(each)) as Value;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]: [string, unknown]) => [key, this.value(each)]),
    ) as Value;
  }
}
