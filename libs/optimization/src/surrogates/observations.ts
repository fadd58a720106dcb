import type { Fault } from '@lab/contracts';
import { ServiceError } from '@lab/contracts/vocabulary';
import type { OutputMap } from './surrogate.js';

export interface Observations {
  /** `n x d`, encoded. */
  readonly rows: Float64Array;
  /** Measured values in the unit of the output, length `n`. */
  readonly y: Float64Array;
  readonly n: number;
}

/** Replicates that differ by more than this, in standard deviations of the output, contradict an exact output. */
const CONFLICT = 1e-3;

/** @throws ServiceError `invalid` with one fault for each of the first ten numbers that are not finite */
export function checkObservations(rows: Float64Array, y: Float64Array, n: number, d: number): void {
  const refuse = (message: string, faults: Fault[] = []) => {
    throw new ServiceError('invalid', message, { faults });
  };
  if (!(Number.isInteger(n) && n >= 1)) refuse(`A model needs at least 1 observation, not ${n}`);
  if (!(Number.isInteger(d) && d >= 1)) refuse(`A model needs at least 1 column, not ${d}`);
  if (rows.length !== n * d || y.length !== n) {
    refuse(
      `${n} observations of ${d} columns are ${n * d} and ${n} numbers, not ${rows.length} and ${y.length}`,
    );
  }
  const faults: Fault[] = [];
  const look = (values: Float64Array, path: (i: number) => string) =>
    values.forEach((value, i) => {
      if (Number.isFinite(value) || faults.length === 10) return;
      faults.push({ path: path(i), code: 'not_finite', message: `${value} is not a finite number` });
    });
  look(y, (i) => `y[${i}]`);
  look(rows, (i) => `rows[${Math.floor(i / d)}][${i % d}]`);
  if (faults.length > 0)
    refuse(`A model is fitted to finite numbers alone: ${faults[0]!.path} is not`, faults);
}

/** The observations at some indices. */
export function take(data: Observations, d: number, indices: Int32Array): Observations {
  const rows = new Float64Array(indices.length * d);
  const y = new Float64Array(indices.length);
  indices.forEach((from, to) => {
    rows.set(data.rows.subarray(from * d, (from + 1) * d), to * d);
    y[to] = data.y[from]!;
  });
  return { rows, y, n: indices.length };
}

/** The positions from 0 to `n - 1` but some. */
export function positionsWithout(some: readonly number[], n: number): Int32Array {
  return Int32Array.from({ length: n }, (_, i) => i).filter((i) => !some.includes(i));
}

/** Whether equal points were measured with results that differ by more than {@link CONFLICT}. */
export function hasConflicts(data: Observations, d: number, output: OutputMap): boolean {
  const seen = new Map<string, number>();
  for (let i = 0; i < data.n; i++) {
    const key = Array.from(data.rows.subarray(i * d, (i + 1) * d), (value) => value.toFixed(9)).join();
    const z = output.toModel(data.y[i]!);
    const before = seen.get(key);
    if (before === undefined) seen.set(key, z);
    else if (Math.abs(before - z) > CONFLICT) return true;
  }
  return false;
}
