import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ServiceError,
  type DeletionScope,
  type ErrorCode,
  type RemovedCounts,
  type WorkKind,
} from '@lab/contracts';
import type {
  Change,
  DurationSamples,
  EndedPage,
  EndedWork,
  NamedWork,
  NameKind,
  Store,
  UsageRow,
  WorkingRows,
} from '@lab/engine';
import { sql, type RawBuilder } from 'kysely';
import type pg from 'pg';
import {
  databaseError,
  givenUp,
  isOfConnection,
  isRefusal,
  openDatabase,
  type DatabaseOptions,
  type OpenDatabase,
  staleEpoch,
  unavailable,
  wrongState,
} from '../connection/index.js';
import { type Database, isStorable, migrate } from '../schema/index.js';
import { noteCode, type LoadedCode } from './loaded-code.js';
import { loadDeletableBefore, loadEndedBefore, loadNamed } from './named-work.js';
import { PackageVersions } from './package-versions.js';
import { planCommit, type CommitPlan } from './commit-plan.js';
import { filesRemoved, removeRecords } from './deletion-sweep.js';
import { refuseUnstorableText } from './refuse-unstorable-text.js';
import { loadDurations, loadEnded, loadUsage, loadWorkingRows } from './working-rows.js';

interface StoreOptions extends DatabaseOptions {
  /** Milliseconds for which the store asks for the outcome of a commit whose connection broke. Default 5000. */
  settleTimeoutMs?: number;
  /** Called after each commit and proof: with the error if the database cannot be used, else without. */
  onCommit?: (error: ServiceError | undefined) => void;
}

/**
 * Opens the store and brings its schema up to date.
 *
 * @throws ServiceError `store_unavailable`; `wrong_state` when another development version made the database
 */
export async function openStore(options: StoreOptions): Promise<PostgresStore> {
  // PostgreSQL keeps plans while the tables grow from nothing. A plan made for an empty table must not scan
  // a large one.
  const session = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' };
  const database = openDatabase(options, 'lab-orchestrator', session);
  try {
    await migrate(database.db);
  } catch (error) {
    await database.db.destroy();
    throw databaseError(error);
  }
  return new PostgresStore(database, options.settleTimeoutMs ?? 5_000, options.onCommit);
}

const namedTables: Record<NameKind, keyof Database> = {
  protocolRun: 'protocol_run',
  campaign: 'campaign',
  onDemandTask: 'task_run',
};

/** The errors that the commit function raises. */
const ownErrors: Partial<Record<string, ErrorCode>> = {
  [staleEpoch]: 'stale_message',
  [wrongState]: 'wrong_state',
  [givenUp]: 'store_unavailable',
};

/** The unique constraints on names, each with the list of names that a commit makes. */
const uniqueNames: Partial<
  Record<string, { kind: NameKind; list: keyof CommitPlan['names']; what: string }>
> = {
  protocol_run_name: { kind: 'protocolRun', list: 'protocolRuns', what: 'protocol run' },
  campaign_name: { kind: 'campaign', list: 'campaigns', what: 'campaign' },
  task_run_on_demand_name: { kind: 'onDemandTask', list: 'onDemandTasks', what: 'unfinished on-demand task' },
};

/** Other unique constraints, in words. */
const violations: Partial<Record<string, string>> = {
  task_run_name_in_run: 'the protocol run has a task of that name already',
  attempt_unfinished: 'the task run has an attempt that has not ended',
};

interface Unsettled {
  epoch: number;
  commit: string;
}

/** If more names than this begin alike, the store reads all names with that beginning instead of each. */
const lookedUpOneByOne = 100;

function commonPrefix([first = '', ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) {
    let same = 0;
    while (same < length && other[same] === first[same]) same += 1;
    length = same;
  }
  const prefix = first.slice(0, length);
  // Half of a surrogate pair is no character.
  return prefix.isWellFormed() ? prefix : prefix.slice(0, -1);
}

function leaseEnd(leaseMs: number): RawBuilder<unknown> {
  return sql`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`;
}

/**
 * The store on PostgreSQL. A commit is one statement and therefore one round trip. Commits of one store follow one
 * another. When the connection breaks during a commit, the store settles that commit before it reads or writes
 * anything else: it asks the database whether the commit was applied, and forbids it if not.
 */
export class PostgresStore implements Store {
  readonly packages: PackageVersions;
  #turn: Promise<unknown> = Promise.resolve();
  #unsettled: Unsettled | undefined;

  constructor(
    private readonly database: OpenDatabase,
    private readonly settleTimeoutMs: number,
    private readonly onCommit: (error: ServiceError | undefined) => void = () => undefined,
  ) {
    this.packages = new PackageVersions(database.db);
  }

