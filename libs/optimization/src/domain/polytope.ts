import { dot, type LinearConstraints, type Rng } from '../numeric/index.js';
import { solveLinear, type Row } from './linear-programs.js';
import { nullSpace } from './null-space.js';

/** Encoded width below which the constraints decide a column. */
const decided = 1e-9;

/**
 * The convex set of {@link LinearConstraints}, reduced to its degrees of freedom: decided columns are removed, the
 * others are scaled to their possible range, and `y = centre + N z` satisfies the equalities for every `z`.
 */
export class Polytope {
  private constructor(
    /** Columns that vary; the others have the values of `base`. */
    private readonly free: readonly number[],
    private readonly base: Float64Array,
    private readonly lows: Float64Array,
    private readonly widths: Float64Array,
    /** Over the free columns, each scaled to [0, 1]; as deep inside as possible. */
    private readonly centreScaled: Float64Array,
    /** Rows of `N` transposed. */
    private readonly basis: readonly Float64Array[],
    /** Over the free columns, besides `0 <= y <= 1`. */
    private readonly inequalities: readonly HalfSpace[],
  ) {}

  /** Degrees of freedom; 0: a single point. */
  get dimension(): number {
    return this.basis.length;
  }

  /** The Chebyshev centre: the centre of the largest inscribed ball, in the scaled columns. Length `d`. */
  get centre(): Float64Array {
    return this.unscaled(this.centreScaled);
  }

  /**
   * @param columns columns that take part; the others are at the middle of their bounds, and no row may use them
   * @param exact true: two linear programs per column find its range; false: the range follows from one row at a time
   *   and may be too wide, which costs hit-and-run some steps
   * @returns null: the set is empty
   */
  static of(constraints: LinearConstraints, columns: readonly number[], exact = true): Polytope | null {
    const { lower, upper } = constraints;
    const rows = rowsOf(constraints, columns);
    const low = Float64Array.from(columns, (j) => lower[j]!);
    const high = Float64Array.from(columns, (j) => upper[j]!);
    if (!tighten(rows, low, high)) return null;
    if (exact && !narrow(rows, low, high)) return null;
    const base = Float64Array.from(lower, (least, j) => (least + upper[j]!) / 2);
    columns.forEach((j, position) => (base[j] = (low[position]! + high[position]!) / 2));
    const varying = [...columns.keys()].filter((position) => high[position]! - low[position]! > decided);
    const free = varying.map((position) => columns[position]!);
    const lows = Float64Array.from(varying, (position) => low[position]!);
    const widths = Float64Array.from(varying, (position) => high[position]! - low[position]!);
    const scaled = rowsOver(rows, columns, free, base, lows, widths);
    return Polytope.within(free, base, lows, widths, scaled);
  }

  private static within(
    free: readonly number[],
    base: Float64Array,
    lows: Float64Array,
    widths: Float64Array,
    rows: Scaled,
  ): Polytope | null {
    const n = free.length;
    const box = free.flatMap((_, i) => [side(n, i, 1, 1), side(n, i, -1, 0)]);
    let equalities = rows.equalities;
    let inequalities = [...rows.inequalities, ...box];
    if (n === 0) return new Polytope(free, base, lows, widths, new Float64Array(0), [], []);
    for (;;) {
      const basis = nullSpace(
        equalities.map(({ a }) => a),
        n,
      );
      const centre = chebyshev(equalities, inequalities, basis, n);
      if (centre === null) return null;
      const implied = centre.radius > 1e-9 || basis.length === 0 ? [] : tight(equalities, inequalities, n);
      if (implied.length === 0) {
        const rest = inequalities.filter((row) => !box.includes(row));
        return new Polytope(free, base, lows, widths, centre.y, basis, rest);
      }
      equalities = [...equalities, ...implied];
      inequalities = inequalities.filter((row) => !implied.includes(row));
    }
  }

