/** What people read of the current state: queue, schedule, forecasts, devices and agents. */

export { type Census, takeCensus } from './counts.js';
export type { DeviceStart } from './device-records.js';
export { Present } from './equipment.js';
export type { SurveyPorts } from './overview.js';
export { type QueuePart, describeQueue } from './queue.js';
export { describeEstimates, describeSchedule } from './schedule.js';
export { type UnfinishedWork, attemptOf, unfinishedWork } from './unfinished-work.js';
