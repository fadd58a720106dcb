import type { Fault } from '@lab/contracts';
import { ServiceError } from '@lab/contracts/vocabulary';
import type { Rng } from '../numeric/index.js';
import { combinationsOf } from './combinations.js';
import { conflictFaults, conflictingConstraints } from './conflicts.js';
import type { SamplingMethod } from './designs.js';
import { Encoding, type Column } from './encoding.js';
import { encodedConstraints, type LinearConstraints } from './linear-constraints.js';
import { MixedProgram } from './mixed-program.js';
import { neighbours } from './neighbours.js';
import { Projection } from './projection.js';
import { Sampling } from './sampling.js';
import { spaceFaults } from './space-checks.js';
import type { Point, Space } from './space.js';
import { withImpliedBounds } from './unbounded.js';
import { Validator, type KnownPoints } from './validation.js';
import { ZeroPatterns } from './zero-patterns.js';

/** Domains of at most this many feasible combinations are listed, so that their exhaustion is certain. */
export const listedCombinations = 100_000;

/** Distinct feasible points. */
export interface Sample {
  points: Point[];
  /** No further points were found. In a domain that {@link Domain.rows} lists, there are no others. */
  exhausted: boolean;
}

/**
 * A checked declaration with all questions about it. Rows are encoded points of length `d`: continuous, stepped and
 * discrete inputs scaled to [0, 1], categorical inputs one-hot.
 */
export class Domain {
  private readonly encoding: Encoding;
  private readonly validator: Validator;
  private readonly projection: Projection;
  private readonly sampling: Sampling;
  private list: readonly Float64Array[] | null | undefined;

  /**
   * Linear constraints over rows with every column between its extreme values: necessary for all points. They ignore
   * steps, values, categories and n-choose-k.
   */
  readonly relaxed: LinearConstraints;
  /** Number of combinations of values, feasible or not; Infinity when an input is continuous without a step. */
  readonly combinations: number;

  private constructor(
    /** As declared. */
    readonly space: Space,
    encoding: Encoding,
  ) {
    this.encoding = encoding;
    this.validator = new Validator(space, encoding);
    this.relaxed = encodedConstraints(space, encoding);
    this.combinations = space.inputs.reduce(
      (product, input, i) =>
        product *
        (input.kind === 'categorical' ? input.categories.length : this.columns[encoding.offsets[i]!]!.count),
      1,
    );
    const program = new MixedProgram(encoding, space.constraints);
    const satisfies = (row: Float64Array) => this.validator.satisfies(encoding.decode(row));
    this.projection = new Projection(encoding, space.constraints, this.relaxed, program, satisfies);
    this.sampling = new Sampling({
      encoding,
      relaxed: this.relaxed,
      coupled: program.coupled,
      patterns: new ZeroPatterns(space.constraints, encoding),
      projection: this.projection,
      satisfies,
      listed: () => this.listed(),
    });
  }

  /**
   * @throws ServiceError `invalid` with a fault for everything that is wrong: keys, bounds, steps, values,
   *   constraints; an input without finite bounds (`unbounded`); constraints that no point satisfies (`empty_domain`,
   *   one fault for each of the fewest that conflict)
   */
  static of(space: Space): Domain {
    let faults = spaceFaults(space);
    if (faults.length > 0 && faults.every(({ code }) => code === 'unbounded')) {
      faults = withImpliedBounds(faults, space);
    } else if (faults.length === 0) {
      const encoding = new Encoding(space.inputs);
      faults = conflictFaults(space, conflictingConstraints(space, encoding));
      if (faults.length === 0) return new Domain(space, encoding);
    }
    const [first, ...others] = faults.map(({ path, message }) => `${path}: ${message}`);
    const further = others.length === 0 ? '' : ` (and ${others.length} more)`;
    throw new ServiceError('invalid', `The optimization cannot be: ${first}${further}`, { faults });
  }

  /** Length of a row. */
  get d(): number {
    return this.encoding.d;
  }

  /** The meaning of each column of a row. */
  get columns(): readonly Column[] {
    return this.encoding.columns;
  }

  /**
   * All faults of a point; empty when it may be tried. Numbers are compared up to 1e-9 of the range of their input,
   * constraints up to 1e-9 of the size of their terms.
   *
   * @param point values by key, of any type
   * @param known points that it may not repeat
   */
  validate(point: unknown, known: KnownPoints = {}): Fault[] {
    return this.validator.faults(point, known);
  }

  /** Says whether two valid points are the same run, up to 1e-9 of the range of each input. */
  same(a: Point, b: Point): boolean {
    return this.validator.same(a, b);
  }

  /**
   * @param point valid;
   * @returns its row
   */
  encode(point: Point): Float64Array {
    return this.encoding.encode(point);
  }

  /** The point nearest to a row by steps, values, categories and bounds. Constraints are ignored. */
  decode(row: Float64Array): Point {
    return this.encoding.decode(row);
  }

  /** The linear constraints around a feasible row, with its steps, values, categories and n-choose-k zeros. */
  slice(row: Float64Array): LinearConstraints {
    return this.projection.slice(row);
  }

  /**
   * A feasible row near the given one: nearest possible steps, values, categories and zeros, with continuous inputs
   * moved to satisfy the constraints. Its point passes `validate`.
   *
   * @returns null when none was found, which only badly scaled or very large discrete domains can cause
   */
  project(row: Float64Array): Float64Array | null {
    const settled = this.projection.settle(row);
    return settled === null ? null : this.exact(settled);
  }

  /**
   * Feasible rows that differ from a feasible one by one change of a step, value, category or use of an n-choose-k
   * feature, with the fewest other changes that the constraints require.
   */
  neighbours(row: Float64Array): Float64Array[] {
    return neighbours(row, this.encoding, this.space.constraints, this.projection).map((next) =>
      this.exact(next),
    );
  }

  /**
   * All feasible rows. A domain of at most {@link listedCombinations} combinations can always be listed.
   *
   * @throws ServiceError `invalid` when an input is continuous without a step, or when there are too many
   */
  rows(): readonly Float64Array[] {
    const rows = this.listed();
    if (rows === null) throw new ServiceError('invalid', 'The points of this domain are too many for a list');
    return rows;
  }

  /**
   * Draws distinct feasible points. Without constraints the method is used directly. With inequalities that leave
   * enough room, Sobol and random points that violate them are dropped. Otherwise points are drawn uniformly by
   * hit-and-run in the polytope of a random choice of n-choose-k features and rounded to steps and values; `SOBOL` and
   * `LATIN_HYPERCUBE` select the most representative of many such points.
   *
   * @param count 1 or more
   * @param avoid valid points that may not be drawn
   */
  sample(count: number, method: SamplingMethod, rng: Rng, avoid: readonly Point[] = []): Sample {
    const present = avoid.map((point) => this.encode(point));
    const rows = this.sampling.rows(count, method, rng, present);
    const points = rows
      .map((row) => this.decode(row))
      .filter((point) => this.validator.faults(point, {}).length === 0);
    return { points, exhausted: points.length < count };
  }

  private listed(): readonly Float64Array[] | null {
    if (this.list === undefined) {
      const satisfies = (row: Float64Array) => this.validator.satisfies(this.decode(row));
      this.list = combinationsOf(this.encoding, this.relaxed, satisfies, listedCombinations);
    }
    return this.list;
  }

  /** The row of the point of a row, without rounding errors in the unit of the inputs. */
  private exact(row: Float64Array): Float64Array {
    return this.encode(this.decode(row));
  }
}
