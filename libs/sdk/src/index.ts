export {
  type Allocation,
  BaseDevice,
  type CallInDoubt,
  type DeviceError,
  type Handle,
  type Handles,
  NotBegun,
  type Reconciliation,
} from './author/index.js';
export {
  effect,
  idempotent,
  query,
  type AddedFunction,
  type DeviceFunctionKind,
  type DeviceFunctionOptions,
  type DeviceFunctionTable,
} from './author/index.js';
export type { ParameterDeclaration, ParameterDeclarations } from './author/index.js';
export {
  BaseTask,
  type FileContent,
  type InputFile,
  type Resource,
  type TaskResult,
} from './author/index.js';
export {
  AbstractSequentialOptimizer,
  type Cell,
  type CreateCampaignOptimizer,
  type OptimizerClass,
  type ParameterField,
  type Row,
  type RuntimeParameters,
  type Table,
} from './author/index.js';
export type { AuthorLog } from './author/index.js';
export type { JsonObject, JsonValue } from './author/index.js';
