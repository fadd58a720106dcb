/** Parts of the agent process that benchmarks measure by themselves. */
export { checkArguments } from './check-arguments.js';
export { ForkedTaskProcesses } from './hosts.js';
export { InputCache } from './input-cache.js';
export { FolderLedgerDisk } from './ledger-disk.js';
export { Spool } from './spool.js';
