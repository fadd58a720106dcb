export type { AgentRegistration } from './agents/index.js';
export { expectedEnd } from './dispatch/index.js';
export type { EngineOptions, EnginePorts } from './engine-options.js';
export { Engine } from './engine.js';
export { serviceComputer } from './labs/index.js';
export {
  type AgentAddress,
  type AgentRow,
  type Agents,
  type AllocationRow,
  type ArchiveRow,
  type AttemptRow,
  type AttentionRow,
  type AuditRow,
  type CampaignRow,
  type Change,
  type DefinitionRow,
  type Definitions,
  type DurationSamples,
  type EmergencyStopRow,
  type EndedPage,
  type EndedWork,
  type Measures,
  type NameKind,
  type NamedWork,
  type OptimizerMaking,
  type OptimizerRow,
  type OptimizerSession,
  type Optimizers,
  type ProtocolRunRow,
  type QueuePauseRow,
  type ResourceRow,
  type RowSet,
  type Store,
  type TaskRunRow,
  type TrialRow,
  type WorkingRows,
  allocationKey,
  applyChange,
  emptyRowSet,
  rowSetOf,
  trialKey,
  workingRowsOf,
} from './rows/index.js';
export type { Counts, DeviceStart, UnfinishedWork } from './views/index.js';
export { Durations, rememberedDurations } from './work/index.js';
