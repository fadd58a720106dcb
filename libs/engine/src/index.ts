export type { AgentRegistration } from './agent-reports.js';
export { applyChange } from './apply-change.js';
export type { Census } from './census.js';
export type { DeviceStart } from './device-records.js';
export { Durations, rememberedDurations } from './durations.js';
export type { EngineOptions, EnginePorts } from './engine-options.js';
export { Engine } from './engine.js';
export { expectedEnd } from './expected-end.js';
export { serviceComputer } from './lab-map.js';
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
} from './ports.js';
export {
  type RowSet,
  allocationKey,
  copyRowSet,
  emptyRowSet,
  rowSetOf,
  trialKey,
  workingRowsOf,
} from './row-set.js';
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
} from './rows.js';
export type { Accepted } from './submit.js';
export type { UnfinishedWork } from './work-in-use.js';
