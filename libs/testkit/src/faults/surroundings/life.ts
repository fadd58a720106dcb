import type { SimulatedTime } from './simulated-time.js';

/**
 * One life of a simulated process. Every input and output of the process passes through here. After its end nothing
 * passes; while it is suspended everything waits, in order.
 */
export class Life {
  #alive = true;
  #paused = false;
  #waiting: (() => void)[] = [];
  readonly #time: SimulatedTime;
  readonly #ended: (() => void)[] = [];

  /** @param node name of the process, the same in all of its lives */
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

  /** Runs the step now, or when the suspended process goes on, or never. */
  act(step: () => void): void {
    if (!this.#alive) return;
    if (this.#paused) this.#waiting.push(step);
    else step();
  }

  /** Runs the step after a time. The returned function cancels it. */
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

  /** A question to the surroundings. An answer after the end of this life is dropped. */
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

  /** SIGSTOP: everything waits from now on. */
  pause(): void {
    this.#paused = true;
  }

  /** SIGCONT: runs the steps that waited, in order. */
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
