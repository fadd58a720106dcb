/** A call on its way to a device process. */
export interface Letter {
  readonly id: string;
  /** A query, or a function that is made to run beside an effect, such as a pause. */
  readonly beside: boolean;
}

/**
 * Orders the calls of one device. One effect runs at a time, and up to `queries` calls run beside it; each kind begins
 * in order of arrival. At most `capacity` calls wait.
 */
export class Mailbox<L extends Letter> {
  readonly #queries: number;
  readonly #capacity: number;
  #waiting: L[] = [];
  readonly #running = new Map<string, L>();
  #effect: L | undefined;

  constructor(limits: { queries: number; capacity: number }) {
    this.#queries = limits.queries;
    this.#capacity = limits.capacity;
  }

  /** The effect in progress. */
  get effect(): L | undefined {
    return this.#effect;
  }

  /** Adds a letter. @returns false when the mailbox is full and the letter was not added */
  offer(letter: L): boolean {
    if (this.#waiting.length >= this.#capacity) return false;
    this.#waiting.push(letter);
    return true;
  }

  /** Moves the next letter that may begin from waiting to in progress. @returns undefined when none may begin */
  next(): L | undefined {
    const mayRunBeside = this.#running.size - (this.#effect === undefined ? 0 : 1) < this.#queries;
    const index = this.#waiting.findIndex((letter) =>
      letter.beside ? mayRunBeside : this.#effect === undefined,
    );
    if (index < 0) return undefined;
    const [letter] = this.#waiting.splice(index, 1);
    if (letter === undefined) return undefined;
    this.#running.set(letter.id, letter);
    if (!letter.beside) this.#effect = letter;
    return letter;
  }

  /** Removes a waiting letter. @returns false when the letter does not wait */
  withdraw(letter: L): boolean {
    const index = this.#waiting.indexOf(letter);
    if (index < 0) return false;
    this.#waiting.splice(index, 1);
    return true;
  }

  /** Ends the letter in progress that has this id. @returns undefined when there is none */
  finish(id: string): L | undefined {
    const letter = this.#running.get(id);
    if (letter === undefined) return undefined;
    this.#running.delete(id);
    if (this.#effect === letter) this.#effect = undefined;
    return letter;
  }

  /** The letter in progress that has this id. */
  running(id: string): L | undefined {
    return this.#running.get(id);
  }

  /** Whether a letter with this id waits or is in progress. */
  has(id: string): boolean {
    return this.#running.has(id) || this.#waiting.some((letter) => letter.id === id);
  }

  /** All letters, those in progress first. */
  all(): L[] {
    return [...this.#running.values(), ...this.#waiting];
  }

  /** Removes and returns all letters in progress. */
  drain(): L[] {
    const running = [...this.#running.values()];
    this.#running.clear();
    this.#effect = undefined;
    return running;
  }
}
