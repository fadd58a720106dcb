import type { Clock, Timers } from '@lab/ports';
import { systemClock, systemTimers } from '../time/index.js';
import type { RunningChild } from './child.js';
import { exitText } from './exit-info.js';

export type SupervisionEvent =
  | { type: 'ready'; name: string; pid: number; afterMs: number; restarts: number }
  | { type: 'exited'; name: string; reason: string; retryInMs: number }
  | { type: 'restart_failed'; name: string; error: Error; retryInMs: number };

export interface SupervisionOptions {
  name: string;
  /** Starts the child and resolves when it is ready. */
  launch: (signal: AbortSignal) => Promise<RunningChild>;
  onEvent?: (event: SupervisionEvent) => void;
  /** Milliseconds before the first restart, doubled by each further one up to `longestMs`. Default 500. */
  shortestMs?: number;
  /** Milliseconds. Default 30 000. */
  longestMs?: number;
  /** Milliseconds for which the child must run before the wait starts at `shortestMs` again. Default 60 000. */
  healthyMs?: number;
  clock?: Clock;
  timers?: Timers;
}

/** Keeps one child running: restarts it, with growing waits, when it ends without a request. */
export class Supervision {
  readonly name: string;
  readonly #options: Required<Omit<SupervisionOptions, 'onEvent'>> & Pick<SupervisionOptions, 'onEvent'>;
  readonly #abort = new AbortController();
  #child: RunningChild | undefined;
  #launching: Promise<RunningChild> | undefined;
  #cancelRestart: (() => void) | undefined;
  #waitMs: number;
  #restarts = 0;
  #restartsEnded = false;
  #stopped: Promise<void> | undefined;

  constructor(options: SupervisionOptions) {
    this.name = options.name;
    this.#options = {
      shortestMs: 500,
      longestMs: 30_000,
      healthyMs: 60_000,
      clock: systemClock,
      timers: systemTimers,
      ...options,
    };
    this.#waitMs = this.#options.shortestMs;
  }

  /** The current process; undefined between an end and the restart. */
  get child(): RunningChild | undefined {
    return this.#child;
  }

  /**
   * The first start. Afterwards the child is kept running until {@link stop}.
   *
   * @throws Error of `launch`: a failed first start is not repeated
   */
  async start(): Promise<RunningChild> {
    return this.#launch();
  }

  /** From now on a child that ends by itself is not started again. The present child goes on. */
  endRestarts(): void {
    this.#restartsEnded = true;
    this.#cancelRestart?.();
  }

  /** Ends the child: in order, or with SIGKILL after {@link hurry}. Resolves when no part of it runs. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Ends the child with SIGKILL, even during an orderly stop. {@link stop} still waits for the end. */
  hurry(): void {
    this.endRestarts();
    this.#abort.abort();
    this.#child?.kill();
  }

  async #stop(): Promise<void> {
    this.endRestarts();
    this.#abort.abort();
    const launching = this.#launching;
    if (launching !== undefined) {
      await launching.then(
        () => undefined,
        (error: unknown) => {
          if (!this.#abort.signal.aborted) throw error;
        },
      );
    }
    await this.#child?.stop();
    this.#child = undefined;
  }

  async #launch(): Promise<RunningChild> {
    const { clock, launch, onEvent } = this.#options;
    const began = clock.now();
    this.#launching = launch(this.#abort.signal);
    try {
      const child = await this.#launching;
      this.#child = child;
      const readyAt = clock.now();
      onEvent?.({
        type: 'ready',
        name: this.name,
        pid: child.pid,
        afterMs: readyAt - began,
        restarts: this.#restarts,
      });
      void child.exited.then((exit) => this.#onExit(child, exitText(exit), readyAt));
      return child;
    } finally {
      this.#launching = undefined;
    }
  }

  #onExit(child: RunningChild, reason: string, readyAt: number): void {
    if (this.#child === child) this.#child = undefined;
    if (this.#restartsEnded) return;
    const { clock, healthyMs, shortestMs, onEvent } = this.#options;
    if (clock.now() - readyAt >= healthyMs) this.#waitMs = shortestMs;
    const retryInMs = this.#restartLater();
    onEvent?.({ type: 'exited', name: this.name, reason, retryInMs });
  }

  #restartLater(): number {
    const { longestMs, timers, onEvent } = this.#options;
    const wait = this.#waitMs;
    this.#waitMs = Math.min(longestMs, wait * 2);
    this.#cancelRestart = timers.after(wait, () => {
      this.#restarts += 1;
      this.#launch().catch((error: unknown) => {
        if (this.#restartsEnded) return;
        const cause = error instanceof Error ? error : new Error(String(error));
        const retryInMs = this.#restartLater();
        onEvent?.({ type: 'restart_failed', name: this.name, error: cause, retryInMs });
      });
    });
    return wait;
  }
}
