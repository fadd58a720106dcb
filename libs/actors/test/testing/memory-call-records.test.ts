import { callRecordsContract } from '../contracts/call-records-contract.js';
import { defaultLedgerMemory } from '../../src/index.js';
import { MemoryCallRecords, MemoryLedger } from '../../src/testing/index.js';
import { CallLedger } from '../../src/ledger/index.js';

callRecordsContract('in memory', async () => {
  const records = new MemoryCallRecords();
  return { records, breakWith: (error) => records.breakWith(error) };
});

callRecordsContract('in the ledger', async () => {
  const ledger = new MemoryLedger();
  await ledger.open(defaultLedgerMemory);
  return { records: new CallLedger(ledger, { now: () => 5 }), breakWith: (error) => ledger.breakWith(error) };
});
