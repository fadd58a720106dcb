/** The guarantees of the ports. Each implementation runs these suites in its tests. */
export { callRecordsContract } from './call-records-contract.js';
export { ledgerContract, type LedgerUnderTest } from './ledger-contract.js';
export { taskProcessesContract } from './process-contract.js';
