export {
  Agent,
  type AgentIdentity,
  type AgentPorts,
  type Announcer,
  type EffectStore,
  type CallMarks,
  type MessageMarks,
  type RemoteCall,
  type Updates,
} from './agent/index.js';
export type { CheckArguments, DeviceName } from './devices/index.js';
export {
  defaultLedgerMemory,
  DiskLedger,
  ledgerRecordTypes,
  LedgerState,
  readLedger,
  segmentNames,
  type DiskLedgerOptions,
  type KnownCall,
  type Ledger,
  type LedgerDisk,
  type LedgerMemory,
  type LedgerReading,
  type LedgerRecord,
  type ReadSegment,
  type SegmentName,
} from './ledger/index.js';
export type * from './ports/index.js';
export { Unanswered } from './ports/index.js';
