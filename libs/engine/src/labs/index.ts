/** The loaded laboratories, and who holds their devices and resources. */

export { giveBack, heldFor, leave, release, releaseUnneeded, take, unitsOf } from './allocation.js';
export { keepersOf, slotName } from './holds.js';
export { type KnownDevice, LabMap, deviceKey, serviceComputer } from './lab-map.js';
export { otherLabs, refuseForeignLabs } from './rights.js';
export {
  deviceCandidates,
  referredUnit,
  resolveParameters,
  resourceCandidates,
  resourceValues,
  slotsOf,
} from './resolve.js';
export { among, deviceFaults, placeFaults, resourceFaults } from './slot-faults.js';
