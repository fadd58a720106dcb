/** Hypervolume of two and three minimised objectives by slices, independent of the implementation of the optimizer. */

/**
 * @param points values of the objectives, one row for each point
 * @param reference the worst value of each objective
 * @returns the volume between the points and the reference point
 */
export function hypervolume(points: readonly (readonly number[])[], reference: readonly number[]): number {
  const inside = points.filter((point) => point.every((value, i) => value < (reference[i] ?? NaN)));
  if (inside.length === 0) return 0;
  if (reference.length === 2) return area(inside, reference);
  if (reference.length !== 3) throw new Error(`no hypervolume for ${reference.length} objectives`);
  const heightOf = (point: readonly number[] | undefined): number => (point ?? reference)[2] ?? NaN;
  const sorted = [...inside].sort((a, b) => heightOf(a) - heightOf(b));
  return sorted.reduce((volume, point, i) => {
    const height = heightOf(sorted[i + 1]) - heightOf(point);
    return height > 0 ? volume + height * area(sorted.slice(0, i + 1), reference) : volume;
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
