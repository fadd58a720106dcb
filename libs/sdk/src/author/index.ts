export { contextKey, type Allocation, type DeviceContext, type TaskContext } from './context.js';
export {
  type AddedFunction,
  deviceFunctionKey,
  type DeviceFunctionKind,
  type DeviceFunctionMark,
  type DeviceFunctionOptions,
  type DeviceFunctionTable,
  effect,
  idempotent,
  markOf,
  query,
  refuseArguments,
} from './device-function.js';
export {
  BaseDevice,
  type CallInDoubt,
  type DeviceError,
  type Handle,
  type Handles,
  type Reconciliation,
} from './device.js';
export type { ParameterDeclaration, ParameterDeclarations } from './function-parameters.js';
export type { JsonObject, JsonValue } from './json.js';
export type { AuthorLog } from './log.js';
export { NotBegun } from './not-begun.js';
export {
  AbstractSequentialOptimizer,
  type Cell,
  type CreateCampaignOptimizer,
  type OptimizerClass,
  type ParameterField,
  type Row,
  type RuntimeParameters,
  type Table,
} from './optimizer.js';
export { BaseTask, type FileContent, type InputFile, type Resource, type TaskResult } from './task.js';
