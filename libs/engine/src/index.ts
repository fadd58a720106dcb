export { applyChange } from './apply-change.js';
export type { Census } from './census.js';
export type { DeviceStart } from './device-records.js';
export { Durations, rememberedDurations, type DurationSamples } from './durations.js';
export { Engine } from './engine.js';
export type { AgentRegistration, EngineOptions, EnginePorts, Measures } from './engine-options.js';
export { expectedEnd } from './expected-end.js';
export { serviceComputer } from './lab-map.js';
export { MemoryAgents, type Delivery, type Execution, type LabSide } from './memory/memory-agents.js';
export { MemoryDefinitions } from './memory/memory-definitions.js';
export { MemoryOptimizers, type MemorySession, type OptimizerCall } from './memory/memory-optimizers.js';
export { MemoryStore, type StoredEvent } from './memory/memory-store.js';
export { SequentialIds } from './memory/sequential-ids.js';
export { VirtualClock } from './memory/virtual-clock.js';
export type {
  AgentAddress,
  Agents,
  Clock,
  Definitions,
  EndedPage,
  EndedWork,
  Ids,
  Log,
  NamedWork,
  NameKind,
  OptimizerMaking,
  Optimizers,
  OptimizerSession,
  Store,
  Timers,
  WorkingRows,
} from './ports.js';
export type { Accepted } from './submit.js';
export {
  allocationKey,
  copyRowSet,
  emptyRowSet,
  rowSetOf,
  trialKey,
  workingRowsOf,
  type RowSet,
} from './row-set.js';
export type { UnfinishedWork } from './work-in-use.js';
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
  HaltRow,
  Ending,
  OptimizerRow,
  OutboxRow,
  ProtocolRunRow,
  ResourceRow,
  Tables,
  TaskRunRow,
  TrialRow,
} from './rows.js';
