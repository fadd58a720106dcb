import type { LinearConstraints } from '../numeric/index.js';
import { levelAt, type Column, type Encoding } from './encoding.js';

/**
 * All rows with possible values that satisfy linear constraints and `satisfies`. Branches without room are skipped.
 *
 * @param limit most rows; there may be twice as many branches
 * @returns null: a column is continuous, or there are more than `limit`
 */
export function combinationsOf(
  encoding: Encoding,
  { d, aEq, bEq, aLe, bLe, lower, upper }: LinearConstraints,
  satisfies: (row: Float64Array) => boolean,
  limit: number,
): Float64Array[] | null {
  if (encoding.columns.some(({ kind }) => kind === 'continuous')) return null;
  const rows = [
    ...Array.from(bEq, (b, i) => ({ a: aEq.subarray(i * d, (i + 1) * d), least: b, most: b })),
    ...Array.from(bLe, (b, i) => ({ a: aLe.subarray(i * d, (i + 1) * d), least: -Infinity, most: b })),
  ];
  // The least and the most that the columns from an input on can add to each row.
  const after = encoding.offsets.map((offset) => rows.map(({ a }) => rest(a, offset, lower, upper)));
  after.push(rows.map(() => ({ least: 0, most: 0 })));
  const found: Float64Array[] = [];
  const row = new Float64Array(d);
  let branches = 0;
  const visit = (input: number, sums: Float64Array): boolean => {
    if (branches > 2 * limit || found.length > limit) return false;
    const room = rows.every(
      ({ least, most }, i) =>
        sums[i]! + after[input]![i]!.least <= most + 1e-7 &&
        sums[i]! + after[input]![i]!.most >= least - 1e-7,
    );
    if (!room) return true;
    if (input === encoding.offsets.length) {
      if (satisfies(row)) found.push(row.slice());
      return true;
    }
    const offset = encoding.offsets[input]!;
    const column = encoding.columns[offset]!;
    const width = encoding.width(input);
    for (let k = 0; k < choices(column, width); k += 1) {
      // If every branch divides, there are at most twice as many branches as rows.
      if (choices(column, width) > 1) branches += 1;
      row.fill(0, offset, offset + width);
      const at = column.kind === 'categorical' ? offset + k : offset;
      row[at] = column.kind === 'categorical' ? 1 : levelAt(column, k);
      if (
        !visit(
          input + 1,
          sums.map((sum, i) => sum + rows[i]!.a[at]! * row[at]!),
        )
      )
        return false;
    }
    return true;
  };
  return visit(0, new Float64Array(rows.length)) && found.length <= limit ? found : null;
}

function choices(column: Column, width: number): number {
  return column.kind === 'categorical' ? width : column.count;
}

function rest(a: Float64Array, from: number, lower: Float64Array, upper: Float64Array) {
  const sum = { least: 0, most: 0 };
  for (let j = from; j < a.length; j += 1) {
    sum.least += Math.min(a[j]! * lower[j]!, a[j]! * upper[j]!);
    sum.most += Math.max(a[j]! * lower[j]!, a[j]! * upper[j]!);
  }
  return sum;
}
