import type { SimulatedTime } from './simulated-time.js';

/**
 * One life of a simulated process: everything that reaches it or leaves it passes through here. After its end nothing
 * does any more; while it is paused everything waits, in order.
 */
export class Life {
  #alive = true;
  #paused = false;
  #waiting: (() => void)[] = [];
  readonly #time: SimulatedTime;
  readonly #ended: (() => void)[] = [];

  /** @param node the name of the process, the same in each of its lives */
  constructor(
    readonly node: string,
    time: SimulatedTime,
  ) {
    this.#time = time;
  }

  get alive(): boolean {
    return this.#alive;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Does the step now, or when the process goes on, or never. */
  act(step: () => void): void {
    if (!this.#alive) return;
    if (this.#paused) this.#waiting.push(step);
    else step();
  }

  /** Does the step after a time. The returned function cancels it. */
  after(ms: number, step: () => void): () => void {
    let cancelled = false;
    const cancel = this.#time.after(ms, () =>
      this.act(() => {
        if (!cancelled) step();
      }),
    );
    return () => {
      cancelled = true;
      cancel();
    };
  }

  now(): number {
    return this.#time.now();
  }

  /** A question to the world outside: what is answered after the end of this life is never heard. */
  ask<Answer>(
    put: (resolve: (answer: Answer) => void, reject: (error: Error) => void) => void,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.act(() =>
        put(
          (answer) => this.act(() => resolve(answer)),
          (error) => this.act(() => reject(error)),
        ),
      );
    });
  }

  /** SIGSTOP: from now on everything waits. */
  pause(): void {
    this.#paused = true;
  }

  /** SIGCONT: what waited happens now, one after the other. */
  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    for (const step of this.#waiting.splice(0)) this.#time.after(0, () => this.act(step));
  }

  /** SIGKILL. */
  end(): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#waiting = [];
    for (const tell of this.#ended.splice(0)) tell();
  }

  /** Called at the end of this life. */
  onEnd(tell: () => void): void {
    this.#ended.push(tell);
  }
}
