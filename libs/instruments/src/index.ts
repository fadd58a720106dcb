export { replaceFile } from './durable/index.js';
export { Mask } from './messages/index.js';
export {
  checkNames,
  MessageReplay,
  NotRecorded,
  readRecording,
  recordSettings,
  Traffic,
  type RecordedError,
} from './recordings/index.js';
export { addedFunctions, functionEntry, readSettings, type FunctionEntry } from './settings/index.js';