  /** Keys of the agents that are revoked, with the time of each revocation. */
  async revokedAgents(): Promise<{ key: string; at: string }[]> {
    return this.#read(async ({ db }) => {
      const { rows } = await sql<{ key: string; at: string }>`
        select key, revoked_at as at from agent_enrolment where revoked_at is not null`.execute(db);
      return rows;
    });
  }

  // The statement reads the clock after it has locked the row. Otherwise a process that waits for the lock
  // would compare with the time at which it began to wait.
  async lead(instance: string, leaseMs: number): Promise<number | null> {
    return this.#read(async ({ db }) => {
      const { rows } = await sql<{ epoch: number }>`
        update leadership
        set epoch = epoch + 1, instance = ${instance}, since = clock_timestamp(), expires_at = ${leaseEnd(leaseMs)}
        where instance = ${instance} or expires_at <= clock_timestamp() returning epoch`.execute(db);
      return rows[0]?.epoch ?? null;
    });
  }

  async renew(epoch: number, leaseMs: number): Promise<boolean> {
    return this.#read(async ({ db }) => {
      const { rows } = await sql`
        update leadership set expires_at = ${leaseEnd(leaseMs)} where epoch = ${epoch} returning epoch`.execute(
        db,
      );
      return rows.length > 0;
    });
  }

  async resign(epoch: number): Promise<void> {
    await this.#read(({ db }) =>
      sql`update leadership set expires_at = '-infinity' where epoch = ${epoch}`.execute(db),
    );
  }

  /** The record that a leader stored last with {@link noteLoaded}, if any. @throws ServiceError `store_unavailable` */
  async loaded(): Promise<unknown> {
    return this.#read(async ({ db }) => {
      const { rows } = await sql<{ record: unknown }>`select record from loaded_definitions`.execute(db);
      return rows[0]?.record;
    });
  }

  /**
   * Stores what is loaded as JSON, for the next leader.
   *
   * @throws ServiceError `stale_message` when the epoch is not the latest; `store_unavailable`
   */
  async noteLoaded(epoch: number, record: unknown): Promise<void> {
    const text = JSON.stringify(record);
    const noted = await this.#read(({ db }) =>
      sql`
        insert into loaded_definitions (record, noted_at)
        select ${text}::json, now() from leadership where epoch = ${epoch} for update
        on conflict (only_row) do update set record = excluded.record, noted_at = excluded.noted_at
        returning only_row`.execute(db),
    );
    if (noted.rows.length === 0) throw new ServiceError('stale_message', `epoch ${epoch} was succeeded`);
  }

  /**
   * Stores where code came from. An origin equal to the last of its code and package is not stored again.
   *
   * @throws ServiceError `store_unavailable`
   */
  async noteCode(epoch: number, origins: readonly LoadedCode[]): Promise<void> {
    await this.#read(({ db }) => noteCode(db, epoch, origins));
  }

  async load(): Promise<WorkingRows> {
    return this.#inTurn(async () => {
      await this.#settle();
      return this.#read(({ db }) => loadWorkingRows(db));
    });
  }

  /**
   * As {@link Store.commit}. `store_unavailable` has the effect `maybe` when the connection broke during the commit
   * and the database could not be asked within the time. {@link load} then settles the commit first.
   */
  async commit(epoch: number, changes: readonly Change[]): Promise<void> {
    const plan = planCommit(changes);
    const document = JSON.stringify(plan.document);
    refuseUnstorableText(changes, document);
    return this.#inTurn(() =>
      this.#told(async () => {
        await this.#settle();
        await this.#apply({ epoch, commit: randomUUID() }, document, plan.names);
      }),
    );
  }

  /**
   * Proves that the database can be written: it has room for new data, and a commit succeeds. It changes nothing that
   * anybody reads.
   *
   * @throws ServiceError `store_unavailable`
   */
  async proveWritable(epoch: number): Promise<void> {
    await this.#read(({ db }) =>
      db.transaction().execute(async (tx) => {
        // A row is changed within its page, which needs no room. A sort beyond its memory is written to a new file.
        await sql`set local work_mem = '64kB'`.execute(tx);
        await sql`select n from generate_series(1, 20000) n order by n desc offset 19999`.execute(tx);
        await sql`update leadership set since = since where epoch = ${epoch}`.execute(tx);
      }),
    );
  }

  async usage(): Promise<UsageRow[]> {
    return this.#read(({ db }) => loadUsage(db));
  }

  async takenNames(kind: NameKind, names: readonly string[]): Promise<Set<string>> {
    const asked = names.filter(isStorable);
    if (asked.length === 0) return new Set();
    const prefix = commonPrefix(asked);
    // A campaign checks the names of up to 100,000 runs at once. They are one range of the index.
    if (kind === 'protocolRun' && asked.length > lookedUpOneByOne && prefix !== '')
      return this.#runNamesFrom(prefix, new Set(asked));
    return this.#read(async ({ db }) => {
      const { rows } = await sql<{ name: string }>`
        select distinct name from ${sql.table(namedTables[kind])}
        where name = any(${asked}::text[]) ${kind === 'onDemandTask' ? sql`and run_id is null` : sql``}`.execute(
        db,
      );
      return new Set(rows.map((row) => row.name));
    });
  }

  async durations(most: number): Promise<DurationSamples[]> {
    return this.#read(({ db }) => loadDurations(db, most));
  }

  async ended(kind: 'protocolRun' | 'campaign', name: string): Promise<EndedWork | undefined> {
    if (!isStorable(name)) return undefined;
    return this.#read(({ db }) => loadEnded(db, kind, name));
  }

  async named(kind: WorkKind, name: string): Promise<NamedWork | undefined> {
    if (!isStorable(name)) return undefined;
    return this.#read(({ db }) => loadNamed(db, kind, name));
  }

  async endedBefore(kind: WorkKind, page: EndedPage): Promise<NamedWork[]> {
    return this.#read(({ db }) => loadEndedBefore(db, kind, page));
  }

  async deletableBefore(kind: WorkKind, what: DeletionScope, page: EndedPage): Promise<NamedWork[]> {
    return this.#read(({ db }) => loadDeletableBefore(db, kind, what, page));
  }

  /** How far the backup is, as its process has noted it. @throws ServiceError `store_unavailable` */
  async backupState(): Promise<{ reachedAt: number | null; trouble: string | null }> {
    return this.#read(async ({ db }) => {
      const { rows } = await sql<{ reached_at: string | null; trouble: string | null }>`
        select reached_at, trouble from backup_state`.execute(db);
      const { reached_at: at = null, trouble = null } = rows[0] ?? {};
      return { reachedAt: at === null ? null : Date.parse(at), trouble };
    });
  }

  /** As {@link filesRemoved}. @throws ServiceError `store_unavailable` */
  async filesRemoved(deletionId: string): Promise<RemovedCounts | undefined> {
    return this.#read(({ db }) => filesRemoved(db, deletionId));
  }

  /** As {@link removeRecords}. @throws ServiceError `store_unavailable` */
  async removeRecords(deletionId: string, limit: number): Promise<number> {
    return this.#read(({ db }) => removeRecords(db, deletionId, limit));
  }

  /**
   * Removes events that are older than a moment. The latest event of an aggregate always stays, because it gives the
   * next one its number.
   *
   * @param before milliseconds since 1970
   * @param after id up to which earlier calls have looked; 0: none
   * @param limit number of events to look at
   * @returns how many were removed, and the id after which the next call continues; absent: nothing is left to look
   *   at
   * @throws ServiceError `store_unavailable`
   */
  async pruneEvents(
    before: number,
    after: number,
    limit: number,
  ): Promise<{ removed: number; next?: number }> {
    const { rows } = await this.#read(({ db }) =>
      sql<{ removed: number; looked: number; last: number | null; reached: boolean | null }>`
        with next as (select id, aggregate, seq, at from outbox where id > ${after} order by id limit ${limit}),
        gone as (
          delete from outbox using next
          where outbox.id = next.id and next.at < ${new Date(before).toISOString()}::timestamptz
            and exists (select from outbox later where later.aggregate = next.aggregate and later.seq > next.seq)
          returning outbox.id),
        noted as (
          update outbox_horizon set pruned_through = greatest(pruned_through, (select max(id) from gone))
          where exists (select from gone))
        select (select count(*) from gone) as removed, count(*) as looked, max(id) as last,
          bool_or(at >= ${new Date(before).toISOString()}::timestamptz) as reached
        from next`.execute(db),
    );
    const [row] = rows;
    if (row === undefined || row.last === null) return { removed: 0 };
    const over = row.reached === true || row.looked < limit;
    return { removed: row.removed, ...(over ? {} : { next: row.last }) };
  }

  /** Waits for the commit under way, then closes all connections. */
  async close(): Promise<void> {
    await this.#inTurn(() => this.database.db.destroy());
  }

  async #apply(attempt: Unsettled, document: string, names: CommitPlan['names']): Promise<void> {
    let client: pg.PoolClient;
    try {
      client = await this.database.pool.connect();
    } catch (error) {
      throw unavailable(error);
    }
    try {
      await client.query({
        name: 'commit_changes',
        text: 'select commit_changes($1::bigint, $2::uuid, $3::jsonb)',
        values: [attempt.epoch, attempt.commit, document],
      });
    } catch (error) {
      if (isRefusal(error)) {
        client.release(isOfConnection(error));
        throw await this.#conflict(error, names);
      }
      client.release(true);
      this.#unsettled = attempt;
      await this.#settle(error);
      return;
    }
    client.release();
  }

  /**
   * Settles the commit whose connection broke.
   *
   * @param cause given by the commit itself: returns only if it was applied
   */
  async #settle(cause?: unknown): Promise<void> {
    const unsettled = this.#unsettled;
    if (unsettled === undefined) return;
    const deadline = performance.now() + this.settleTimeoutMs;
    for (let pause = 20; ; pause = Math.min(pause * 2, 500)) {
      let outcome: 'applied' | 'refused' | 'deposed';
      try {
        outcome = await this.#outcomeOf(unsettled);
      } catch (error) {
        if (performance.now() + pause < deadline) {
          await delay(pause);
          continue;
        }
        throw new ServiceError('store_unavailable', 'the database does not answer; a commit is in doubt', {
          effect: cause === undefined ? 'none' : 'maybe',
          cause: error,
        });
      }
      this.#unsettled = undefined;
      if (cause === undefined || outcome === 'applied') return;
      if (outcome === 'refused') throw unavailable(cause);
      throw new ServiceError('stale_message', `epoch ${unsettled.epoch} was succeeded during a commit`, {
        effect: 'maybe',
        cause,
      });
    }
  }

  /** Asks for the outcome and, with the same statement, makes sure that a commit that arrives late is not applied. */
  async #outcomeOf({ epoch, commit }: Unsettled): Promise<'applied' | 'refused' | 'deposed'> {
    const { db } = this.database;
    const refused = await sql`
      update leadership set refused_commit = ${commit}::uuid
      where epoch = ${epoch} and last_commit is distinct from ${commit}::uuid returning epoch`.execute(db);
    if (refused.rows.length > 0) return 'refused';
    const applied = await sql`select epoch from leadership where last_commit = ${commit}::uuid`.execute(db);
    return applied.rows.length > 0 ? 'applied' : 'deposed';
  }

  async #conflict(error: pg.DatabaseError, names: CommitPlan['names']): Promise<ServiceError> {
    const options = { cause: error };
    const code = ownErrors[error.code ?? ''];
    if (code !== undefined) return new ServiceError(code, error.message, options);
    if (error.code === '23503')
      return new ServiceError(
        'wrong_state',
        `a change refers to a row that is not there (${error.constraint})`,
        options,
      );
    if (error.code !== '23505') return databaseError(error);
    const unique = uniqueNames[error.constraint ?? ''];
    if (unique === undefined) {
      const message =
        violations[error.constraint ?? ''] ?? `there is such a row already (${error.constraint})`;
      return new ServiceError('wrong_state', message, options);
    }
    const { kind, list, what } = unique;
    const name = (await this.#firstTaken(kind, names[list])) ?? '?';
    return new ServiceError('duplicate_name', `there is a ${what} named "${name}" already`, options);
  }

  async #runNamesFrom(prefix: string, asked: ReadonlySet<string>): Promise<Set<string>> {
    // Compared byte by byte, like the index. No character is above the last one.
    const { rows } = await this.#read(({ db }) =>
      sql<{ name: string }>`
        select name from protocol_run where name ~>=~ ${prefix} and name ~<~ ${`${prefix}\u{10ffff}`}`.execute(
        db,
      ),
    );
    return new Set(rows.flatMap(({ name }) => (asked.has(name) ? [name] : [])));
  }

  /** The name for the error message: one that exists already, or one that the commit makes twice. */
  async #firstTaken(kind: NameKind, names: readonly string[]): Promise<string | undefined> {
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined || names.length < 2) return twice ?? names[0];
    const taken = await this.takenNames(kind, names);
    return names.find((name) => taken.has(name));
  }

  /** Tells the outcome of a write. An error other than `store_unavailable` is an answer of a database that works. */
  async #told(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      const known = databaseError(error);
      this.onCommit(known.code === 'store_unavailable' ? known : undefined);
      throw error;
    }
    this.onCommit(undefined);
  }

  async #read<T>(work: (database: OpenDatabase) => Promise<T>): Promise<T> {
    try {
      return await work(this.database);
    } catch (error) {
      throw databaseError(error);
    }
  }

  /** Runs the work after all earlier work has settled. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch((_reason: unknown) => undefined /* the caller of that turn gets it */);
    return turn;
  }
}
