export { CallLedger, ledgerFailed } from './call-ledger.js';
export type { CallRecords } from './call-records.js';
export { DiskLedger, type DiskLedgerOptions } from './disk-ledger.js';
export { segmentNames, type LedgerDisk, type SegmentName } from './ledger-disk.js';
export {
  defaultLedgerMemory,
  LedgerState,
  type AttemptHistory,
  type KnownCall,
  type LedgerMemory,
} from './ledger-state.js';
export type { Ledger } from './ledger.js';
export { briefArguments, briefValue, keptArguments } from './shown-values.js';
export { readLedger, type LedgerReading, type ReadSegment } from './read-ledger.js';
export {
  ledgerRecordTypes,
  type AttemptEnd,
  type CallEnding,
  type LedgerRecord,
  type RecordedCall,
  type UnstoredCall,
} from './records.js';
