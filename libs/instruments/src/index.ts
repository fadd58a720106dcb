export { replaceFile } from './durable/index.js';
export {
  checkNames,
  Mask,
  MessageReplay,
  NotRecorded,
  readRecording,
  recordSettings,
  replaySettings,
  Traffic,
  trafficFunctions,
  type RecordedError,
} from './recordings/index.js';
export { addedFunctions, functionEntry, readSettings, type FunctionEntry } from './settings/index.js';