  /**
   * Uniformly distributed points, by hit-and-run (Smith 1984): to a random place between the walls in a random
   * direction. Every point satisfies the constraints up to rounding.
   *
   * @param thinning steps between two points
   */
  *walk(rng: Rng, thinning = 8 + 2 * this.dimension): Generator<Float64Array, never> {
    const y = this.centreScaled.slice();
    const direction = new Float64Array(y.length);
    for (;;) {
      for (let step = 0; step < thinning && this.dimension > 0; step += 1) {
        direction.fill(0);
        for (const vector of this.basis) {
          const share = rng.normal();
          for (let i = 0; i < y.length; i += 1) direction[i]! += share * vector[i]!;
        }
        const [back, ahead] = this.chord(y, direction);
        const move = back + (ahead - back) * rng.uniform();
        for (let i = 0; i < y.length; i += 1) y[i]! += move * direction[i]!;
      }
      yield this.unscaled(y);
    }
  }

  /** The distance back (0 or less) and ahead (0 or more) along a direction. */
  private chord(y: Float64Array, direction: Float64Array): [number, number] {
    let back = -Infinity;
    let ahead = Infinity;
    for (let i = 0; i < y.length; i += 1) {
      const speed = direction[i]!;
      if (Math.abs(speed) < 1e-14) continue;
      const up = Math.max(0, speed > 0 ? 1 - y[i]! : y[i]!) / Math.abs(speed);
      const down = Math.max(0, speed > 0 ? y[i]! : 1 - y[i]!) / Math.abs(speed);
      if (up < ahead) ahead = up;
      if (-down > back) back = -down;
    }
    for (const { a, b } of this.inequalities) {
      const speed = dot(a, direction, y.length);
      if (Math.abs(speed) < 1e-14) continue;
      const distance = Math.max(0, b - dot(a, y, y.length)) / speed;
      if (speed > 0) ahead = Math.min(ahead, distance);
      else back = Math.max(back, distance);
    }
    return Number.isFinite(back) && Number.isFinite(ahead) ? [back, ahead] : [0, 0];
  }

  private unscaled(y: Float64Array): Float64Array {
    const row = this.base.slice();
    this.free.forEach((j, i) => (row[j] = this.lows[i]! + this.widths[i]! * y[i]!));
    return row;
  }
}

interface HalfSpace {
  a: Float64Array;
  b: number;
}

interface Scaled {
  equalities: HalfSpace[];
  inequalities: HalfSpace[];
}

function side(n: number, i: number, sign: 1 | -1, b: number): HalfSpace {
  const a = new Float64Array(n);
  a[i] = sign;
  return { a, b };
}

function rowsOf({ d, aEq, bEq, aLe, bLe }: LinearConstraints, columns: readonly number[]): Row[] {
  const over = (a: Float64Array, i: number) => Float64Array.from(columns, (j) => a[i * d + j]!);
  return [
    ...Array.from(bEq, (b, i) => ({ coefficients: over(aEq, i), lower: b, upper: b })),
    ...Array.from(bLe, (b, i) => ({ coefficients: over(aLe, i), lower: -Infinity, upper: b })),
  ];
}

/** Narrows bounds a few times by the room that each row leaves to a column; false: the set is empty. */
function tighten(rows: readonly Row[], low: Float64Array, high: Float64Array): boolean {
  for (let pass = 0; pass < 4; pass += 1) {
    for (const { coefficients, lower, upper } of rows) {
      let least = 0;
      let most = 0;
      coefficients.forEach((a, j) => {
        least += Math.min(a * low[j]!, a * high[j]!);
        most += Math.max(a * low[j]!, a * high[j]!);
      });
      if (least > upper + decided || most < lower - decided) return false;
      coefficients.forEach((a, j) => {
        if (Math.abs(a) < decided) return;
        const roomBelow = (upper - (least - Math.min(a * low[j]!, a * high[j]!))) / a;
        const roomAbove = (lower - (most - Math.max(a * low[j]!, a * high[j]!))) / a;
        const [from, to] = a > 0 ? [roomAbove, roomBelow] : [roomBelow, roomAbove];
        const [before, after] = [low[j]!, high[j]!];
        low[j] = Math.min(after, Math.max(before, from));
        high[j] = Math.max(low[j]!, Math.min(after, to));
        least += Math.min(a * low[j]!, a * high[j]!) - Math.min(a * before, a * after);
        most += Math.max(a * low[j]!, a * high[j]!) - Math.max(a * before, a * after);
      });
    }
  }
  return true;
}

