/** A call on its way to a device process. */
export interface Letter {
  readonly id: string;
  /** Queries change nothing: they run beside each other and beside an effect. */
  readonly query: boolean;
}

/**
 * The order of the calls of one device: one effect at a time in order of arrival, and up to `queries` queries beside
 * it, in order of arrival among themselves. At most `capacity` calls wait.
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

  /** Takes a letter in; false when the mailbox is full, and then it was not taken. */
  offer(letter: L): boolean {
    if (this.#waiting.length >= this.#capacity) return false;
    this.#waiting.push(letter);
    return true;
  }

  /** The next letter that may begin, which from now on is in progress; undefined when none may. */
  next(): L | undefined {
    const mayQuery = this.#running.size - (this.#effect === undefined ? 0 : 1) < this.#queries;
    const index = this.#waiting.findIndex((letter) => (letter.query ? mayQuery : this.#effect === undefined));
    if (index < 0) return undefined;
    const [letter] = this.#waiting.splice(index, 1);
    if (letter === undefined) return undefined;
    this.#running.set(letter.id, letter);
    if (!letter.query) this.#effect = letter;
    return letter;
  }

  /** Removes a letter that waits; false when it does not. */
  withdraw(letter: L): boolean {
    const index = this.#waiting.indexOf(letter);
    if (index < 0) return false;
    this.#waiting.splice(index, 1);
    return true;
  }

  /** Ends the letter in progress that has this id; undefined when there is none. */
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

  /** Is a letter with this id here, waiting or in progress? */
  has(id: string): boolean {
    return this.#running.has(id) || this.#waiting.some((letter) => letter.id === id);
  }

  /** All letters, those in progress first. */
  all(): L[] {
    return [...this.#running.values(), ...this.#waiting];
  }

  /** Takes out what is in progress. */
  drain(): L[] {
    const running = [...this.#running.values()];
    this.#running.clear();
    this.#effect = undefined;
    return running;
  }
}
