export { Campaign } from './campaign.js';
export { Run } from './run.js';
