import type { Domain } from '../domain/domain.js';
import type { LinearConstraints } from '../domain/linear-constraints.js';
import { minimizeBounded, minimizeConstrained, type Rng, type SmoothFunction } from '../numeric/index.js';
import type { AcquisitionFunction } from './acquisition.js';

export interface Candidate {
  row: Float64Array;
  value: number;
}

export interface Effort {
  /** Iterations of each continuous search. */
  iterations: number;
  /** Rounds of changes of steps, values, categories and zeros. */
  rounds: number;
  stop: () => boolean;
}

/** Most neighbours that are valued in a round. */
const NEIGHBOURS = 64;

/**
 * Climbs from feasible rows to better ones. It first treats steps and values as continuous and rounds the result. Then
 * it alternates between the continuous inputs, with all others fixed, and the best change of one other input (Daulton
 * et al. 2022, "Bayesian optimization over discrete and mixed spaces via probabilistic reparameterization",
 * interleaved baseline).
 */
export class Ascent {
  /** Columns that move freely before rounding: those with steps or values. */
  private readonly graded: readonly number[];
  private readonly counted: ReadonlySet<string>;
  private readonly mixed: boolean;
  private readonly continuous: boolean;

  constructor(
    private readonly domain: Domain,
    private readonly rng: Rng,
  ) {
    const { columns, space } = domain;
    this.graded = Array.from(columns.keys()).filter((j) =>
      ['stepped', 'discrete'].includes(columns[j]!.kind),
    );
    this.counted = new Set(space.constraints.flatMap((c) => (c.kind === 'n_choose_k' ? c.features : [])));
    this.continuous = columns.some(({ kind }) => kind === 'continuous');
    this.mixed = this.counted.size > 0 || columns.some(({ kind }) => kind !== 'continuous');
  }

  /** @returns a feasible row at least as good as the start */
  from(start: Candidate, acquisition: AcquisitionFunction, effort: Effort): Candidate {
    let best = start;
    if (this.graded.length > 0) {
      const relaxed = climb(acquisition, start.row, this.loosened(start.row), 1, effort);
      best = this.better(best, relaxed, acquisition);
    }
    best = this.resolved(best, acquisition, effort);
    if (!this.mixed) return best;
    for (let round = 0; round < effort.rounds && !effort.stop(); round++) {
      const next = this.bestNeighbour(best, acquisition, effort);
      if (next === null) break;
      best = this.resolved(next, acquisition, effort);
    }
    return best;
  }

  /** The nearest row whose point passes `validate`. */
  feasible(row: Float64Array): Float64Array | null {
    const { domain } = this;
    const point = domain.decode(row);
    if (domain.validate(point).length === 0) return domain.encode(point);
    const settled = domain.project(row);
    return settled !== null && domain.validate(domain.decode(settled)).length === 0 ? settled : null;
  }

  /** Moves the continuous inputs, with all others fixed. */
  private resolved(from: Candidate, acquisition: AcquisitionFunction, effort: Effort): Candidate {
    if (!this.continuous || effort.stop()) return from;
    const found = climb(acquisition, from.row, this.domain.slice(from.row), 1, effort);
    return this.better(from, found, acquisition);
  }

  private bestNeighbour(from: Candidate, acquisition: AcquisitionFunction, effort: Effort): Candidate | null {
    const rows = this.domain.neighbours(from.row);
    const some = rows.length > NEIGHBOURS ? this.rng.shuffle(rows).slice(0, NEIGHBOURS) : rows;
    let best: Candidate | null = null;
    for (const row of some) {
      if (effort.stop()) break;
      const value = acquisition.value(row, 1);
      // Rounding must not make the climb go in circles.
      if (value > (best ?? from).value + 1e-9 * Math.max(1, Math.abs(from.value))) best = { row, value };
    }
    return best;
  }

  private better(from: Candidate, found: Float64Array, acquisition: AcquisitionFunction): Candidate {
    const row = this.feasible(found);
    if (row === null) return from;
    const value = acquisition.value(row, 1);
    return value > from.value ? { row, value } : from;
  }

  /** The constraints without steps and values; categories and the zeros of n-choose-k stay. */
  private loosened(row: Float64Array): LinearConstraints {
    const { domain } = this;
    const slice = domain.slice(row);
    for (const j of this.graded) {
      const { key, zero } = domain.columns[j]!;
      if (this.counted.has(key) && zero !== null && Math.abs(row[j]! - zero) < 1e-9) continue;
      slice.lower[j] = domain.relaxed.lower[j]!;
      slice.upper[j] = domain.relaxed.upper[j]!;
    }
    return slice;
  }
}

/**
 * The point with the highest value that a search from the start reaches; the start if it reaches nothing better.
 *
 * @param start `q x d`, feasible
 * @param constraints over `q d` variables
 */
export function climb(
  acquisition: AcquisitionFunction,
  start: Float64Array,
  constraints: LinearConstraints,
  q: number,
  { iterations, stop }: Omit<Effort, 'rounds'>,
): Float64Array {
  const first = acquisition.gradient(start, q);
  if (!Number.isFinite(first.value) || !first.gradient.every(Number.isFinite)) return start;
  const f: SmoothFunction = (points, gradient) => {
    // The search begins at the start, which is known.
    const found = isSame(points, start) ? first : acquisition.gradient(points, q);
    for (let i = 0; i < gradient.length; i++) gradient[i] = -found.gradient[i]!;
    return -found.value;
  };
  const options = { maxIterations: iterations, valueTolerance: 1e-7, stop };
  const { lower, upper } = constraints;
  if (constraints.bEq.length + constraints.bLe.length === 0) {
    return minimizeBounded(f, start, { ...options, lower, upper }).x;
  }
  return minimizeConstrained(f, start, constraints, options).x;
}

const isSame = (a: Float64Array, b: Float64Array): boolean => a.every((value, i) => value === b[i]);
