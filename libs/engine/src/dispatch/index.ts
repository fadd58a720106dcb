/** Which queued task starts next, and on which devices. */

export { Dispatcher } from './dispatcher.js';
export { expectedEnd } from './expected-end.js';
export { labScheduleFor } from './lab-schedule.js';
export { UnitView } from './units.js';
export { Workload } from './workload.js';
