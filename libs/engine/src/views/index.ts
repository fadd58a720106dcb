/** What people read of the current state: queue, schedule, forecasts, devices and agents. */

export type { Counts } from './counts.js';
export type { DeviceStart } from './device-records.js';
export type { UnfinishedWork } from './unfinished-work.js';
export { Views } from './views.js';
