export { openStore, PostgresStore, type StoreOptions } from './postgres-store.js';
