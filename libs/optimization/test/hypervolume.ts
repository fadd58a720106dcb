import { paretoFront, positions, rowsOf } from '../src/acquisition/pareto.js';

/**
 * The volume that the points dominate above a reference point, exact for any number of objectives: a sweep for two,
 * exclusive volumes by recursion for more (While, Bradstreet and Barone 2012, WFG).
 *
 * @param rows `n x m`; rows that are not above the reference point in every objective do not count
 */
export function hypervolume(rows: Float64Array, n: number, m: number, reference: Float64Array): number {
  const above: number[] = [];
  for (let i = 0; i < n; i++) {
    let within = true;
    for (let j = 0; j < m; j++) within &&= rows[i * m + j]! > reference[j]!;
    if (within) above.push(i);
  }
  const kept = rowsOf(rows, m, above);
  return volumeOf(rowsOf(kept, m, paretoFront(kept, above.length, m)), m, reference);
}

/** Of mutually non-dominated rows above the reference point. */
function volumeOf(front: Float64Array, m: number, reference: Float64Array): number {
  const n = front.length / m;
  if (n === 0) return 0;
  if (m === 1) return front.reduce((best, value) => Math.max(best, value), -Infinity) - reference[0]!;
  // Falling in the last objective: few points then dominate the limits of early points.
  const order = positions(n).sort((a, b) => front[b * m + m - 1]! - front[a * m + m - 1]!);
  if (m === 2) {
    let volume = 0;
    let reached = reference[0]!;
    for (const i of order) {
      volume += Math.max(0, front[i * 2]! - reached) * (front[i * 2 + 1]! - reference[1]!);
      reached = Math.max(reached, front[i * 2]!);
    }
    return volume;
  }
  let volume = 0;
  for (let a = 0; a < n; a++) {
    const point = front.subarray(order[a]! * m, order[a]! * m + m);
    let own = 1;
    for (let j = 0; j < m; j++) own *= point[j]! - reference[j]!;
    const limited = new Float64Array((n - a - 1) * m);
    for (let b = a + 1; b < n; b++) {
      for (let j = 0; j < m; j++) {
        limited[(b - a - 1) * m + j] = Math.min(front[order[b]! * m + j]!, point[j]!);
      }
    }
    volume += own - volumeOf(rowsOf(limited, m, paretoFront(limited, n - a - 1, m)), m, reference);
  }
  return volume;
}
