export { createDatabase, dropDatabase } from './databases.js';
export { startPostgres, type PostgresOptions, type RunningPostgres } from './start-postgres.js';
export type { DatabaseRole } from '../roles/index.js';
