export type { LoadedCode } from './loaded-code.js';
export { openStore, PostgresStore } from './postgres-store.js';
