import { Sobol, SOBOL_DIMENSIONS, type LinearConstraints, type Rng } from '../numeric/index.js';
import { latinHypercube, representatives, type SamplingMethod } from './designs.js';
import { levelAt, type Encoding } from './encoding.js';
import { leastUse } from './mixed-program.js';
import { Polytope } from './polytope.js';
import type { Projection } from './projection.js';
import type { ZeroPatterns } from './zero-patterns.js';

/** Designs up to this size are selected from more even points; larger ones are spread well enough without. */
const chosenDesigns = 128;

/** Most searches by branch and bound for one sample; a search without a result counts eight times. */
const mostSearches = 64;

export interface Region {
  encoding: Encoding;
  relaxed: LinearConstraints;
  /** Columns with constraints. */
  coupled: readonly number[];
  patterns: ZeroPatterns;
  projection: Projection;
  satisfies(row: Float64Array): boolean;
  /** All feasible rows, if there are few enough to list. */
  listed(): readonly Float64Array[] | null;
}

/** Draws distinct feasible rows. */
export class Sampling {
  private readonly polytopes = new Map<string, Polytope | null>();

  constructor(private readonly region: Region) {}

  /**
   * @param present rows that may not be drawn, and from which a design keeps away
   * @returns at most `count` rows; fewer: no further ones were found
   */
  rows(count: number, method: SamplingMethod, rng: Rng, present: readonly Float64Array[]): Float64Array[] {
    const drawn = new DistinctRows(present);
    this.fromCube(count, method, rng, drawn);
    if (drawn.rows.length === count) return drawn.rows;
    const pool = this.pool(
      method === 'RANDOM' || count > chosenDesigns ? count : 4 * count + 24,
      rng,
      present,
    );
    if (pool.length <= count) return pool;
    if (method === 'RANDOM' || count > chosenDesigns) return rng.shuffle(pool).slice(0, count);
    return representatives(pool, count, present).map((i) => pool[i]!);
  }

  /** Distinct feasible rows, uniform as far as rounding allows. */
  private pool(size: number, rng: Rng, present: readonly Float64Array[]): Float64Array[] {
    const drawn = new DistinctRows(present);
    const listed = this.region.listed();
    if (listed !== null) {
      for (const row of rng.shuffle(listed.slice())) {
        if (drawn.rows.length === size) break;
        drawn.add(row);
      }
      return drawn.rows;
    }
    const walks = new Map<string, Iterator<Float64Array, never>>();
    const { projection } = this.region;
    let searches = mostSearches;
    let repeated = 0;
    for (let tries = 1; tries < 12 * size + 64 && repeated < size + 64; tries += 1) {
      if (drawn.rows.length === size) break;
      const target = this.candidate(rng, walks, size);
      let row = projection.settle(target, undefined, false);
      // Another target is faster than a search, unless hardly any target succeeds.
      if (row === null && searches > 0 && 20 * drawn.rows.length < tries) {
        row = projection.settle(target);
        searches -= row === null ? 8 : 1;
      }
      if (row !== null && !drawn.add(row)) repeated += 1;
    }
    return drawn.rows;
  }

  /** Feasible points of the unit cube over the inputs, unless there are too few. */
  private fromCube(count: number, method: SamplingMethod, rng: Rng, drawn: DistinctRows): void {
    const { encoding, relaxed, patterns, coupled, satisfies } = this.region;
    if (relaxed.bEq.length > 0 || patterns.columns.length > 0) return;
    if (method === 'LATIN_HYPERCUBE' && coupled.length > 0) return;
    const n = encoding.offsets.length;
    const hypercube = method === 'LATIN_HYPERCUBE' ? latinHypercube(count, n, rng) : [];
    const sobol = method === 'SOBOL' && n <= SOBOL_DIMENSIONS ? new Sobol(n, { seed: rng.word() }) : null;
    const budget = coupled.length === 0 ? 2 * count + 32 : 20 * count + 200;
    for (let k = 0; k < budget && drawn.rows.length < count; k += 1) {
      const u = hypercube[k] ?? sobol?.take(1) ?? Float64Array.from({ length: n }, () => rng.uniform());
      const row = this.fromUnit(u);
      if (coupled.length === 0 || satisfies(row)) drawn.add(row);
    }
  }

  /** The row at a point of the unit cube: each value of an input with few values takes an equal part of its axis. */
  private fromUnit(u: Float64Array): Float64Array {
    const { encoding } = this.region;
    const row = new Float64Array(encoding.d);
    encoding.offsets.forEach((offset, i) => {
      const column = encoding.columns[offset]!;
      if (column.kind === 'continuous') row[offset] = u[i]!;
      else if (column.kind === 'categorical') row[offset + Math.floor(u[i]! * encoding.width(i))] = 1;
      else row[offset] = levelAt(column, Math.floor(u[i]! * column.count));
    });
    return row;
  }

  /** A row before rounding: constrained columns by hit-and-run for a pattern of zeros, others uniform. */
  private candidate(rng: Rng, walks: Map<string, Iterator<Float64Array, never>>, size: number): Float64Array {
    const { encoding, patterns, coupled } = this.region;
    const row = this.fromUnit(Float64Array.from(encoding.offsets, () => rng.uniform()));
    const zero = patterns.columns.length === 0 ? new Set<number>() : patterns.draw(rng);
    if (zero === null) return row;
    const key = [...zero].sort((a, b) => a - b).join();
    let walk = walks.get(key);
    if (walk === undefined) {
      const polytope = this.polytope(key, zero);
      if (polytope === null) return row;
      // With many points, neighbours in the walk may resemble each other.
      walk = polytope.walk(rng, size > chosenDesigns ? 4 + polytope.dimension : undefined);
      walks.set(key, walk);
    }
    const inside = walk.next().value;
    for (const j of coupled) row[j] = inside[j]!;
    return row;
  }

  private polytope(key: string, zero: ReadonlySet<number>): Polytope | null {
    const known = this.polytopes.get(key);
    if (known !== undefined) return known;
    const { encoding, relaxed, coupled, patterns } = this.region;
    const lower = relaxed.lower.slice();
    const upper = relaxed.upper.slice();
    for (const j of patterns.columns) {
      const column = encoding.columns[j]!;
      if (column.zero === null) continue;
      const least = column.kind === 'continuous' ? leastUse : 1 / (column.count - 1) / 2;
      if (zero.has(j)) lower[j] = upper[j] = column.zero;
      else if (column.zero < leastUse) lower[j] = column.zero + least;
      else if (column.zero > 1 - leastUse) upper[j] = column.zero - least;
    }
    const polytope = coupled.some((j) => lower[j]! > upper[j]!)
      ? null
      : Polytope.of({ ...relaxed, lower, upper }, coupled, zero.size === 0);
    this.polytopes.set(key, polytope);
    return polytope;
  }
}

/** Rows without repetition, up to 1e-9 of each column. */
export class DistinctRows {
  readonly rows: Float64Array[] = [];
  private readonly keys: Set<string>;

  constructor(present: readonly Float64Array[] = []) {
    this.keys = new Set(present.map(keyOf));
  }

  /** False when the row exists already. */
  add(row: Float64Array): boolean {
    const key = keyOf(row);
    if (this.keys.has(key)) return false;
    this.keys.add(key);
    this.rows.push(row);
    return true;
  }
}

function keyOf(row: Float64Array): string {
  return Array.from(row, (value) => Math.round(value * 1e9)).join();
}
