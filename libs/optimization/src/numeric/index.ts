export { arena } from './arena.js';
export { minimizeConstrained, nearestSatisfying } from './constrained.js';
export { padded } from './kernel.js';
export {
  minimizeBounded,
  type BoundedOptions,
  type EndReason,
  type MinimizeOptions,
  type Minimum,
  type SmoothFunction,
} from './lbfgsb.js';
export {
  cholesky,
  choleskyWithJitter,
  dot,
  multiplyTransposed,
  solveCholesky,
  solveLower,
  solveLowerTransposed,
  timesVector,
  withJitter,
} from './linalg.js';
export { solveQuadratic, type LinearConstraints, type QuadraticOptimum } from './qp.js';
export { Rng, type RngState } from './rng.js';
export { Sobol, SOBOL_DIMENSIONS, type SobolOptions } from './sobol.js';
export {
  logH,
  logHSlope,
  logNormalCdf,
  logNormalCdfSlope,
  logSumExp,
  ndtri,
  normalCdf,
  normalDensity,
} from './special.js';
