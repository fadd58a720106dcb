export { arena } from './arena.js';
export { minimizeConstrained, nearestSatisfying } from './constrained.js';
export { padded, SHAPES, type Shape } from './kernel.js';
export { minimizeBounded, type SmoothFunction } from './lbfgsb.js';
export {
  choleskyWithJitter,
  dot,
  joined,
  multiplyTransposed,
  solveLower,
  solveLowerTransposed,
  withJitter,
} from './linalg.js';
export type { LinearConstraints } from './qp.js';
export { Rng } from './rng.js';
export { Sobol, SOBOL_DIMENSIONS } from './sobol.js';
export { logH, logHSlope, logNormalCdf, logNormalCdfSlope, logSumExp, ndtri } from './special.js';
