export {
  BaseDevice,
  type CallInDoubt,
  type DeviceError,
  type Handle,
  type Handles,
  type Reconciliation,
} from './author/device.js';
export {
  effect,
  idempotent,
  query,
  type DeviceFunctionKind,
  type DeviceFunctionOptions,
  type DeviceFunctionTable,
} from './author/device-function.js';
export type { ParameterDeclaration, ParameterDeclarations } from './author/function-parameters.js';
export { BaseTask, type FileContent, type InputFile, type Resource, type TaskResult } from './author/task.js';
export {
  AbstractSequentialOptimizer,
  type Cell,
  type CreateCampaignOptimizer,
  type OptimizerClass,
  type ParameterField,
  type Row,
  type RuntimeParameters,
  type Table,
} from './author/optimizer.js';
export type { AuthorLog } from './author/log.js';
export type { JsonObject, JsonValue } from './author/json.js';
