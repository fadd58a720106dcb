/** The life of tasks, protocol runs and campaigns, from the first task to the last. */

export { CampaignOptimizers } from './campaign-optimizers.js';
export { beginEndingCampaign } from './campaign-tally.js';
export { Durations, type Expectation, rememberedDurations } from './durations.js';
export {
  type AttemptEnd,
  askAbout,
  failAttempt,
  failTask,
  failurePolicyOf,
  giveUp,
  isStopping,
  nextTimeout,
  queueAgain,
  stopOf,
  stopOverdue,
} from './failure-policy.js';
export { outputResources, putResources } from './outputs.js';
export { makingOf } from './making.js';
export { beginEnding, endTask, hasBegun, requestStop } from './runs.js';
export { settleWork } from './settle.js';
export { pendingTrials, setOptimizer, storable, trialOf } from './trials.js';
