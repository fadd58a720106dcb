import { ServiceError } from '@lab/contracts';
import { sql, type Kysely } from 'kysely';
import { answered, rowsOf } from '../connection/index.js';
import { joinArchive, rootOfRun, type Database } from '../schema/index.js';

/** A version of a package as an orchestrator uses it. */
export interface PackageVersion {
  package: string;
  sha256: string;
  /** In bytes. */
  size: number;
  commit: string | null;
  author: string | null;
  /** ISO 8601. */
  uploaded_at: string;
  uploaded_by: string;
  /** False: no orchestrator has accepted it yet. */
  checked: boolean;
}

/** A version that an orchestrator has accepted. */
export interface AcceptedVersion {
  package: string;
  sha256: string;
  /** In bytes. */
  size: number;
  /** Laboratories that it concerned when it was uploaded. */
  labs: string[];
  /** Hashes of code modules that no other accepted version has. */
  modules: string[];
}

/** Most work that is named as a reason why a version stays. */
const mostNamed = 10;

/** An activation that waits for the end of work. */
export interface WaitingActivation {
  /** Hash, or `folder`. */
  sha256: string;
  /** Who asked for it. */
  by: string;
  labs: string[];
}

/** Which version of a package is active. */
export interface ActivePackage {
  package: string;
  /** Null: the package in the folder of packages is active. */
  sha256: string | null;
  /** What was active before: a hash, `folder` or `none`; null: nothing was activated yet. */
  previous: string | null;
  commit: string | null;
  waiting: WaitingActivation | null;
}

/** A change of what is active. */
export interface Activation {
  package: string;
  /** What must be active: a hash; null: no version is. */
  expect: string | null;
  /** Null: the package in the folder of packages. */
  sha256: string | null;
  /** What a rollback activates. */
  previous: string;
  by: string;
}

/** Versions of packages, for the leading orchestrator. Rejects with ServiceError `store_unavailable` without the database. */
export class PackageVersions {
  constructor(private readonly db: Kysely<Database>) {}

  active(): Promise<ActivePackage[]> {
    return rowsOf(
      this.db,
      sql<ActivePackage>`
        select active.package, active.sha256, active.previous, active.waiting, version.commit
        from active_package active
        left join package_version version on version.package = active.package and version.sha256 = active.sha256
        order by active.package`,
    );
  }

  async version(name: string, sha256: string): Promise<PackageVersion | undefined> {
    const rows = await rowsOf(
      this.db,
      sql<PackageVersion>`
        select package, sha256, size, commit, author, uploaded_at, uploaded_by, checked_at is not null as checked
        from package_version where package = ${name} and sha256 = ${sha256}`,
    );
    return rows[0];
  }

  /** An accepted version that has this code module; undefined: none has. */
  async withModule(hash: string): Promise<Pick<PackageVersion, 'package' | 'sha256'> | undefined> {
    const rows = await rowsOf(
      this.db,
      sql<Pick<PackageVersion, 'package' | 'sha256'>>`
        select package, sha256 from package_version
        where modules @> ${JSON.stringify([hash])}::jsonb and checked_at is not null
        order by uploaded_at desc limit 1`,
    );
    return rows[0];
  }

  /** The accepted versions of a package, or of all packages, newest first. */
  accepted(name?: string): Promise<AcceptedVersion[]> {
    return rowsOf(
      this.db,
      sql<AcceptedVersion>`
        select package, sha256, size, labs, (
          select coalesce(jsonb_agg(module), '[]') from jsonb_array_elements(version.modules) module
          where not exists (
            select from package_version other
            where other.modules @> jsonb_build_array(module) and other.checked_at is not null
              and (other.package, other.sha256) <> (version.package, version.sha256))) as modules
        from package_version version
        where checked_at is not null ${name === undefined ? sql`` : sql`and package = ${name}`}
        order by package, uploaded_at desc, sha256`,
    );
  }

  /** Work that is not over, or that can be resumed, and was accepted with one of these code modules. In words. */
  async workWith(modules: readonly string[]): Promise<string[]> {
    if (modules.length === 0) return [];
    const rows = await rowsOf(
      this.db,
      sql<{ label: string }>`
        with work as (
          select 'campaign ' || campaign.name as label, campaign.definition_hash
          from campaign ${joinArchive(sql`campaign.id`)}
          where campaign.state <> 'completed' and archive.id is null
          union all
          select 'protocol run ' || protocol_run.name, protocol_run.definition_hash
          from protocol_run ${joinArchive(rootOfRun)}
          where protocol_run.state <> 'completed' and archive.id is null
          union all
          select 'task ' || name, definition_hash from task_run where run_id is null and ended_at is null
        ), used as (
          select hash from definition
          where hash in (select definition_hash from work)
            and exists (select from unnest(${modules}::text[]) module where position(module in body::text) > 0)
        )
        select label from work where definition_hash in (select hash from used) order by label limit ${mostNamed}`,
    );
    return rows.map(({ label }) => label);
  }

