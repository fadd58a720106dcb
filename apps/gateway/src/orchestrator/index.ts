export { LeaderWatch } from './leader-watch.js';
export { FailoverWait, Orchestrator } from './orchestrator.js';
