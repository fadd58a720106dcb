import { ledgerContract, type LedgerUnderTest } from '../../test/ledger-contract.js';
import { taskProcessesContract } from '../../test/process-contract.js';
import { MemoryLedger, MemoryTaskProcesses } from '../index.js';

const underTest = (ledger: MemoryLedger): LedgerUnderTest => ({
  ledger,
  afterCrash: async () => underTest(ledger.crash()),
  dispose: async () => undefined,
});

ledgerContract('memory', async () => underTest(new MemoryLedger()));
taskProcessesContract('memory', () => new MemoryTaskProcesses({}));
