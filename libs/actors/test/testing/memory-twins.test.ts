import { ledgerContract, type LedgerUnderTest } from '../contracts/ledger-contract.js';
import { taskProcessesContract } from '../contracts/process-contract.js';
import { DiskLedger } from '../../src/index.js';
import {
  MemoryLedger,
  MemoryLedgerDisk,
  MemoryLog,
  MemoryTaskProcesses,
  SeededRandom,
  VirtualTime,
} from '../../src/testing/index.js';

const inMemory = (ledger: MemoryLedger): LedgerUnderTest => ({
  ledger,
  afterCrash: async () => inMemory(ledger.crash()),
  dispose: async () => undefined,
});

const onDisk = (disk: MemoryLedgerDisk): LedgerUnderTest => ({
  ledger: new DiskLedger(disk, { log: new MemoryLog(), timers: new VirtualTime() }, { segmentBytes: 8_192 }),
  afterCrash: async () => onDisk(disk.crash(new SeededRandom())),
  dispose: async () => undefined,
});

ledgerContract('memory', async () => inMemory(new MemoryLedger()));
ledgerContract('on a disk in memory', async () => onDisk(new MemoryLedgerDisk()));
taskProcessesContract('memory', () => new MemoryTaskProcesses({}));
