import type { Domain } from '../domain/domain.js';
import type { Rng } from '../numeric/index.js';

/** Root mean square distances of perturbed points from their origins, encoded. */
const REACHES = [0.01, 0.05, 0.15];

export function scattered(domain: Domain, count: number, rng: Rng): Float64Array[] {
  // Under constraints an even design costs much more than random points, which are enough for starts.
  const method = domain.space.constraints.length === 0 ? 'SOBOL' : 'RANDOM';
  return domain.sample(count, method, rng).points.map((point) => domain.encode(point));
}

/**
 * Feasible rows near promising ones, best first: some columns are moved by normal numbers, and categories are drawn
 * again at times. In many dimensions nearly all of a domain is far from good points (Eriksson et al. 2019).
 */
export function nearby(
  domain: Domain,
  from: readonly Float64Array[],
  count: number,
  rng: Rng,
): Float64Array[] {
  const rows: Float64Array[] = [];
  const { d, columns } = domain;
  const moving = Math.min(1, 8 / d);
  for (let k = 0; k < count && from.length > 0; k++) {
    const row = from[k % from.length]!.slice();
    const reach = REACHES[rng.below(REACHES.length)]!;
    const sure = rng.below(d);
    const touched = new Set<number>();
    for (let j = 0; j < d; j++) {
      if (j !== sure && rng.uniform() >= moving) continue;
      const { kind, input } = columns[j]!;
      if (kind !== 'categorical') row[j]! += reach * rng.normal();
      else if (!touched.has(input) && rng.uniform() < 0.3) {
        touched.add(input);
        // Above every other column of the input: this category is chosen.
        row[j] = 2;
      }
    }
    const settled = domain.project(row.map((value) => Math.min(2, Math.max(0, value))));
    if (settled !== null) rows.push(settled);
  }
  return rows;
}

/** Changes of one encoded number by {@link alongInputs}. */
const CHANGES = [-0.5, -0.25, -0.12, -0.06, -0.03, -0.015, 0.015, 0.03, 0.06, 0.12, 0.25, 0.5];

/** Feasible rows that differ from a row in one numeric input, by steps of several lengths, or by another category. */
export function alongInputs(domain: Domain, row: Float64Array): Float64Array[] {
  const rows: Float64Array[] = [];
  for (const [j, { kind }] of domain.columns.entries()) {
    // Above every other column of its input, a category is chosen.
    const values = kind === 'categorical' ? [2] : CHANGES.map((change) => row[j]! + change);
    for (const value of values) {
      if (kind !== 'categorical' && (value < -0.25 || value > 1.25)) continue;
      const changed = row.slice();
      changed[j] = kind === 'categorical' ? value : Math.min(1, Math.max(0, value));
      const settled = domain.project(changed);
      if (settled !== null) rows.push(settled);
    }
  }
  return rows;
}

/**
 * Selects starts among candidates: the best ones, and others at random with a probability that rises with their value
 * (Boltzmann, in units of the standard deviation of the values; as BoTorch's `initialize_q_batch`).
 *
 * @param values finite, or -Infinity for candidates that must not be selected
 * @param best number selected by rank, `others` at random
 * @returns distinct positions, best first
 */
export function chosenStarts(values: Float64Array, best: number, others: number, rng: Rng): number[] {
  const order = Array.from(values.keys())
    .filter((i) => Number.isFinite(values[i]!))
    .sort((a, b) => values[b]! - values[a]! || a - b);
  const chosen = order.slice(0, best);
  const rest = order.slice(best);
  const mean = rest.reduce((sum, i) => sum + values[i]!, 0) / Math.max(1, rest.length);
  const spread = Math.sqrt(
    rest.reduce((sum, i) => sum + (values[i]! - mean) ** 2, 0) / Math.max(1, rest.length),
  );
  // The greatest values of value + Gumbel noise are a draw without replacement.
  const keys = new Map(
    rest.map((i) => [
      i,
      (2 * (values[i]! - mean)) / (spread || 1) - Math.log(-Math.log(rng.uniform() + 1e-17)),
    ]),
  );
  rest.sort((a, b) => keys.get(b)! - keys.get(a)! || a - b);
  return [...chosen, ...rest.slice(0, others)];
}
