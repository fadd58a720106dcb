import { levelAt, levelIndex, type Encoding } from './encoding.js';
import { countsOf } from './linear-constraints.js';
import type { Projection } from './projection.js';
import { DistinctRows } from './sampling.js';
import type { Constraint } from './space.js';

/** See `Domain.neighbours`. */
export function neighbours(
  row: Float64Array,
  encoding: Encoding,
  constraints: readonly Constraint[],
  projection: Projection,
): Float64Array[] {
  const found = new DistinctRows([row]);
  const attempt = (changes: ReadonlyMap<number, number>) => {
    const target = row.slice();
    for (const [j, value] of changes) target[j] = value;
    const settled = projection.settle(target, changes, false);
    if (settled !== null) found.add(settled);
  };
  encoding.offsets.forEach((offset, i) => {
    const column = encoding.columns[offset]!;
    if (column.kind === 'categorical') {
      const width = encoding.width(i);
      for (let k = 0; k < width; k += 1) {
        if (row[offset + k] === 1) continue;
        attempt(new Map(Array.from({ length: width }, (_, other) => [offset + other, other === k ? 1 : 0])));
      }
    } else if (column.kind !== 'continuous') {
      const level = levelIndex(column, row[offset]!);
      if (level > 0) attempt(new Map([[offset, levelAt(column, level - 1)]]));
      if (level < column.count - 1) attempt(new Map([[offset, levelAt(column, level + 1)]]));
    }
  });
  for (const { columns } of countsOf(constraints, encoding)) {
    const zeroes = columns.filter((j) => projection.isZero(row, j));
    const used = columns.filter((j) => !zeroes.includes(j) && encoding.columns[j]!.zero !== null);
    for (const j of used) {
      const leave: [number, number] = [j, encoding.columns[j]!.zero!];
      attempt(new Map([leave]));
      // Another feature takes over what this one had.
      for (const other of zeroes) attempt(new Map([leave, [other, takenOver(encoding, row, j, other)]]));
    }
    for (const j of zeroes) attempt(new Map([[j, takenOver(encoding, row, used[0] ?? j, j)]]));
  }
  return found.rows;
}

/** The possible value of a feature nearest to that of another one, in its own unit and away from zero; encoded. */
function takenOver(encoding: Encoding, row: Float64Array, from: number, to: number): number {
  const source = encoding.columns[from]!;
  const column = encoding.columns[to]!;
  const value = source.lower + source.range * row[from]!;
  const u = Math.min(1, Math.max(0, (value - column.lower) / column.range));
  const middle = (column.zero! + (column.zero! < 0.5 ? 1 : 0)) / 2;
  const wanted = Math.abs(u - column.zero!) < 1e-3 ? middle : u;
  if (column.kind === 'continuous') return wanted;
  const level = levelIndex(column, wanted);
  const zero = levelIndex(column, column.zero!);
  return levelAt(column, level === zero ? (zero > 0 ? zero - 1 : Math.min(1, column.count - 1)) : level);
}
