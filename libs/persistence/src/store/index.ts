export { openStore, PostgresStore } from './postgres-store.js';
