/** Doubles of the agent's ports, so that a whole lab runs in memory on a virtual clock. */
export { MemoryCallRecords } from './memory-call-records.js';
export { MemoryDeviceProcesses, type DeviceScript, type SimulatedDevice } from './memory-devices.js';
export { MemoryLedger } from './memory-ledger.js';
export { MemoryLedgerDisk } from './memory-ledger-disk.js';
export { MemoryProcess } from './memory-process.js';
export {
  MemoryAnnouncer,
  MemoryEffects,
  MemoryFiles,
  MemoryLog,
  MemoryModules,
  MemoryOrchestrator,
  MemoryPeers,
  SeededRandom,
  SequentialIds,
  type LogLine,
} from './memory-surroundings.js';
export {
  MemoryTaskProcesses,
  type SimulatedTask,
  type TaskContext,
  type TaskOutput,
  type TaskScript,
} from './memory-tasks.js';
export { settle, VirtualTime } from './virtual-time.js';
