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
