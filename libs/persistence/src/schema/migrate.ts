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
import { security } from './migrations/0008-security.js';
import { attentionProcess } from './migrations/0009-attention-process.js';
import { rollouts } from './migrations/0010-rollouts.js';
import { sessions } from './migrations/0011-sessions.js';
import { plans } from './migrations/0012-plans.js';
import { attentionClaim } from './migrations/0013-attention-claim.js';
import { packages } from './migrations/0014-packages.js';
import { deletions } from './migrations/0015-deletions.js';
import { backupState } from './migrations/0016-backup-state.js';
import { schemaReader } from './migrations/0017-schema-reader.js';
import { taskDevices } from './migrations/0018-task-devices.js';
import { usage } from './migrations/0019-usage.js';
import { pipelineTokens } from './migrations/0020-pipeline-tokens.js';
import { taskOrder } from './migrations/0021-task-order.js';
import { runtimes } from './migrations/0022-runtimes.js';
import { deviceFiles } from './migrations/0023-device-files.js';
import { trialDurations } from './migrations/0024-trial-durations.js';
import { looseFileDeletions } from './migrations/0025-loose-file-deletions.js';
import { engineTables } from './tables.js';
import { grants, roleNames } from '../roles/index.js';

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
  '0008_security': security,
  '0009_attention_process': attentionProcess,
  '0010_rollouts': rollouts,
  '0011_sessions': sessions,
  '0012_plans': plans,
  '0013_attention_claim': attentionClaim,
  '0014_packages': packages,
  '0015_deletions': deletions,
  '0016_backup_state': backupState,
  '0017_schema_reader': schemaReader,
  '0018_task_devices': taskDevices,
  '0019_usage': usage,
  '0020_pipeline_tokens': pipelineTokens,
  '0021_task_order': taskOrder,
  '0022_runtimes': runtimes,
  '0023_device_files': deviceFiles,
  '0024_trial_durations': trialDurations,
  '0025_loose_file_deletions': looseFileDeletions,
};

/**
 * The last migration of the oldest release that works with this schema while the next one is rolled out: that of the release before,
 * or the last one of all after a migration with which no earlier release works. See docs/adr/0039.
 */
const oldestReader = '0017_schema_reader';

/** The schema of this release. */
export const ownSchema: { readonly migrations: readonly string[]; readonly oldestReader: string } = {
  migrations: Object.keys(migrations),
  oldestReader,
};

/** The schema of a database, as a process of some release sees it. */
export interface SchemaState {
  /** Last migration of the database. */
  latest: string;
  /** Last migration of the oldest release that works with the database. */
  oldest_reader: string;
  /** Last migration that the process knows. */
  known: string;
}

/** Reads the schema of a database that was brought up to date. */
export async function schemaOf<Database>(db: Kysely<Database>): Promise<SchemaState> {
  const { rows } = await sql<{ latest: string | null; oldest_reader: string | null }>`
    select (select max(name) from schema_migration) as latest,
      (select oldest from schema_reader) as oldest_reader`.execute(db);
  const { latest, oldest_reader: oldest } = rows[0] ?? {};
  return { latest: latest ?? '', oldest_reader: oldest ?? '', known: ownSchema.migrations.at(-1) ?? '' };
}

/** What follows the migrations: it may be put in place again. */
const afterMigrations =
  commitFunction +
  grants(engineTables.map(({ name }) => name)) +
  `insert into schema_reader (oldest) values ('${oldestReader}')
   on conflict (only_row) do update set oldest = excluded.oldest;`;

/** Comment of the commit function by which {@link afterMigrations} is known to be in place. */
const inPlace = createHash('sha256').update(afterMigrations).digest('hex');

/** Any number, the same everywhere: one process at a time puts the function in place. */
const functionLock = 7_410_227;

/**
 * Brings the schema up to date; the database lets one process at a time. A role that may not change the schema only checks
 * that it is up to date.
 *
 * The schema of the next release stays as it is, if that release says that this one works with it.
 *
 * @throws ServiceError `wrong_state` when a version made the database whose schema this one cannot use, or when the role may
 * not bring it up to date; the error of a migration, which is rolled back
 */
export async function migrate<Database>(db: Kysely<Database>): Promise<void> {
  const { rows: made } = await sql<{ is_there: boolean; may_change: boolean | null; role: string }>`
    select coalesce(has_table_privilege(to_regclass('schema_migration'), 'select'), false) as is_there,
      current_user as role, has_schema_privilege(current_schema(), 'create') as may_change`.execute(db);
  const { is_there: isThere = false, may_change: mayChange = false, role = '' } = made[0] ?? {};
  const applied = isThere ? await appliedMigrations(db) : [];
  if (isNewer(applied) && (await canUse(db))) return;
  refuseUnknownMigrations(applied);
  const isCurrent =
    applied.length === Object.keys(migrations).length && (await commentOfFunction(db)) === inPlace;
  if (isCurrent) return;
  if (mayChange !== true)
    throw new ServiceError(
      'wrong_state',
      `the tables in the database are not those of this version, and the role "${role}" may not change them: run ` +
        `"svc database migrate" with the address of their owner (${roleNames.owner}) in SVC_DATABASE_OWNER_URL`,
    );
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableName: 'schema_migration',
    migrationLockTableName: 'schema_migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${functionLock})`.execute(tx);
    if ((await commentOfFunction(tx)) === inPlace) return;
    await sql.raw(afterMigrations).execute(tx);
    await sql.raw(`comment on function commit_changes(bigint, uuid, jsonb) is '${inPlace}'`).execute(tx);
  });
}

async function commentOfFunction<Database>(db: Kysely<Database>): Promise<string | null> {
  const { rows } = await sql<{ comment: string | null }>`
    select obj_description(to_regprocedure('commit_changes(bigint, uuid, jsonb)'), 'pg_proc') as comment`.execute(
    db,
  );
  return rows[0]?.comment ?? null;
}

async function appliedMigrations<Database>(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from schema_migration`.execute(db);
  return rows.map(({ name }) => name);
}

/** Whether the database has all migrations of this version, and later ones. */
function isNewer(applied: readonly string[]): boolean {
  const known = Object.keys(migrations);
  const unknown = applied.filter((name) => !(name in migrations));
  return (
    unknown.length > 0 &&
    known.every((name) => applied.includes(name)) &&
    unknown.every((name) => known.every((each) => name > each))
  );
}

/** Whether the newer version that made the schema says that this one works with it. */
async function canUse<Database>(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ oldest: string }>`select oldest from schema_reader`.execute(db);
  return Object.keys(migrations).includes(rows[0]?.oldest ?? '');
}

function refuseUnknownMigrations(applied: readonly string[]): void {
  const unknown = applied.filter((name) => !(name in migrations));
  if (unknown.length === 0) return;
  throw new ServiceError(
    'wrong_state',
    isNewer(applied)
      ? `a newer version of the service made this database: its schema has ${unknown.join(', ')}, which this version does ` +
          'not know; start the newer version again, or restore a backup that this version made'
      : 'another development version made this database, and its schema cannot be brought up to date: use a new database, ' +
          'or remove the data folder of the embedded one',
  );
}