  /**
   * Deletes a version, and its bytes unless another package has the same ones, together with an entry of the audit.
   *
   * @param reason why, for the audit
   * @throws ServiceError `stale_message`
   */
  async remove(
    epoch: number,
    { package: name, sha256 }: Pick<PackageVersion, 'package' | 'sha256'>,
    by: string,
    reason: string,
  ): Promise<void> {
    await answered(
      this.db.transaction().execute(async (tx) => {
        await demandEpoch(tx, epoch);
        await sql`delete from package_version where package = ${name} and sha256 = ${sha256}`.execute(tx);
        await sql`
          delete from package_piece where sha256 = ${sha256}
            and not exists (select from package_version version where version.sha256 = ${sha256})`.execute(
          tx,
        );
        await sql`
          insert into audit (id, at, by, kind, action, subject, detail, request_id, ip)
          values (gen_random_uuid()::text, now(), ${by}, null, 'package.delete', ${`package/${name}/${sha256}`},
            ${JSON.stringify({ package: name, sha256, reason })}::jsonb, null, null)`.execute(tx);
      }),
    );
  }

  /** The bytes of a packed package, piece by piece. */
  async *pieces(sha256: string): AsyncGenerator<Buffer> {
    for (let number = 0; ; number += 1) {
      const rows = await rowsOf(
        this.db,
        sql<{ data: Buffer }>`
          select data from package_piece where sha256 = ${sha256} and number = ${number}`,
      );
      const [piece] = rows;
      if (piece === undefined) return;
      yield piece.data;
    }
  }

  /** Makes an upload a version that can be activated. @throws ServiceError `stale_message` */
  async accept(
    epoch: number,
    name: string,
    sha256: string,
    found: { version: string | null; labs: readonly string[]; modules: readonly string[] },
  ): Promise<void> {
    await this.#fenced(
      epoch,
      sql`
        update package_version
        set checked_at = coalesce(checked_at, now()), version = ${found.version},
          labs = ${JSON.stringify(found.labs)}::jsonb, modules = ${JSON.stringify(found.modules)}::jsonb
        from leadership where leadership.epoch = ${epoch} and package = ${name} and sha256 = ${sha256}
        returning package`.execute(this.db),
    );
  }

  /**
   * Makes a version the active one, together with the list of what is loaded. Nothing else changes what is active, so that a
   * crash leaves either the version before or this one.
   *
   * @param loaded as JSON
   * @throws ServiceError `wrong_state` when something else is active; `stale_message`
   */
  async activate(epoch: number, change: Activation, loaded: unknown): Promise<void> {
    const { package: name, sha256, previous, by } = change;
    await answered(
      this.db.transaction().execute(async (tx) => {
        await demandEpoch(tx, epoch);
        const { rows } = await sql<{ sha256: string | null }>`
          select sha256 from active_package where package = ${name} for update`.execute(tx);
        const present = rows[0]?.sha256 ?? null;
        if (present !== change.expect)
          throw new ServiceError('wrong_state', `another version of ${name} is active: ${present ?? 'none'}`);
        await sql`
          insert into active_package (package, sha256, previous, since, by)
          values (${name}, ${sha256}, ${previous}, now(), ${by})
          on conflict (package) do update set sha256 = excluded.sha256, previous = excluded.previous,
            since = excluded.since, by = excluded.by, waiting = null`.execute(tx);
        await sql`
          update package_version set failure = null where package = ${name} and sha256 = ${sha256}`.execute(
          tx,
        );
        await sql`
          insert into loaded_definitions (record, noted_at) values (${JSON.stringify(loaded)}::json, now())
          on conflict (only_row) do update set record = excluded.record, noted_at = excluded.noted_at`.execute(
          tx,
        );
      }),
    );
  }

  /** Notes which activation waits for the end of work; null: none does. @throws ServiceError `stale_message` */
  async wait(epoch: number, name: string, waiting: WaitingActivation | null): Promise<void> {
    const text = waiting === null ? null : JSON.stringify(waiting);
    await this.#fenced(
      epoch,
      sql`
        insert into active_package (package, waiting)
        select ${name}, ${text}::jsonb from leadership where epoch = ${epoch}
        on conflict (package) do update set waiting = excluded.waiting returning package`.execute(this.db),
    );
  }

  /** Notes why a version did not stay active. @throws ServiceError `stale_message` */
  async noteFailure(epoch: number, name: string, sha256: string, reason: string, at: string): Promise<void> {
    await answered(
      sql`
        update package_version set failure = ${JSON.stringify({ at, reason })}::jsonb
        from leadership where leadership.epoch = ${epoch} and package = ${name} and sha256 = ${sha256}`.execute(
        this.db,
      ),
    );
  }

  async #fenced(epoch: number, query: Promise<{ rows: unknown[] }>): Promise<void> {
    const { rows } = await answered(query);
    if (rows.length === 0) throw new ServiceError('stale_message', `epoch ${epoch} was succeeded`);
  }
}

async function demandEpoch(db: Kysely<Database>, epoch: number): Promise<void> {
  const { rows } = await sql`select from leadership where epoch = ${epoch} for update`.execute(db);
  if (rows.length === 0) throw new ServiceError('stale_message', `epoch ${epoch} was succeeded`);
}
