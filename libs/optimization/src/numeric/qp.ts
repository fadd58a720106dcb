import { ServiceError } from '@lab/contracts/vocabulary';
import { cholesky, dot, solveCholesky, solveLowerTransposed } from './linalg.js';

/** `aEq x = bEq`, `aLe x <= bLe`, `lower <= x <= upper` over `d` variables; matrices row by row, with `d` columns. */
export interface LinearConstraints {
  readonly d: number;
  readonly aEq: Float64Array;
  readonly bEq: Float64Array;
  readonly aLe: Float64Array;
  readonly bLe: Float64Array;
  /** May be -Infinity. */
  readonly lower: Float64Array;
  /** May be Infinity. */
  readonly upper: Float64Array;
}

export interface QuadraticOptimum {
  x: Float64Array;
  /** `x' g x / 2 + c' x`. */
  value: number;
  /**
   * Multipliers: `g x + c + aEq' equal + aLe' atMost - atLower + atUpper = 0`. All but `equal` are 0 or more, and 0
   * where the constraint is not active.
   */
  equal: Float64Array;
  atMost: Float64Array;
  atLower: Float64Array;
  atUpper: Float64Array;
}

/** Slack below which a constraint with a normal of length 1 counts as violated; relative to its numbers. */
const TOLERANCE = 1e-12;

/** `normal x >= bound`, or `=`, with a normal of length 1. */
interface Row {
  normal: Float64Array;
  bound: number;
  kind: 'equal' | 'atMost' | 'atLower' | 'atUpper';
  index: number;
  /** Factor from the multiplier of this row to that of its constraint. */
  scale: number;
}

/**
 * Minimises `x' g x / 2 + c' x` under linear constraints by the dual method of Goldfarb and Idnani (1983), "A
 * numerically stable dual method for solving strictly convex quadratic programs". It needs no feasible start: it adds
 * one constraint after another, and each point on the way is the optimum under the added ones.
 *
 * @param g positive definite, `d x d`
 * @param c length `d`
 * @returns null: no point satisfies the constraints
 * @throws ServiceError `invalid` when `g` is not positive definite
 */
export function solveQuadratic(
  g: Float64Array,
  c: Float64Array,
  constraints: LinearConstraints,
): QuadraticOptimum | null {
  const n = constraints.d;
  const factor = cholesky(g, n);
  if (factor === null) throw new ServiceError('invalid', 'The quadratic term is not positive definite');
  const rows = rowsOf(constraints);
  if (rows === null) return null;
  const x = solveCholesky(factor, n, c).map((value) => -value);
  const active = new ActiveSet(factor, n);

  const equalities = rows.filter(({ kind }) => kind === 'equal');
  const inequalities = rows.filter(({ kind }) => kind !== 'equal');
  for (const row of equalities) {
    const { along, multipliers, curvature } = active.step(row);
    const gap = row.bound - dot(row.normal, x, n);
    if (curvature <= 0) {
      if (Math.abs(gap) > toleranceOf(row, x) * 1e3) return null;
      continue;
    }
    const t = gap / curvature;
    active.move(multipliers, t);
    for (let i = 0; i < n; i++) x[i]! += t * along[i]!;
    active.add(row, t);
  }

  // Each turn adds one constraint and may drop others. The value rises with each turn, so no set comes twice.
  const inside = new Set<Row>();
  for (let turn = 0; turn < 50 * (n + inequalities.length + 1); turn++) {
    let worst: Row | null = null;
    let excess = 0;
    for (const row of inequalities) {
      if (inside.has(row)) continue;
      const violation = row.bound - dot(row.normal, x, n) - toleranceOf(row, x);
      if (violation > excess) {
        worst = row;
        excess = violation;
      }
    }
    if (worst === null) return optimum(g, c, x, constraints, active);
    let multiplier = 0;
    for (;;) {
      const { along, multipliers, curvature } = active.step(worst);
      const [dualStep, leaving] = active.longest(multipliers);
      const primalStep = curvature > 0 ? (worst.bound - dot(worst.normal, x, n)) / curvature : Infinity;
      const t = Math.min(dualStep, primalStep);
      if (t === Infinity) return null;
      active.move(multipliers, t);
      multiplier += t;
      if (curvature > 0) for (let i = 0; i < n; i++) x[i]! += t * along[i]!;
      if (primalStep <= dualStep) {
        active.add(worst, multiplier);
        inside.add(worst);
        break;
      }
      inside.delete(active.drop(leaving));
    }
  }
  return null;
}

