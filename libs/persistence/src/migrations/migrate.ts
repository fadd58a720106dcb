import { Migrator, type Kysely, type Migration } from 'kysely';
import { initial } from './0001-initial.js';

/** In the order of their names; one that was released never changes. */
const migrations: Record<string, Migration> = { '0001_initial': initial };

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
  return (results ?? [])
    .filter((result) => result.status === 'Success')
    .map((result) => result.migrationName);
}
