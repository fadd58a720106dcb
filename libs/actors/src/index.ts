export {
  Agent,
  type AgentIdentity,
  type CallMarks,
  type MessageMarks,
  type RemoteCall,
} from './agent/agent.js';
export { DeviceActor, type DeviceActorPorts, type DeviceCall } from './devices/device-actor.js';
export { Devices, type DeviceName } from './devices/devices.js';
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
export { defaultLimits, type AgentLimits } from './ports/limits.js';
export { ProcessPool, type Lease } from './attempts/process-pool.js';
export { Retry, type RetryOptions } from './ports/retry.js';
export { Unanswered } from './ports/unanswered.js';
export { TaskAttempts } from './attempts/task-attempts.js';
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
export { MemoryCallRecords } from './testing/memory-call-records.js';
export { MemoryDeviceProcesses, type DeviceScript, type SimulatedDevice } from './testing/memory-devices.js';
export { MemoryLedger } from './testing/memory-ledger.js';
export { MemoryLedgerDisk } from './testing/memory-ledger-disk.js';
export { MemoryProcess } from './testing/memory-process.js';
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
} from './testing/memory-surroundings.js';
export {
  MemoryTaskProcesses,
  type SimulatedTask,
  type TaskContext,
  type TaskOutput,
  type TaskScript,
} from './testing/memory-tasks.js';
export { settle, VirtualTime } from './testing/virtual-time.js';
