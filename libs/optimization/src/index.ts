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
export { HybridOptimizer } from './hybrid/hybrid.js';
export type { Answer, LanguageModels, Message, OptimizerHost, Question } from './hybrid/language-model.js';
export type { HybridSampleReport, HybridState, OfferedInsight, RunDetails } from './hybrid/records.js';
export type { HybridArguments } from './hybrid/settings.js';
export {
  BayesianSequentialOptimizer,
  type OptimizerClock,
  type OptimizerState,
  type SampleReport,
} from './optimizer/bayesian.js';
export type { ExplainedOutput, Explanation } from './optimizer/explain.js';
export type { Prediction } from './optimizer/models.js';
export type { Run } from './optimizer/runs.js';
export type { AcquisitionKind, BayesianArguments, SurrogateKind } from './optimizer/settings.js';
export type {
  FitOptions,
  FittedSurrogate,
  LeaveOneOut,
  OutputMap,
  Posterior,
  Surrogate,
} from './surrogates/surrogate.js';
