import { createHash } from 'node:crypto';
import { ServiceError } from '@lab/contracts';
import { Migrator, sql, type Kysely, type Migration } from 'kysely';
import { commitFunction } from './commit-function.js';
import { initial, initialSchema } from './migrations/0001-initial.js';
import { effects } from './migrations/0002-effects.js';
import { drains } from './migrations/0003-drains.js';
import { outages } from './migrations/0004-outages.js';
import { reservations } from './migrations/0005-reservations.js';
import { webhookInclude } from './migrations/0006-webhook-include.js';
import { enrolment } from './migrations/0007-enrolment.js';
import { attentionProcess } from './migrations/0009-attention-process.js';

/** The initial migration has a digest of its text in its name, so that a database of another text is recognised. */
const digest = createHash('sha256').update(initialSchema).digest('hex').slice(0, 12);

/** In the order of their names. A migration that was released never changes. */
const migrations: Record<string, Migration> = {
  [`0001_initial_${digest}`]: initial,
  '0002_effects': effects,
  '0003_drains': drains,
  '0004_outages': outages,
  '0005_reservations': reservations,
  '0006_webhook_include': webhookInclude,
  '0007_enrolment': enrolment,
  '0009_attention_process': attentionProcess,
};

/** Any number, the same everywhere: one process at a time puts the function in place. */
const functionLock = 7_410_227;

/**
 * Brings the schema up to date; the database lets one process at a time.
 *
 * @throws ServiceError `wrong_state` when a newer or another development version made the database; the error of a
 * migration, which is rolled back
 */
export async function migrate<Database>(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableName: 'schema_migration',
    migrationLockTableName: 'schema_migration_lock',
  });
  await refuseUnknownMigrations(db);
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${functionLock})`.execute(tx);
    await sql.raw(commitFunction).execute(tx);
  });
}

async function refuseUnknownMigrations<Database>(db: Kysely<Database>): Promise<void> {
  const { rows: made } = await sql<{ is_there: boolean }>`
    select to_regclass('schema_migration') is not null as is_there`.execute(db);
  if (made[0]?.is_there !== true) return;
  const { rows } = await sql<{ name: string }>`select name from schema_migration`.execute(db);
  const unknown = rows.map(({ name }) => name).filter((name) => !(name in migrations));
  if (unknown.length === 0) return;
  const known = Object.keys(migrations);
  const isNewer =
    known.every((name) => rows.some((row) => row.name === name)) &&
    unknown.every((name) => known.every((each) => name > each));
  throw new ServiceError(
    'wrong_state',
    isNewer
      ? `a newer version of the service made this database: its schema has ${unknown.join(', ')}, which this version does ` +
          'not know; start the newer version again, or restore a backup that this version made'
      : 'another development version made this database, and its schema cannot be brought up to date: use a new database, ' +
          'or remove the data folder of the embedded one',
  );
}
