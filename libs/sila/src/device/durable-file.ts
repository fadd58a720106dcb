import { readFile } from 'node:fs/promises';
import { replaceFile } from '@lab/instruments';

/** A JSON value in a file that survives the end of the process and of the computer at any moment. */
export class DurableFile<Value> {
  #last: Promise<unknown> = Promise.resolve();

  /** @param path null: nothing is kept, as in a test without an agent */
  constructor(
    private readonly path: string | null,
    private readonly empty: Value,
  ) {}

  /** @throws Error of the disk; SyntaxError when somebody else wrote the file */
  async read(): Promise<Value> {
    if (this.path === null) return this.empty;
    try {
      return JSON.parse(await readFile(this.path, 'utf8')) as Value;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return this.empty;
      throw error;
    }
  }

  /** Resolves when the value is on the disk. Values are written in the order of the calls. */
  write(value: Value): Promise<void> {
    const written = this.#last.catch(() => undefined).then(() => this.#write(JSON.stringify(value)));
    this.#last = written;
    return written;
  }

  async #write(text: string): Promise<void> {
    if (this.path === null) return;
    await replaceFile(this.path, text);
  }
}
