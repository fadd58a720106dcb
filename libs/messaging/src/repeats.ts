import type { BusTimers } from './timers.js';

/** How long an answer is kept, in milliseconds; longer than any pause between two repeats of a request. */
const keptMs = 60_000;

/**
 * Answers a request once although its caller sends it again under the same id: a repeat joins the work that goes on, or
 * gets the answer that was given. So a lost message costs one pause between repeats, and no work is done twice.
 */
export class Repeats {
  readonly #answers = new Map<string, Promise<unknown>>();

  constructor(private readonly timers: Pick<BusTimers, 'after'>) {}

  /** @param id of the message, the same for each repeat */
  join<Reply>(id: string, answer: () => Promise<Reply>): Promise<Reply> {
    const known = this.#answers.get(id);
    if (known !== undefined) return known as Promise<Reply>;
    const given = answer();
    this.#answers.set(id, given);
    const forget = (): void => void this.timers.after(keptMs, () => this.#answers.delete(id));
    given.then(forget, forget);
    return given;
  }
}
