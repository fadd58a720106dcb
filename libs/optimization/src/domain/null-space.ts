import { dot } from '../numeric/index.js';

/** Squared length of the rest of a unit vector that counts as zero. */
const nothing = 1e-20;

/**
 * An orthonormal basis of all `z` with `a z = 0`, by Gram-Schmidt with the largest remainder first; empty: only zero is
 * left.
 *
 * @param a rows of length `n`
 */
export function nullSpace(a: readonly Float64Array[], n: number): Float64Array[] {
  const spanned: Float64Array[] = [];
  for (const row of a) {
    const length = Math.sqrt(dot(row, row, n));
    if (length > 0) extend(spanned, row, length * length * 1e-20);
  }
  const basis: Float64Array[] = [];
  const taken = spanned.slice();
  while (taken.length < n) {
    const best = largestRemainder(taken, n);
    const unit = new Float64Array(n);
    unit[best] = 1;
    if (!extend(taken, unit, nothing)) break;
    basis.push(taken.at(-1)!);
  }
  return basis;
}

/** Unit vector farthest outside the span: its squared remainder is 1 less the squares of its components. */
function largestRemainder(spanned: readonly Float64Array[], n: number): number {
  const remainder = new Float64Array(n).fill(1);
  for (const vector of spanned) for (let j = 0; j < n; j += 1) remainder[j]! -= vector[j]! * vector[j]!;
  return remainder.indexOf(remainder.reduce((most, value) => Math.max(most, value)));
}

/** Adds the part of `row` orthogonal to all others, at length 1; false: its squared length is at most `least`. */
function extend(orthonormal: Float64Array[], row: Float64Array, least: number): boolean {
  const n = row.length;
  const rest = row.slice();
  // The second pass removes the rounding errors of the first.
  for (let pass = 0; pass < 2; pass += 1) {
    for (const vector of orthonormal) {
      const along = dot(vector, rest, n);
      for (let j = 0; j < rest.length; j += 1) rest[j]! -= along * vector[j]!;
    }
  }
  const square = dot(rest, rest, n);
  if (square <= Math.max(least, dot(row, row, n) * nothing)) return false;
  const length = Math.sqrt(square);
  orthonormal.push(rest.map((value) => value / length));
  return true;
}
