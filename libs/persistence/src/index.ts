export { openStore, PostgresStore, type StoreOptions } from './postgres-store.js';
export { openRecords, Records, type ListOptions, type RecordsOptions } from './records.js';
