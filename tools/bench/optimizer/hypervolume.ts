// Hypervolume for two and three objectives that are minimised: by slices, independently of the optimizer's own.

/** @returns the volume between the points and the reference point */
export function hypervolume(points, reference) {
  const inside = points.filter((point) => point.every((value, i) => value < reference[i]));
  if (inside.length === 0) return 0;
  if (reference.length === 2) return area(inside, reference);
  if (reference.length !== 3) throw new Error(`no hypervolume for ${reference.length} objectives`);
  const sorted = [...inside].sort((a, b) => a[2] - b[2]);
  let volume = 0;
  sorted.forEach((point, i) => {
    const above = sorted[i + 1]?.[2] ?? reference[2];
    if (above > point[2]) volume += (above - point[2]) * area(sorted.slice(0, i + 1), reference);
  });
  return volume;
}

function area(points, [refX, refY]) {
  const sorted = [...points].sort((a, b) => a[0] - b[0]);
  let lowest = refY;
  let total = 0;
  for (const [x, y] of sorted) {
    if (y >= lowest) continue;
    total += (refX - x) * (lowest - y);
    lowest = y;
  }
  return total;
}
