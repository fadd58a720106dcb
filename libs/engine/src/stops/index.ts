/** Emergency stops and the queue pause: what keeps tasks from starting. */

export {
  type StopPorts,
  adoptStops,
  engageStop,
  nothingStarts,
  releaseStop,
  stoppedDevices,
  stopsInForce,
  stopsToTell,
  wordsOf,
} from './emergency-stops.js';
export { pauseQueue, queueState, resumeQueue } from './queue-pause.js';
