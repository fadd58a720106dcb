/** Emergency stops, outages of devices, the queue pause and drains: what keeps tasks from starting. */

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
export { drainBefore, hasStarted } from './drains.js';
export { Outages, endOutagesInTime, nextOutageEnd, wordsOfOutage } from './outages.js';
export { QueuePause, queueState } from './queue-pause.js';
