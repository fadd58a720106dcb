export type { AgentRegistration } from './agents/agent-messages.js';
export { applyChange } from './rows/apply-change.js';
export type { Census } from './views/counts.js';
export type { DeviceStart } from './views/device-records.js';
export { Durations, rememberedDurations } from './work/durations.js';
export type { EngineOptions, EnginePorts } from './engine-options.js';
export { Engine } from './engine.js';
export { expectedEnd } from './dispatch/expected-end.js';
export { serviceComputer } from './labs/lab-map.js';
export type {
  AgentAddress,
  Agents,
  Definitions,
  DurationSamples,
  EndedPage,
  EndedWork,
  Measures,
  NameKind,
  NamedWork,
  OptimizerMaking,
  OptimizerSession,
  Optimizers,
  Store,
  WorkingRows,
} from './rows/ports.js';
export {
  type RowSet,
  allocationKey,
  copyRowSet,
  emptyRowSet,
  rowSetOf,
  trialKey,
  workingRowsOf,
} from './rows/row-set.js';
export type {
  AgentRow,
  AllocationKind,
  AllocationRow,
  ArchiveRow,
  AttemptRow,
  AttentionRow,
  AuditRow,
  CampaignRow,
  Change,
  DefinitionRow,
  Ending,
  HaltRow,
  OptimizerRow,
  OutboxRow,
  ProtocolRunRow,
  ResourceRow,
  Tables,
  TaskRunRow,
  TrialRow,
} from './rows/rows.js';
export type { Accepted } from './submission/submit.js';
export type { UnfinishedWork } from './views/unfinished-work.js';
