export { Campaign } from './campaign.js';
export { Run } from './run.js';
export { Task } from './task.js';
export { WorkList } from './work-list.js';
