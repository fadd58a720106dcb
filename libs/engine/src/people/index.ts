/** Requests and decisions of people about work that the engine has accepted. */

export { archive, overByItself } from './archive.js';
export { Attention } from './attention.js';
export { type BackupState, BackupWatch } from './backup-watch.js';
export { DeploymentWatch, type FailedDeployment } from './deployment-watch.js';
export { CampaignRequests } from './campaign-requests.js';
export { ChangeRequests } from './change-requests.js';
export { type LongTaskLimits, LongTasks } from './long-tasks.js';
export { DrainRequests } from './drain-requests.js';
export { DeviceRestarts } from './device-restarts.js';
export { Refusals } from './refusals.js';
export { ResourceRequests } from './resource-requests.js';
export { Submissions } from './submissions.js';
export { WorkRequests } from './work-requests.js';
