/** Emergency stops and the queue pause: what keeps tasks from starting. */

export {
  EmergencyStops,
  type StopPorts,
  adoptStops,
  knownStops,
  nothingStarts,
  stoppedDevices,
  stopsInForce,
  wordsOf,
} from './emergency-stops.js';
export { QueuePause, queueState } from './queue-pause.js';
