import type { Time } from '../transport/index.js';

/**
 * A deadline that is set for each request and rarely reached. Its timer is not the one of the request: it rings at the earliest time that
 * was ever due and is set again for what is left. So a request costs no timer, which an instrument that is polled 1,000 times a second
 * would notice.
 */
export class Deadline {
  /** When it is reached; infinite: it is not set. */
  #at = Infinity;
  /** When the timer rings. */
  #ringsAt = Infinity;
  #cancel = (): void => undefined;

  constructor(
    private readonly time: Time,
    private readonly reached: () => void,
  ) {}

  /** @param ms milliseconds from now */
  set(ms: number): void {
    this.#at = this.time.now() + ms;
    if (this.#at < this.#ringsAt) this.#wait(ms);
  }

  clear(): void {
    this.#at = Infinity;
  }

  /** Clears it, and leaves no timer behind. */
  end(): void {
    this.clear();
    this.#cancel();
    this.#ringsAt = Infinity;
  }

  #wait(ms: number): void {
    this.#cancel();
    this.#ringsAt = this.#at;
    this.#cancel = this.time.after(ms, () => {
      this.#ringsAt = Infinity;
      const left = this.#at - this.time.now();
      if (left === Infinity) return;
      if (left > 0) this.#wait(left);
      else {
        this.#at = Infinity;
        this.reached();
      }
    });
  }
}
