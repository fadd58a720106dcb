/** Requests and decisions of people about work that the engine has accepted. */

export { Attention } from './attention.js';
export { CampaignRequests } from './campaign-requests.js';
export { cancelCampaign, cancelProtocolRun, cancelTask } from './cancel.js';
export { ChangeRequests } from './change-requests.js';
export { pauseCampaign, pauseProtocolRun } from './pause.js';
export { ResourceRequests } from './resource-requests.js';
export { resumeProtocolRun } from './resume.js';
export { Submissions } from './submissions.js';
