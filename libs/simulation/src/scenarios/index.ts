/** Simulations of a scenario: work that is submitted to an empty laboratory. */

export { type CampaignRules, type PlayedCampaign, type PlayedRun, playCampaign } from './campaign.js';
export { defaultMaxTasks, simulate } from './simulate.js';