/** Sets bounds to the least and the greatest value of each column; false: no point satisfies the rows. */
function narrow(rows: readonly Row[], low: Float64Array, high: Float64Array): boolean {
  const bounds = { lower: low.slice(), upper: high.slice() };
  for (let j = 0; j < low.length; j += 1) {
    if (!rows.some(({ coefficients }) => coefficients[j] !== 0)) continue;
    const objective = new Float64Array(low.length);
    objective[j] = 1;
    const least = solveLinear({ direction: 'minimize', objective, rows, ...bounds });
    const most = solveLinear({ direction: 'maximize', objective, rows, ...bounds });
    if (least.status !== 'optimal' || most.status !== 'optimal') return false;
    low[j] = Math.min(bounds.upper[j]!, Math.max(bounds.lower[j]!, least.value));
    high[j] = Math.min(bounds.upper[j]!, Math.max(low[j]!, most.value));
  }
  return true;
}

/** Rows over the free columns scaled to [0, 1], of length 1; rows without free columns are dropped. */
function rowsOver(
  rows: readonly Row[],
  columns: readonly number[],
  free: readonly number[],
  base: Float64Array,
  lows: Float64Array,
  widths: Float64Array,
): Scaled {
  const place = new Map(free.map((j, i) => [j, i]));
  const scaled: Scaled = { equalities: [], inequalities: [] };
  for (const { coefficients, lower, upper } of rows) {
    const a = new Float64Array(free.length);
    let b = upper;
    columns.forEach((j, position) => {
      const i = place.get(j);
      if (i === undefined) b -= coefficients[position]! * base[j]!;
      else {
        a[i] = coefficients[position]! * widths[i]!;
        b -= coefficients[position]! * lows[i]!;
      }
    });
    const length = Math.sqrt(dot(a, a, a.length));
    if (length < 1e-12) continue;
    const row = { a: a.map((value) => value / length), b: b / length };
    (lower === upper ? scaled.equalities : scaled.inequalities).push(row);
  }
  return scaled;
}

/** The largest ball within the inequalities in the plane of the equalities. */
function chebyshev(
  equalities: readonly HalfSpace[],
  inequalities: readonly HalfSpace[],
  basis: readonly Float64Array[],
  n: number,
): { y: Float64Array; radius: number } | null {
  const rows: Row[] = equalities.map(({ a, b }) => ({
    coefficients: Float64Array.of(...a, 0),
    lower: b,
    upper: b,
  }));
  for (const { a, b } of inequalities) {
    // Only the part of the normal in the plane counts for the distance within it.
    const reach = Math.hypot(...basis.map((vector) => dot(vector, a, n)));
    rows.push({ coefficients: Float64Array.of(...a, reach), lower: -Infinity, upper: b });
  }
  const objective = new Float64Array(n + 1);
  objective[n] = 1;
  const outcome = solveLinear({
    direction: 'maximize',
    objective,
    rows,
    lower: new Float64Array(n + 1).fill(-1, 0, n),
    upper: new Float64Array(n + 1).fill(2),
  });
  if (outcome.status !== 'optimal') return null;
  return { y: outcome.x.slice(0, n), radius: outcome.x[n]! };
}

/** Inequalities that hold with equality at every point. */
function tight(equalities: readonly HalfSpace[], inequalities: readonly HalfSpace[], n: number): HalfSpace[] {
  const rows: Row[] = [
    ...equalities.map(({ a, b }) => ({ coefficients: a, lower: b, upper: b })),
    ...inequalities.map(({ a, b }) => ({ coefficients: a, lower: -Infinity, upper: b })),
  ];
  return inequalities.filter(({ a, b }) => {
    const outcome = solveLinear({
      direction: 'minimize',
      objective: a,
      rows,
      lower: new Float64Array(n).fill(-1),
      upper: new Float64Array(n).fill(2),
    });
    return outcome.status === 'optimal' && b - outcome.value < 1e-9;
  });
}
