export { applyChange } from './apply-change.js';
export { MemoryStore, type StoredEvent } from './memory/memory-store.js';
export type {
  AgentAddress,
  Agents,
  Clock,
  Definitions,
  Ids,
  Log,
  NameKind,
  Store,
  Timers,
  WorkingRows,
} from './ports.js';
export { allocationKey, copyRowSet, emptyRowSet, rowSetOf, type RowSet } from './row-set.js';
export type {
  AgentRow,
  AllocationKind,
  AllocationRow,
  AttemptRow,
  CampaignRow,
  Change,
  DefinitionRow,
  Ending,
  OutboxRow,
  ProtocolRunRow,
  ResourceRow,
  Tables,
  TaskRunRow,
} from './rows.js';
