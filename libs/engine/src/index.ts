export type { AgentRegistration } from './agents/index.js';
export { expectedEnd } from './dispatch/index.js';
export type { EngineOptions, EnginePorts } from './engine-options.js';
export { Engine } from './engine.js';
export { serviceComputer } from './labs/index.js';
export type * from './rows/index.js';
export {
  allocationKey,
  applyChange,
  drainedComputer,
  emptyRowSet,
  isOfRollout,
  keptRollouts,
  rowSetOf,
  trialKey,
  workingRowsOf,
} from './rows/index.js';
export type { Counts, DeviceStart, UnfinishedWork } from './views/index.js';
export { Durations, rememberedDurations } from './work/index.js';
