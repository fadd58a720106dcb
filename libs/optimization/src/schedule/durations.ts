import { joined } from '../numeric/index.js';
import { fitGaussianProcess } from '../surrogates/fit.js';
import type { Surrogate } from '../surrogates/surrogate.js';
import type { OutputMap } from '../surrogates/surrogate.js';

/** Seconds of the tasks of a completed run, by name of the task, and the encoded point of the run. */
export interface TimedRun {
  row: Float64Array;
  seconds: Readonly<Record<string, number>>;
}

/** With fewer runs, the duration of a task is unknown. */
const fewest = 3;
/** Durations whose greatest is at most this multiple of the least do not depend on the inputs. */
const alike = 1.1;
/** The shortest duration that counts, in seconds. */
const shortest = 1e-3;
/** A prediction lies at most this factor outside of the observed durations. */
const beyond = 2;

/** The logarithm of a duration at encoded rows. */
type LogSeconds = (rows: readonly Float64Array[]) => Float64Array;

/**
 * Durations of tasks as functions of the inputs, learned from completed runs: a Gaussian process for the logarithm of the
 * seconds of each task, or the median where durations are alike (Snoek, Larochelle and Adams 2012, "Practical Bayesian
 * optimization of machine learning algorithms", section 3.2, models the cost of a run in the same way).
 */
export class TaskDurations {
  readonly #models = new Map<string, LogSeconds>();

  /**
   * @param runs completed, in an order that does not depend on the order of their reports
   * @param inputOf input of each encoded column
   */
  constructor(runs: readonly TimedRun[], inputOf: ArrayLike<number>) {
    for (const task of new Set(runs.flatMap(({ seconds }) => Object.keys(seconds)))) {
      const timed = runs.filter(({ seconds }) => Object.hasOwn(seconds, task));
      if (timed.length < fewest) continue;
      const logs = Float64Array.from(timed, ({ seconds }) => Math.log(Math.max(shortest, seconds[task]!)));
      this.#models.set(task, modelOf(timed, logs, inputOf));
    }
  }

  /** @returns expected seconds at each row; null: they are unknown */
  of(task: string, rows: readonly Float64Array[]): Float64Array | null {
    return this.#models.get(task)?.(rows).map(Math.exp) ?? null;
  }
}

function modelOf(runs: readonly TimedRun[], logs: Float64Array, inputOf: ArrayLike<number>): LogSeconds {
  const sorted = logs.toSorted();
  const [least, greatest] = [sorted[0]!, sorted.at(-1)!];
  if (greatest - least <= Math.log(alike)) {
    const median = sorted[sorted.length >> 1]!;
    return (rows) => new Float64Array(rows.length).fill(median);
  }
  const d = inputOf.length;
  const model: Surrogate & { output: OutputMap } = fitGaussianProcess(
    joined(runs.map(({ row }) => row)),
    logs,
    logs.length,
    d,
    { seed: 1, timeLimitMs: Infinity, now: () => 0, inputOf, warping: 'none' },
  );
  const beside = model.beside(new Float64Array(0), 0);
  const margin = Math.log(beyond);
  return (rows) =>
    beside
      .marginals(joined(rows, d), rows.length)
      .mean.map((mean) =>
        Math.min(greatest + margin, Math.max(least - margin, model.output.fromModel(mean))),
      );
}
