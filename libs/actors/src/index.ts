export { Agent, type AgentIdentity, type CallMarks, type MessageMarks, type RemoteCall } from './agent.js';
export { DeviceActor, type DeviceActorPorts, type DeviceCall } from './device-actor.js';
export { Devices, type DeviceName } from './devices.js';
export { CallLedger } from './ledger/call-ledger.js';
export { DiskLedger, type DiskLedgerOptions } from './ledger/disk-ledger.js';
export { segmentNames, type LedgerDisk, type SegmentName } from './ledger/ledger-disk.js';
export {
  defaultLedgerMemory,
  LedgerState,
  type AttemptHistory,
  type KnownCall,
  type LedgerMemory,
} from './ledger/ledger-state.js';
export { readLedger, type LedgerReading, type ReadSegment } from './ledger/read-ledger.js';
export { defaultLimits, type AgentLimits } from './limits.js';
export { ProcessPool, type Lease } from './process-pool.js';
export { Retry, type RetryOptions } from './retry.js';
export { Unanswered } from './unanswered.js';
export { TaskAttempts } from './task-attempts.js';
export { ledgerRecordTypes } from './ports.js';
export type {
  AgentPorts,
  Announcer,
  CallEnding,
  CallRecords,
  CheckArguments,
  Clock,
  AgentIncarnation,
  DeviceAddress,
  DownloadTicket,
  DeviceProcess,
  DeviceProcesses,
  Files,
  Ids,
  Ledger,
  LedgerRecord,
  Log,
  Modules,
  Orchestrator,
  Peers,
  ProcessExit,
  ProcessHandle,
  Random,
  RecordedCall,
  Registration,
  SpooledFile,
  TaskProcess,
  TaskProcesses,
  Timers,
  UploadTicket,
  WantedFile,
} from './ports.js';
export { MemoryCallRecords } from './memory/memory-call-records.js';
export { MemoryDeviceProcesses, type DeviceScript, type SimulatedDevice } from './memory/memory-devices.js';
export { MemoryLedger } from './memory/memory-ledger.js';
export { MemoryLedgerDisk } from './memory/memory-ledger-disk.js';
export { MemoryProcess } from './memory/memory-process.js';
export {
  MemoryAnnouncer,
  MemoryFiles,
  MemoryLog,
  MemoryModules,
  MemoryOrchestrator,
  MemoryPeers,
  SeededRandom,
  SequentialIds,
  type LogLine,
} from './memory/memory-surroundings.js';
export {
  MemoryTaskProcesses,
  type SimulatedTask,
  type TaskContext,
  type TaskOutput,
  type TaskScript,
} from './memory/memory-tasks.js';
export { settle, VirtualTime } from './memory/virtual-time.js';