/** Rounding of `normal x - bound`. */
function toleranceOf(row: Row, x: Float64Array): number {
  let size = 1 + Math.abs(row.bound);
  for (let i = 0; i < x.length; i++) size += Math.abs(row.normal[i]! * x[i]!);
  return TOLERANCE * size;
}

/** All constraints as `normal x >= bound`; null: one of them never holds. */
function rowsOf({ d, aEq, bEq, aLe, bLe, lower, upper }: LinearConstraints): Row[] | null {
  const rows: Row[] = [];
  const take = (kind: Row['kind'], index: number, normal: Float64Array, bound: number): boolean => {
    const length = Math.sqrt(dot(normal, normal, d));
    if (!(length > 0)) return kind === 'equal' ? Math.abs(bound) <= TOLERANCE : bound <= TOLERANCE;
    const scale = 1 / length;
    rows.push({ kind, index, normal: normal.map((value) => value * scale), bound: bound * scale, scale });
    return true;
  };
  for (let i = 0; i < bEq.length; i++) {
    if (!take('equal', i, aEq.subarray(i * d, i * d + d), bEq[i]!)) return null;
  }
  for (let i = 0; i < bLe.length; i++) {
    const normal = aLe.slice(i * d, i * d + d).map((value) => -value);
    if (!take('atMost', i, normal, -bLe[i]!)) return null;
  }
  for (let j = 0; j < d; j++) {
    if (lower[j]! > upper[j]!) return null;
    const unit = new Float64Array(d);
    unit[j] = 1;
    if (lower[j]! > -Infinity) take('atLower', j, unit, lower[j]!);
    if (upper[j]! < Infinity) {
      take(
        'atUpper',
        j,
        unit.map((value) => -value),
        -upper[j]!,
      );
    }
  }
  return rows;
}

function optimum(
  g: Float64Array,
  c: Float64Array,
  x: Float64Array,
  { d, bEq, bLe, lower, upper }: LinearConstraints,
  active: ActiveSet,
): QuadraticOptimum {
  const result = {
    equal: new Float64Array(bEq.length),
    atMost: new Float64Array(bLe.length),
    atLower: new Float64Array(d),
    atUpper: new Float64Array(d),
  };
  active.rows.forEach(({ kind, index, scale }, k) => {
    const multiplier = active.u[k]! * scale;
    result[kind][index] = kind === 'equal' ? -multiplier : multiplier;
  });
  for (let i = 0; i < d; i++) x[i] = Math.min(Math.max(x[i]!, lower[i]!), upper[i]!);
  let value = dot(c, x, d);
  for (let i = 0; i < d; i++) value += 0.5 * x[i]! * dot(g, x, d, i * d, 0);
  return { x, value, ...result };
}

/**
 * The constraints that hold with equality, as `J = L'^-1 Q` and the triangle `R` of a QR factorisation of `L^-1` times
 * their normals; plane rotations update both.
 */
class ActiveSet {
  readonly rows: Row[] = [];
  /** Multipliers of the rows. */
  readonly u: number[] = [];
  /** Row by row; columns from `rows.length` on span the directions that the active constraints leave free. */
  private readonly j: Float64Array;
  /** Column by column, `n` entries each. */
  private readonly r: Float64Array;
  private d: Float64Array;

