/** Hypervolume of two or more minimised objectives by slices, independent of the implementation of the optimizer. */

/**
 * @param points values of the objectives, one row for each point
 * @param reference the worst value of each objective
 * @returns the volume between the points and the reference point
 */
export function hypervolume(points: readonly (readonly number[])[], reference: readonly number[]): number {
  const inside = points.filter((point) => point.every((value, i) => value < (reference[i] ?? NaN)));
  if (inside.length === 0) return 0;
  if (reference.length === 2) return area(inside, reference);
  const last = reference.length - 1;
  const heightOf = (point: readonly number[] | undefined): number => (point ?? reference)[last] ?? NaN;
  const sorted = [...inside].sort((a, b) => heightOf(a) - heightOf(b));
  const lower = sorted.map((point) => point.slice(0, last));
  return sorted.reduce((volume, point, i) => {
    const height = heightOf(sorted[i + 1]) - heightOf(point);
    if (!(height > 0)) return volume;
    return volume + height * hypervolume(lower.slice(0, i + 1), reference.slice(0, last));
  }, 0);
}

function area(points: readonly (readonly number[])[], [refX = 0, refY = 0]: readonly number[]): number {
  const sorted = points.map(([x = NaN, y = NaN]) => ({ x, y })).sort((a, b) => a.x - b.x);
  let lowest = refY;
  let total = 0;
  for (const { x, y } of sorted) {
    if (y >= lowest) continue;
    total += (refX - x) * (lowest - y);
    lowest = y;
  }
  return total;
}
