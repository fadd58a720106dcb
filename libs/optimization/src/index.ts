/**
 * The door for authors of an `optimizer.ts` and for the process that runs it. All data are plain JSON: names of inputs
 * and outputs are `TASK.PARAMETER`, numbers are in the unit of their parameter, and a table is a list of rows with one
 * value for each name (specification, "Optimizer plug-in contract"). Errors are `ServiceError`s: `invalid` with a
 * fault for each place, or `wrong_state`. A call that throws has changed nothing.
 */

// Declarations (specification, "Built-in Bayesian optimizer constructor arguments").
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

// The Bayesian optimizer: its arguments, state and reports.
export {
  BayesianSequentialOptimizer,
  type OptimizerClock,
  type OptimizerState,
  type SampleReport,
} from './optimizer/bayesian.js';
export type { SamplingMethod } from './domain/designs.js';
export type {
  AcquisitionKind,
  BatchKind,
  BayesianArguments,
  KernelKind,
  OutlierKind,
  SurrogateKind,
} from './optimizer/settings.js';
export type { ExplainedOutput, Explanation } from './optimizer/explain.js';
export type { Prediction } from './optimizer/models.js';
export type { Run } from './optimizer/runs.js';
export type { ReportedDurations } from './optimizer/timed-durations.js';

// The hybrid optimizer (specification, "Optimizer settings of the hybrid optimizer"), and the services of its host.
export { HybridOptimizer } from './hybrid/hybrid.js';
export type { HybridArguments } from './hybrid/settings.js';
export { HybridParts, type AiArguments, type SuggestionQuestion } from './hybrid/parts.js';
export type { Suggestion } from './hybrid/suggester.js';
export type { Answer, LanguageModels, Message, OptimizerHost, Question } from './hybrid/language-model.js';
export type { HybridSampleReport, HybridState, OfferedInsight, RunDetails } from './hybrid/records.js';

// For other optimizers: the points of a declaration, and random numbers to draw them.
export { Domain, type Sample } from './domain/domain.js';
export { Rng } from './numeric/rng.js';
