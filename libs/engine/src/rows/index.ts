/** What the engine decides about: rows, their changes, and the ports to the outside. */

export { applyChange, conflict } from './apply-change.js';
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
  emptyRowSet,
  indexCampaign,
  indexRun,
  indexTaskRun,
  rowSetOf,
  trialKey,
  trialsOf,
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
  EmergencyStopRow,
  Ending,
  OptimizerRow,
  OutboxRow,
  ProtocolRunRow,
  QueuePauseRow,
  ResourceRow,
  TaskRunRow,
  TrialRow,
} from './rows.js';
export { newTaskRun, unbegun } from './rows.js';
