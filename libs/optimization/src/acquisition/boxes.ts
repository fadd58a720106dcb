/** Boxes that fill the region above a reference point that no point of a front dominates. Objectives are maximised. */
export interface Boxes {
  readonly m: number;
  readonly count: number;
  /** `count x m` corners; upper ones may be Infinity. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/**
 * Decomposes the non-dominated region: first the local upper bounds of the front, then the boxes below them by the
 * same procedure from the other side (Lacour, Klamroth and Fonseca 2017, "A box decomposition algorithm to compute the
 * hypervolume indicator"; Daulton et al. 2020). Boxes do not overlap.
 *
 * @param front rows of length `m`; rows not above the reference point are ignored
 * @param limit null is returned as soon as more bounds are needed
 */
export function nonDominatedBoxes(
  front: Float64Array,
  m: number,
  reference: Float64Array,
  limit: number,
): Boxes | null {
  const points: Float64Array[] = [];
  for (let i = 0; i < front.length / m; i++) {
    const row = front.subarray(i * m, i * m + m);
    if (row.every((value, j) => value > reference[j]!)) points.push(row.map((value) => -value));
  }
  const outer = localUpperBounds(
    points,
    reference.map((value) => -value),
    limit,
  );
  if (outer === null) return null;
  const corners = outer.map(({ at }) => at.map((value) => -value));
  const inner = localUpperBounds(corners, new Float64Array(m).fill(Infinity), limit);
  if (inner === null) return null;

  const lower: number[] = [];
  const upper: number[] = [];
  for (const { at, by } of inner) {
    const low = new Float64Array(m);
    const high = new Float64Array(m);
    low[0] = at[0]!;
    high[0] = Infinity;
    for (let j = 1; j < m; j++) {
      low[j] = -Infinity;
      for (let k = 0; k < j; k++) low[j] = Math.max(low[j]!, by[k]![j]!);
      high[j] = at[j]!;
    }
    if (low.every((value, j) => value < high[j]!)) {
      lower.push(...low);
      upper.push(...high);
    }
  }
  return { m, count: lower.length / m, lower: Float64Array.from(lower), upper: Float64Array.from(upper) };
}

/** No point is strictly below it in every objective; `by[k]` is the point that sets component `k`. */
interface Bound {
  at: Float64Array;
  by: Float64Array[];
}

/** The maximal corners below `ceiling` that have no point strictly below them. Points are minimised. */
function localUpperBounds(
  points: readonly Float64Array[],
  ceiling: Float64Array,
  limit: number,
): Bound[] | null {
  const m = ceiling.length;
  const edge = Array.from({ length: m }, (_, k) =>
    new Float64Array(m).fill(-Infinity).map((value, j) => (j === k ? ceiling[k]! : value)),
  );
  let bounds: Bound[] = [{ at: ceiling, by: edge }];
  for (const point of points) {
    const kept: Bound[] = [];
    const added: Bound[] = [];
    for (const bound of bounds) {
      let below = true;
      for (let j = 0; j < m && below; j++) below = point[j]! < bound.at[j]!;
      if (!below) {
        kept.push(bound);
        continue;
      }
      for (let j = 0; j < m; j++) {
        let reached = -Infinity;
        for (let k = 0; k < m; k++) if (k !== j) reached = Math.max(reached, bound.by[k]![j]!);
        if (point[j]! < reached) continue;
        const at = bound.at.slice();
        at[j] = point[j]!;
        const by = bound.by.slice();
        by[j] = point;
        added.push({ at, by });
      }
    }
    if (added.length > 0) bounds = kept.concat(added);
    if (bounds.length > limit) return null;
  }
  return bounds;
}
