export { startPostgres, type PostgresOptions, type RunningPostgres } from './start-postgres.js';
