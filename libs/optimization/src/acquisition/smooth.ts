/**
 * Smooth forms of max(x, 0), of a step and of a maximum. Their tails fall like a power and not like an exponential, so
 * that neither value nor derivative vanishes far away (Ament et al. 2023, "Unexpected improvements to expected
 * improvement", appendix A.4; BoTorch `utils/safe_math.py`). Each comes with its derivative.
 */

/** Width of the bend of {@link fatPlus} in units of the deviation of an objective. */
export const PLUS_WIDTH = 1e-6;
/** Width of {@link fatStep}, in units of the model of an outcome. */
export const STEP_WIDTH = 1e-3;
/** Width of {@link fatMax}, on logarithms of improvements. */
export const MAX_WIDTH = 1e-2;

const TAIL = 0.1;

/** About max(x, 0): a softplus of the given width with a Cauchy tail. */
export function fatPlus(x: number, width: number): number {
  const t = x / width;
  // Beyond 40 widths the softplus differs from its limits by less than rounding, or than a part in 1e13 of the tail.
  const soft = t > 40 ? t : t < -40 ? 0 : Math.log1p(Math.exp(t));
  return width * soft + fatTail(x, width);
}

/** The Cauchy tail of {@link fatPlus}: highest at 0, never 0. */
export function fatTail(x: number, width: number): number {
  const t = x / width;
  return (width * TAIL) / (1 + t * t);
}

export function fatTailSlope(x: number, width: number): number {
  const t = x / width;
  const square = 1 + t * t;
  return (-2 * TAIL * t) / (square * square);
}

export function fatPlusSlope(x: number, width: number): number {
  const t = x / width;
  const logistic = t > 40 ? 1 : t < -40 ? 0 : 1 / (1 + Math.exp(-t));
  return logistic + fatTailSlope(x, width);
}

const KNEE = 1 / Math.sqrt(3);

/** About 1 where x is above 0, about 0 below: two halves of a Cauchy density that meet at their inflections. */
export function fatStep(x: number, width: number): number {
  const t = x / width;
  return t < 0 ? 2 / 3 / (1 + (t - KNEE) ** 2) : 1 - 2 / 3 / (1 + (t + KNEE) ** 2);
}

export function fatStepSlope(x: number, width: number): number {
  const t = Math.abs(x / width) + KNEE;
  return ((4 / 3) * t) / ((1 + t * t) ** 2 * width);
}

/** About the greatest of `count` values: a sum of Pareto tails. Its derivatives, with the sum 1, go to `weights`. */
export function fatMax(values: Float64Array, count: number, width: number, weights: Float64Array): number {
  let top = 0;
  for (let i = 1; i < count; i++) if (values[i]! > values[top]!) top = i;
  const highest = values[top]!;
  if (count === 1) {
    weights[0] = 1;
    return highest;
  }
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const part = 2 / (2 + (highest - values[i]!) / width);
    sum += part * part;
  }
  let others = 0;
  for (let i = 0; i < count; i++) {
    if (i === top) continue;
    const part = 2 / (2 + (highest - values[i]!) / width);
    weights[i] = (part * part * part) / sum;
    others += weights[i]!;
  }
  weights[top] = 1 - others;
  return highest + width * Math.log(sum);
}
