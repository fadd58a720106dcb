/**
 * Dominance and hypervolume. Objectives are maximised, and points are rows of length `m`. A point dominates another
 * when it is nowhere less and somewhere greater.
 */

export function positions(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}

/** Row `a` is nowhere less than row `b`. */
export function covers(rows: Float64Array, m: number, a: number, b: number): boolean {
  for (let j = 0; j < m; j++) if (rows[a * m + j]! < rows[b * m + j]!) return false;
  return true;
}

/** Positions of the rows (`n x m`) that no other row dominates, rising. Of equal rows the first one counts. */
export function paretoFront(rows: Float64Array, n: number, m: number): number[] {
  const front: number[] = [];
  for (let i = 0; i < n; i++) {
    let dominated = false;
    for (let k = 0; k < n && !dominated; k++) {
      dominated = k !== i && covers(rows, m, k, i) && (k < i || !covers(rows, m, i, k));
    }
    if (!dominated) front.push(i);
  }
  return front;
}

export function rowsOf(rows: Float64Array, m: number, chosen: readonly number[]): Float64Array {
  const result = new Float64Array(chosen.length * m);
  chosen.forEach((row, i) => result.set(rows.subarray(row * m, row * m + m), i * m));
  return result;
}

/**
 * The default reference point: the worst value of each objective on the Pareto front, less a tenth of its range there
 * (Ishibuchi et al. 2018; as BoTorch infers it). With a single point on the front, the range of all points is used.
 */
export function defaultReference(rows: Float64Array, n: number, m: number): Float64Array {
  const front = paretoFront(rows, n, m);
  return Float64Array.from({ length: m }, (_, j) => {
    const [low, high] = rangeOf(rows, m, j, front);
    if (high > low) return low - 0.1 * (high - low);
    const [worst, best] = rangeOf(rows, m, j, positions(n));
    return low - 0.1 * (best - worst || Math.abs(low) || 1);
  });
}

export function rangeOf(
  rows: Float64Array,
  m: number,
  j: number,
  chosen: readonly number[],
): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const i of chosen) {
    low = Math.min(low, rows[i * m + j]!);
    high = Math.max(high, rows[i * m + j]!);
  }
  return [low, high];
}
