export { minimizeConstrained, nearestSatisfying } from './constrained.js';
export {
  minimizeBounded,
  type BoundedOptions,
  type EndReason,
  type MinimizeOptions,
  type Minimum,
  type SmoothFunction,
} from './lbfgsb.js';
export {
  appendToCholesky,
  cholesky,
  choleskyBackward,
  choleskyWithJitter,
  dot,
  inverseFromCholesky,
  logDeterminant,
  multiply,
  multiplyTransposed,
  solveCholesky,
  solveLower,
  solveLowerTransposed,
  timesVector,
  transpose,
  type JitteredCholesky,
} from './linalg.js';
export { solveQuadratic, type LinearConstraints, type QuadraticOptimum } from './qp.js';
export { Rng, type RngState } from './rng.js';
export { Sobol, SOBOL_DIMENSIONS, type SobolOptions } from './sobol.js';
export {
  erf,
  erfc,
  erfcx,
  log1mexp,
  logH,
  logHSlope,
  logNormalCdf,
  logNormalCdfSlope,
  logSigmoid,
  logSumExp,
  ndtri,
  normalCdf,
  normalDensity,
  sigmoid,
  softplus,
} from './special.js';
