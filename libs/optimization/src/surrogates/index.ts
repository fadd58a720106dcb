export { fitGaussianProcess, type GaussianProcessOptions } from './fit.js';
export type { GaussianProcess } from './gp.js';
export { fitMlpEnsemble, type MlpEnsemble } from './mlp.js';
export type {
  FitOptions,
  FittedSurrogate,
  LeaveOneOut,
  OutputMap,
  Posterior,
  Surrogate,
} from './surrogate.js';
