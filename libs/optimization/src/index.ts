export {
  categoricalInput,
  closeToTarget,
  continuousInput,
  continuousOutput,
  discreteInput,
  linearEquality,
  linearInequality,
  maximize,
  minimize,
  nChooseK,
} from './domain/builders.js';
export type { SamplingMethod } from './domain/designs.js';
export { Domain, type Sample } from './domain/domain.js';
export type { Column } from './domain/encoding.js';
export type { LinearConstraints } from './domain/linear-constraints.js';
export type { LinearOutcome, LinearProgram, LinearProgramSolver, Row } from './domain/linear-programs.js';
export type {
  CategoricalInput,
  Constraint,
  ContinuousInput,
  DiscreteInput,
  Input,
  InputValue,
  Measurement,
  Objective,
  Output,
  Point,
  Space,
} from './domain/space.js';
export type {
  FitOptions,
  FittedSurrogate,
  LeaveOneOut,
  OutputMap,
  Posterior,
  Surrogate,
} from './surrogates/surrogate.js';
