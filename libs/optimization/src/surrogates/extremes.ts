/** One end of the results of an output. */
export interface Tail {
  /** The campaign looks for results at this end. */
  wanted: boolean;
  /** Thresholds and targets: a limited result stays on its side of them. */
  bounds: readonly number[];
}

/** A result is out of reach if it is further from the nearest other than this many ranges of the others. */
const REACH = 10;
/** Fewer results have no range to compare with. */
const LEAST_TO_COMPARE = 6;
/** Largest share of the results that may be out of reach at each end; one always may. */
const MOST = 0.1;

/**
 * Limits results beyond the reach of all others: one result of 1e9 among hundreds makes all others equal to a model.
 * At an end that nobody looks for, it moves to the nearest other. At a wanted end it may be a discovery, and moves to
 * ten ranges of the others beyond them. No two results change their order.
 *
 * @param y finite
 * @returns `y` itself if nothing is out of reach
 */
export function limitExtremes(y: Float64Array, low: Tail, high: Tail): Float64Array {
  if (y.length < LEAST_TO_COMPARE) return y;
  const most = limitOf(y.slice().sort(), high);
  const turned = { wanted: low.wanted, bounds: low.bounds.map((bound) => -bound) };
  const least = -limitOf(y.map((value) => -value).sort(), turned);
  if (most === Infinity && least === -Infinity) return y;
  return y.map((value) => Math.min(Math.max(value, least), most));
}

/** The largest value that a result may have for a model. @param sorted rising */
function limitOf(sorted: Float64Array, { wanted, bounds }: Tail): number {
  const n = sorted.length;
  const allowed = Math.max(1, Math.floor(MOST * n));
  // Lower ones may be out of reach themselves.
  const low = sorted[allowed]!;
  for (let beyond = allowed; beyond > 0; beyond--) {
    const nearest = sorted[n - beyond - 1]!;
    const range = nearest - low;
    if (!(range > 0 && sorted[n - beyond]! - nearest > REACH * range)) continue;
    // As far beyond a bound as the lowest result is on this side of it.
    const mirrored = bounds.filter((bound) => bound < sorted[n - 1]!).map((bound) => 2 * bound - low);
    return Math.max(wanted ? nearest + REACH * range : nearest, ...mirrored);
  }
  return Infinity;
}
