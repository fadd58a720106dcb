import { callRecordsContract } from '../contracts/call-records-contract.js';
import { CallLedger } from '../../src/ledger/call-ledger.js';
import { defaultLedgerMemory } from '../../src/ledger/ledger-state.js';
import { MemoryCallRecords } from '../../src/testing/memory-call-records.js';
import { MemoryLedger } from '../../src/testing/memory-ledger.js';

callRecordsContract('in memory', async () => {
  const records = new MemoryCallRecords();
  return { records, breakWith: (error) => records.breakWith(error) };
});

callRecordsContract('in the ledger', async () => {
  const ledger = new MemoryLedger();
  await ledger.open(defaultLedgerMemory);
  return { records: new CallLedger(ledger), breakWith: (error) => ledger.breakWith(error) };
});
