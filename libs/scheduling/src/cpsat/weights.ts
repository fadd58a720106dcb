import type { PlanRunning, PlanTask } from '../policy.js';

/** Largest difference between weights, unless more priorities are in use. */
const span = 1_000;

/**
 * Weight of the completion of work in the objective, by priority: `weight(p) = 1 + p - lowest` over the priorities
 * present, which may be any integers. Differences beyond 1,000 shrink in proportion; a higher priority still weighs
 * more. Only ratios matter: work of twice the weight goes first unless it takes more than twice as long (Smith 1956,
 * on one unit).
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

/** Work that completes together: a protocol run, or one on-demand task. */
export interface Work {
  /** Id of the run. For an on-demand task, its own id with a prefix. */
  key: string;
  priority: number;
  waitingSince: number;
  /** It is running or keeps units, so that others may depend on its end. */
  begun: boolean;
  tasks: PlanTask[];
}

export function workKey(task: PlanTask | PlanRunning): string {
  return task.run ?? `task ${task.id}`;
}