  constructor(
    factor: Float64Array,
    private readonly n: number,
  ) {
    const identity = new Float64Array(n * n);
    for (let i = 0; i < n; i++) identity[i * n + i] = 1;
    // Solutions of L' x = e_i are the columns of J; J is kept by rows.
    const columns = solveLowerTransposed(factor, n, identity, n);
    this.j = new Float64Array(n * n);
    for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) this.j[i * n + k] = columns[k * n + i]!;
    this.r = new Float64Array(n * n);
    this.d = new Float64Array(n);
  }

  /** The directions of a step to a further constraint: `along` for the point, minus `multipliers` for these. */
  step({ normal }: Row): { along: Float64Array; multipliers: Float64Array; curvature: number } {
    const { n, j, r } = this;
    const q = this.rows.length;
    const d = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const value = normal[i]!;
      if (value !== 0) for (let k = 0; k < n; k++) d[k]! += value * j[i * n + k]!;
    }
    this.d = d;
    let all = 0;
    let open = 0;
    for (let k = 0; k < n; k++) {
      all += d[k]! * d[k]!;
      if (k >= q) open += d[k]! * d[k]!;
    }
    const along = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      for (let k = q; k < n; k++) along[i]! += j[i * n + k]! * d[k]!;
    }
    const multipliers = new Float64Array(q);
    for (let k = q - 1; k >= 0; k--) {
      let sum = d[k]!;
      for (let m = k + 1; m < q; m++) sum -= r[m * n + k]! * multipliers[m]!;
      multipliers[k] = sum / r[k * n + k]!;
    }
    // For a normal that depends on the active ones, only rounding errors are left.
    return { along, multipliers, curvature: open > 1e-20 * all ? open : 0 };
  }

  /** The step at which the first multiplier of an inequality would fall below 0, and its position. */
  longest(multipliers: Float64Array): [number, number] {
    let step = Infinity;
    let leaving = -1;
    this.rows.forEach(({ kind }, k) => {
      if (kind === 'equal' || !(multipliers[k]! > 0)) return;
      const t = this.u[k]! / multipliers[k]!;
      if (t < step) [step, leaving] = [t, k];
    });
    return [step, leaving];
  }

  move(multipliers: Float64Array, t: number): void {
    this.rows.forEach(({ kind }, k) => {
      const value = this.u[k]! - t * multipliers[k]!;
      this.u[k] = kind === 'equal' ? value : Math.max(0, value);
    });
  }

  /** Adds the row of the latest {@link step}. */
  add(row: Row, multiplier: number): void {
    const { n, r, d } = this;
    const q = this.rows.length;
    for (let k = n - 1; k > q; k--) {
      const [cos, sin, length] = rotation(d[k - 1]!, d[k]!);
      d[k - 1] = length;
      d[k] = 0;
      this.rotateColumns(k - 1, k, cos, sin);
    }
    for (let k = 0; k <= q; k++) r[q * n + k] = d[k]!;
    this.rows.push(row);
    this.u.push(multiplier);
  }

  /** @returns the row that is no longer active */
  drop(at: number): Row {
    const { n, r } = this;
    const q = this.rows.length;
    for (let k = at; k + 1 < q; k++) r.copyWithin(k * n, (k + 1) * n, (k + 1) * n + n);
    r.fill(0, (q - 1) * n, q * n);
    for (let k = at; k + 1 < q; k++) {
      const [cos, sin] = rotation(r[k * n + k]!, r[k * n + k + 1]!);
      for (let m = k; m + 1 < q; m++) {
        const [a, b] = [r[m * n + k]!, r[m * n + k + 1]!];
        r[m * n + k] = cos * a + sin * b;
        r[m * n + k + 1] = cos * b - sin * a;
      }
      this.rotateColumns(k, k + 1, cos, sin);
    }
    this.u.splice(at, 1);
    return this.rows.splice(at, 1)[0]!;
  }

  private rotateColumns(left: number, right: number, cos: number, sin: number): void {
    const { n, j } = this;
    for (let i = 0; i < n; i++) {
      const [a, b] = [j[i * n + left]!, j[i * n + right]!];
      j[i * n + left] = cos * a + sin * b;
      j[i * n + right] = cos * b - sin * a;
    }
  }
}

/** Cosine and sine of the rotation from `(a, b)` to `(length, 0)`. */
function rotation(a: number, b: number): [number, number, number] {
  if (b === 0) return [1, 0, a];
  const length = Math.hypot(a, b);
  return [a / length, b / length, length];
}
