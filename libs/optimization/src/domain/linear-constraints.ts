import type { LinearConstraints } from '../numeric/index.js';
import type { Encoding } from './encoding.js';
import { magnitude } from './encoding.js';
import type { Constraint, Space } from './space.js';

export type { LinearConstraints };

export type Linear = Exclude<Constraint, { kind: 'n_choose_k' }>;
export type NChooseK = Extract<Constraint, { kind: 'n_choose_k' }>;

export interface Count {
  readonly constraint: NChooseK;
  readonly columns: readonly number[];
}

export function isLinear(constraint: Constraint): constraint is Linear {
  return constraint.kind !== 'n_choose_k';
}

function isNChooseK(constraint: Constraint): constraint is NChooseK {
  return constraint.kind === 'n_choose_k';
}

/** Says whether a number of features that are not zero keeps the constraint. */
export function allows({ min_count, max_count, none_also_valid }: NChooseK, count: number): boolean {
  return (count >= min_count && count <= max_count) || (count === 0 && none_also_valid);
}

/** The n-choose-k constraints, with the columns of their features. */
export function countsOf(constraints: readonly Constraint[], encoding: Encoding): readonly Count[] {
  return constraints
    .filter(isNChooseK)
    .map((constraint) => ({ constraint, columns: columnsOfFeatures(constraint, encoding) }));
}

/** Columns of the features of a constraint, in their order. */
export function columnsOfFeatures(constraint: Constraint, encoding: Encoding): number[] {
  return constraint.features.map((key) => encoding.columns.findIndex((column) => column.key === key));
}

/** A linear constraint over encoded points, scaled so that its largest coefficient is 1 or -1, and its right side. */
export function encodedRow(constraint: Linear, encoding: Encoding): { a: Float64Array; b: number } {
  const a = new Float64Array(encoding.d);
  let b = constraint.rhs;
  columnsOfFeatures(constraint, encoding).forEach((j, i) => {
    const { lower, range } = encoding.columns[j]!;
    a[j] = constraint.coefficients[i]! * range;
    b -= constraint.coefficients[i]! * lower;
  });
  const scale = a.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return { a: a.map((value) => value / scale), b: b / scale };
}

/** All linear constraints, with every column between its extreme values: the relaxation without rounding. */
export function encodedConstraints(
  { constraints }: Pick<Space, 'constraints'>,
  encoding: Encoding,
): LinearConstraints {
  const rowsOf = (kind: Linear['kind']) =>
    constraints
      .filter(isLinear)
      .filter((linear) => linear.kind === kind)
      .map((linear) => encodedRow(linear, encoding));
  const stacked = (rows: { a: Float64Array; b: number }[]) => ({
    a: Float64Array.from(rows.flatMap(({ a }) => [...a])),
    b: Float64Array.from(rows, ({ b }) => b),
  });
  const equal = stacked(rowsOf('linear_equality'));
  const less = stacked(rowsOf('linear_inequality'));
  return {
    d: encoding.d,
    aEq: equal.a,
    bEq: equal.b,
    aLe: less.a,
    bLe: less.b,
    lower: new Float64Array(encoding.d),
    upper: Float64Array.from(encoding.columns, ({ count }) => (count === 1 ? 0 : 1)),
  };
}

/** Size of the terms of a linear constraint, in its unit: the reference of a relative tolerance. */
export function scaleOf(constraint: Linear, encoding: Encoding): number {
  return columnsOfFeatures(constraint, encoding).reduce(
    (sum, j, i) => sum + Math.abs(constraint.coefficients[i]!) * magnitude(encoding.columns[j]!),
    Math.abs(constraint.rhs),
  );
}

/** A constraint in readable form: `2 acid - water <= 5`. */
export function described(constraint: Constraint): string {
  if (constraint.kind === 'n_choose_k') {
    const { min_count, max_count, features, none_also_valid } = constraint;
    const none = none_also_valid && min_count > 0 ? ', or none' : '';
    return `${min_count} to ${max_count} of ${features.join(', ')} not zero${none}`;
  }
  const terms = constraint.features.map((key, i) => {
    const coefficient = constraint.coefficients[i]!;
    const sign = coefficient < 0 ? '- ' : i === 0 ? '' : '+ ';
    return `${sign}${Math.abs(coefficient) === 1 ? '' : `${Math.abs(coefficient)} `}${key}`;
  });
  return `${terms.join(' ')} ${constraint.kind === 'linear_equality' ? '=' : '<='} ${constraint.rhs}`;
}
