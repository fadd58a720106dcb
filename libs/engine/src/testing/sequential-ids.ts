import type { Ids } from '@lab/ports';

/** Readable identifiers that are the same in every run: `00000001`, `00000002`, ... */
export class SequentialIds implements Ids {
  #last = 0;

  next(): string {
    this.#last += 1;
    return this.#last.toString().padStart(8, '0');
  }
}
