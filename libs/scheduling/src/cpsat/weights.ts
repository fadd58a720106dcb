import type { PlanRunning, PlanTask } from '../policy.js';

/** Greatest distance between the weights of the least and the most important work, unless more priorities are in use. */
const span = 1_000;

/**
 * How much the completion of work of each priority weighs in the objective.
 *
 * `weight(p) = 1 + p - lowest` of the priorities present: any integers will do, negative ones too, and adding the same
 * to all of them changes nothing. Where they lie further apart than 1,000 the distances shrink in proportion; a higher
 * priority still weighs more than a lower one. A weight is worth its ratio: work of twice the weight goes first unless
 * it takes more than twice as long (the rule of Smith 1956, on one unit).
 */
export function weightsOf(priorities: Iterable<number>): Map<number, number> {
  const levels = [...new Set(priorities)].sort((a, b) => a - b);
  const lowest = levels[0] ?? 0;
  const distance = (levels.at(-1) ?? 0) - lowest;
  const scale = distance > span ? span / distance : 1;
  const weights = new Map<number, number>();
  let last = 0;
  for (const level of levels) {
    last = Math.max(last + 1, 1 + Math.round((level - lowest) * scale));
    weights.set(level, last);
  }
  return weights;
}

/** What completes together: a protocol run, or an on-demand task by itself. */
export interface Work {
  /** Id of the run; of an on-demand task its own with a mark before it. */
  key: string;
  priority: number;
  /** Milliseconds since 1970. */
  waitingSince: number;
  /** It runs already, or keeps units: the others cannot do without its end. */
  begun: boolean;
  tasks: PlanTask[];
}

export function workKey(task: PlanTask | PlanRunning): string {
  return task.run ?? `task ${task.id}`;
}
