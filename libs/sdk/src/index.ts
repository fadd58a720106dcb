export { BaseDevice, type DeviceError, type Handle, type Handles } from './author/device.js';
export {
  effect,
  idempotent,
  query,
  type DeviceFunctionKind,
  type DeviceFunctionOptions,
} from './author/device-function.js';
export { BaseTask, type FileContent, type Resource, type TaskResult } from './author/task.js';
export type { AuthorLog } from './author/log.js';
export type { JsonObject, JsonValue } from './author/json.js';
