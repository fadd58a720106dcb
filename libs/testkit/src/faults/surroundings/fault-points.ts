import type { Life } from './life.js';

/** Just before, or just after. */
export type Side = 'before' | 'after';

/** What befalls a process at a point. */
export type PointAction = 'kill' | 'stop' | 'disconnect';

export type PointListener = (point: string, side: Side, n: number, life: Life) => void;

/**
 * The named moments at which a process does something that another one may come to hear of: sends, replies, writes to
 * the ledger, commits, messages to and from its children. The listener may end, pause or disconnect the process there,
 * and then the step itself happens or not, by the side on which it was.
 */
export class Points {
  readonly #counts = new Map<string, number>();
  listener: PointListener | undefined;

  /** Names that were reached, each with how often. */
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
