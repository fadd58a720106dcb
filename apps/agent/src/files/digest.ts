import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';

/** Lets bytes pass, and counts and digests them. */
export class Digest extends Transform {
  readonly #hash = createHash('sha256');
  /** Bytes that have passed. */
  size = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.size += chunk.length;
    this.#hash.update(chunk);
    done(null, chunk);
  }

  /** The SHA-256 of what has passed, in hexadecimal. It can be asked for once, at the end. */
  sha256(): string {
    return this.#hash.digest('hex');
  }
}
