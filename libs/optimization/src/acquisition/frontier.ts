/**
 * The border between the region that a front dominates and the rest, above a reference point. Objectives are maximised.
 *
 * Each corner is a point that the front does not dominate and that cannot be lowered; it also belongs to one of the
 * boxes that fill the dominated region without overlap (Lacour, Klamroth and Fonseca 2017, "A box decomposition algorithm to
 * compute the hypervolume indicator"). Their number grows with the square of the front for four objectives, and
 * linearly for three.
 */
export class Frontier {
  private readonly m: number;
  private readonly count: number;
  /** `count x m` */
  private readonly corners: Float64Array;
  /** `count x m`: upper sides of the boxes above their corners; of the first objective, the box ends at the corner. */
  private readonly upper: Float64Array;

  /** @param front rows of length `m`; rows not above the reference point are ignored */
  constructor(
    front: Float64Array,
    private readonly reference: Float64Array,
  ) {
    const m = reference.length;
    const found = localBounds(front, reference);
    this.m = m;
    this.count = found.length;
    this.corners = new Float64Array(found.length * m);
    this.upper = new Float64Array(found.length * m);
    found.forEach(({ at, by }, c) => {
      this.corners.set(at, c * m);
      this.upper[c * m] = at[0]!;
      for (let j = 1; j < m; j++) {
        let upper = Infinity;
        for (let k = 0; k < j; k++) upper = Math.min(upper, by[k]![j]!);
        this.upper[c * m + j] = upper;
      }
    });
  }

  /**
   * The volume that a point adds to the dominated region, 0 or more.
   *
   * @param slopes receives the derivatives with respect to the point; null: not requested
   */
  gain(point: Float64Array, slopes: Float64Array | null): number {
    const { m, count, reference, corners, upper } = this;
    let gain = 1;
    for (let j = 0; j < m; j++) gain *= Math.max(0, point[j]! - reference[j]!);
    slopes?.fill(0);
    if (gain === 0) return 0;
    for (let j = 0; j < m && slopes !== null; j++) slopes[j] = gain / (point[j]! - reference[j]!);
    const [first, bottom] = [point[0]!, reference[0]!];
    for (let c = 0, at = 0; c < count; c++, at += m) {
      let volume = Math.min(first, corners[at]!) - bottom;
      for (let j = 1; j < m && volume > 0; j++) {
        volume *= Math.max(0, Math.min(point[j]!, upper[at + j]!) - corners[at + j]!);
      }
      if (volume <= 0) continue;
      gain -= volume;
      if (slopes === null) continue;
      if (first < corners[at]!) slopes[0]! -= volume / (first - bottom);
      for (let j = 1; j < m; j++) {
        if (point[j]! < upper[at + j]!) slopes[j]! -= volume / (point[j]! - corners[at + j]!);
      }
    }
    return Math.max(0, gain);
  }

  /**
   * The least amount that a point needs in every objective to get out of the dominated region and above the reference
   * point, with the objective that needs it; 0 outside.
   */
  depth(point: Float64Array): { depth: number; objective: number } {
    const { m, count, corners } = this;
    let depth = Infinity;
    let objective = 0;
    for (let c = 0, at = 0; c < count; c++, at += m) {
      let most = 0;
      let by = 0;
      for (let j = 0; j < m && most < depth; j++) {
        const missing = corners[at + j]! - point[j]!;
        if (missing > most) [most, by] = [missing, j];
      }
      if (most < depth) [depth, objective] = [most, by];
    }
    return { depth, objective };
  }
}

/** No point of the front is above it in every objective; `by[k]` is the point that sets component `k`. */
interface Bound {
  at: Float64Array;
  by: Float64Array[];
}

/** The minimal corners above the reference point that no point of the front dominates strictly. */
function localBounds(front: Float64Array, reference: Float64Array): Bound[] {
  const m = reference.length;
  const edge = Array.from({ length: m }, (_, k) =>
    new Float64Array(m).fill(Infinity).map((value, j) => (j === k ? reference[k]! : value)),
  );
  let bounds: Bound[] = [{ at: reference, by: edge }];
  for (let i = 0; i < front.length / m; i++) {
    const point = front.subarray(i * m, i * m + m);
    const kept: Bound[] = [];
    const added: Bound[] = [];
    for (const bound of bounds) {
      let above = true;
      for (let j = 0; j < m && above; j++) above = point[j]! > bound.at[j]!;
      if (!above) {
        kept.push(bound);
        continue;
      }
      for (let j = 0; j < m; j++) {
        let limit = Infinity;
        for (let k = 0; k < m; k++) if (k !== j) limit = Math.min(limit, bound.by[k]![j]!);
        if (point[j]! > limit) continue;
        const at = bound.at.slice();
        at[j] = point[j]!;
        const by = bound.by.slice();
        by[j] = point;
        added.push({ at, by });
      }
    }
    if (added.length > 0) bounds = kept.concat(added);
  }
  return bounds;
}
