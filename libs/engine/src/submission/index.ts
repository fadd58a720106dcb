/** Checks of submissions, and the rows that an accepted submission makes. */

export { Drain } from './drain.js';
export { domainFaults, splitReference } from './optimizer-checks.js';
export { campaignRunName, comingRunNames, refuseRunNames, runLimit } from './run-names.js';
export {
  type SubmitPorts,
  campaignFaults,
  drainingFaults,
  mergeParameters,
  protocolOf,
  refuse,
  refuseBacklog,
  workOfRun,
} from './submission-checks.js';
export {
  type Accepted,
  completeCampaign,
  completeProtocolRun,
  completeTask,
  insertRun,
  submitCampaign,
  submitProtocolRun,
  submitTask,
} from './submit.js';
