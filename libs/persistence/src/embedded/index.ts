export { createDatabase, dropDatabase } from './databases.js';
export { BackupSource, type CopiedFile } from './backup-source.js';
export { bytesOfSegment, segmentsOf, type Segment } from './wal-segments.js';
export {
  recoverPostgres,
  startPostgres,
  type PostgresOptions,
  type RunningPostgres,
} from './start-postgres.js';
export type { DatabaseRole } from '../roles/index.js';
