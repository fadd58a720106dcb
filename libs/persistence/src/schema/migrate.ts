import { Migrator, sql, type Kysely, type Migration } from 'kysely';
import { initial } from './migrations/0001-initial.js';
import { failures } from './migrations/0002-failures.js';
import { leadership } from './migrations/0003-leadership.js';
import { runNames } from './migrations/0004-run-names.js';
import { lags } from './migrations/0005-lags.js';
import { trials } from './migrations/0006-trials.js';
import { access } from './migrations/0007-access.js';
import { records } from './migrations/0008-records.js';
import { events } from './migrations/0009-events.js';
import { writes } from './migrations/0011-writes.js';
import { owners } from './migrations/0017-owners.js';
import { logs } from './migrations/0018-logs.js';
import { webhooks } from './migrations/0019-webhooks.js';
import { resourceResets } from './migrations/0020-resource-resets.js';
import { inputFiles } from './migrations/0021-input-files.js';
import { logHorizon } from './migrations/0022-log-horizon.js';
import { archive } from './migrations/0023-archive.js';
import { commitFunction } from './commit-function.js';

/** In the order of their names; one that was released never changes. */
const migrations: Record<string, Migration> = {
  '0001_initial': initial,
  '0002_failures': failures,
  '0003_leadership': leadership,
  '0004_run_names': runNames,
  '0005_lags': lags,
  '0006_trials': trials,
  '0007_access': access,
  '0008_records': records,
  '0009_events': events,
  '0011_writes': writes,
  '0017_owners': owners,
  '0018_logs': logs,
  '0019_webhooks': webhooks,
  '0020_resource_resets': resourceResets,
  '0021_input_files': inputFiles,
  '0022_log_horizon': logHorizon,
  '0023_archive': archive,
};

/** Any number, the same everywhere: one process at a time puts the function in place. */
const functionLock = 7_410_227;

/**
 * Brings the schema of the database up to date. May run in several processes at once: the database lets one at a time.
 *
 * @returns names of the migrations that were applied now
 * @throws the database's error of the migration that failed; that migration is rolled back
 */
export async function migrate<Database>(db: Kysely<Database>): Promise<string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableName: 'schema_migration',
    migrationLockTableName: 'schema_migration_lock',
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${functionLock})`.execute(tx);
    await sql.raw(commitFunction).execute(tx);
  });
  return (results ?? [])
    .filter((result) => result.status === 'Success')
    .map((result) => result.migrationName);
}
