/** What every implementation of a port promises. Run a suite in the tests of each implementation. */
export { callRecordsContract } from './call-records-contract.js';
export { ledgerContract, type LedgerUnderTest } from './ledger-contract.js';
export { taskProcessesContract } from './process-contract.js';
