export {
  hasMessages,
  readRecording,
  type NewEntry,
  type Recording,
  type RecordingEntry,
  type RecordingHead,
} from './format.js';
export { withCallId, withoutCallId } from './call-ids.js';
export { Mask } from './mask.js';
export {
  MessageReplay,
  NotRecorded,
  type RecordedError,
  type ReplayMode,
  type Said,
  type Turn,
} from './message-replay.js';
export { Recorder, type RecorderOptions, type Sink } from './recorder.js';
export {
  checkNames,
  recordSettings,
  replaySettings,
  Traffic,
  trafficFunctions,
  type RecordSettings,
  type TrafficOptions,
} from './traffic.js';
