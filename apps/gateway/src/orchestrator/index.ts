export { FailoverWait, Orchestrator } from './orchestrator.js';
