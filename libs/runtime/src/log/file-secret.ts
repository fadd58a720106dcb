import { readFileSync, statSync } from 'node:fs';
import { Secret } from './secret.js';

/**
 * A secret in a file that may be replaced while the process runs. {@link reveal} looks at the file each time, which takes some
 * microseconds. While the file cannot be read, the secret stays what it was.
 */
export class FileSecret extends Secret {
  #text: string;
  #stamp: string | undefined;

  /** @param path absolute */
  constructor(
    readonly path: string,
    text: string,
  ) {
    super(text);
    this.#text = text;
  }

  override reveal(): string {
    try {
      // `ino` changes with each rename, also within one tick of the clock of the file system.
      const { mtimeMs, size, ino } = statSync(this.path);
      const stamp = `${mtimeMs} ${size} ${ino}`;
      if (stamp === this.#stamp) return this.#text;
      const text = readFileSync(this.path, 'utf8').trim();
      if (text !== '') {
        this.#text = text;
        this.#stamp = stamp;
      }
    } catch {
      // The file is being replaced, or is gone. A process that runs keeps its keys.
    }
    return this.#text;
  }
}
