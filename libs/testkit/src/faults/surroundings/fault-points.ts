import type { Life } from './life.js';

/** Immediately before or after a step. */
export type Side = 'before' | 'after';

/** Fault of a process at a point. */
export type PointAction = 'kill' | 'stop' | 'disconnect';

export type PointListener = (point: string, side: Side, n: number, life: Life) => void;

/**
 * The named moments at which a process does something observable: it sends, replies, writes to the ledger, commits, or
 * exchanges messages with its children. A listener may end, suspend or disconnect the process there. Before the step,
 * this prevents the step; after it, the step has happened.
 */
export class Points {
  readonly #counts = new Map<string, number>();
  listener: PointListener | undefined;

  /** Points that were reached, by `<side> <point>`, each with how often. */
  get reached(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  reach(point: string, side: Side, life: Life): void {
    if (!life.alive) return;
    const name = `${side} ${point}`;
    const n = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, n);
    this.listener?.(point, side, n, life);
  }
}
