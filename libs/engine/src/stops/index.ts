/** Emergency stops, outages, reservations, the queue pause and drains: what keeps tasks from starting. */

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
export { refusedField } from './refused-field.js';
export { drainBefore, hasStarted } from './drains.js';
export {
  Outages,
  drainForRollout,
  drainOfComputer,
  drainOfPerson,
  endDrainOfRollout,
  endOutagesInTime,
  nextOutageEnd,
  outageOver,
  wordsOfOutage,
} from './outages.js';
export {
  Reservations,
  describeReservations,
  endReservationsInTime,
  keepsFrom,
  nextReservationEnd,
  reservationsByUnit,
  wordsOfReservation,
} from './reservations.js';
export { QueuePause, queueState } from './queue-pause.js';
