import type { JsonValue } from '@lab/sdk';
import { withLeaves } from './leaves.js';

/** What stands in place of a secret. */
const masked = '***';

/** Replaces every occurrence of secrets by `***`, in texts and inside JSON values. */
export class Mask {
  readonly #secrets: string[] = [];

  /**
   * @param secret a text or a number; of a list or an object, all texts and numbers in it. What has fewer than 3 characters is not
   *   replaced: it occurs everywhere
   */
  add(secret: JsonValue): void {
    withLeaves(secret, (leaf) => {
      this.#addText(String(leaf));
      return leaf;
    });
  }

  text(text: string): string {
    return this.#secrets.reduce((result, secret) => result.replaceAll(secret, masked), text);
  }

  /** Bytes of any content, with secrets of ASCII replaced. */
  bytes(bytes: Buffer): Buffer {
    if (this.#secrets.length === 0) return bytes;
    return Buffer.from(this.text(bytes.toString('latin1')), 'latin1');
  }

  /** A number that is a secret becomes a text. Keys of objects stay as they are. */
  value<Value>(value: Value): Value {
    if (this.#secrets.length === 0) return value;
    return withLeaves(value, (leaf) => {
      if (typeof leaf === 'string') return this.text(leaf);
      return this.#secrets.includes(String(leaf)) ? masked : leaf;
    });
  }

  #addText(secret: string): void {
    if (secret.length < 3) return;
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      if (!this.#secrets.includes(form)) this.#secrets.push(form);
    }
  }
}
