export interface Trial {
  /** Length of the step. */
  t: number;
  /** NaN or Infinity: too far. */
  value: number;
  /** Derivative of the value by `t`. */
  slope: number;
  /** Change of the value that the slope at the start promises up to here, below 0. */
  promised: number;
  x: Float64Array;
  gradient: Float64Array;
}

/** An accepted step reaches at least this part of the promised change (Armijo). */
const SUFFICIENT = 1e-4;
/** A step is long enough when the slope at its end is at most this part of the slope at its start (Wolfe). */
const CURVATURE = 0.9;
const MAX_TRIALS = 30;

/**
 * Searches a step that meets the weak Wolfe conditions, by widening and then narrowing an interval (Nocedal and Wright
 * 2006, section 3.5; Lewis and Overton 2013).
 *
 * @param start value and slope at step 0; the slope is below 0
 * @param first the step to try first
 * @param longest no step is longer
 * @param mayGoOn called after each trial
 * @returns the trial with the least value among those with sufficient decrease; null: there was none
 */
export function searchLine(
  probe: (t: number) => Trial,
  start: { value: number; slope: number },
  first: number,
  longest: number,
  mayGoOn: () => boolean,
): Trial | null {
  let near: Pick<Trial, 't' | 'value' | 'slope'> = { t: 0, ...start };
  let far: Pick<Trial, 't' | 'value' | 'slope'> | null = null;
  let best: Trial | null = null;
  let t = Math.min(first, longest);
  for (let attempt = 0; attempt < MAX_TRIALS; attempt++) {
    const trial = probe(t);
    if (!(trial.value <= start.value + SUFFICIENT * trial.promised && trial.value > -Infinity)) {
      far = trial;
    } else {
      if (best === null || trial.value <= best.value) best = trial;
      if (trial.slope >= CURVATURE * start.slope || t >= longest) return best;
      near = trial;
    }
    if (!mayGoOn()) return best;
    if (far === null) t = Math.min(4 * t, longest);
    else if (far.t - near.t <= 1e-14 * far.t) return best;
    else t = between(near, far);
  }
  return best;
}

/** The minimum of the cubic through values and slopes at both ends, away from the ends; otherwise the middle. */
function between(near: { t: number; value: number; slope: number }, far: typeof near): number {
  const width = far.t - near.t;
  if (!Number.isFinite(far.value)) return near.t + 0.25 * width;
  const theta = (3 * (near.value - far.value)) / width + near.slope + far.slope;
  const root = Math.sqrt(theta * theta - near.slope * far.slope);
  const part = (theta + root - near.slope) / (far.slope - near.slope + 2 * root);
  const good = part >= 0.1 && part <= 0.9 ? part : part < 0.1 ? 0.1 : 0.5;
  return near.t + good * width;
}
