import { randomUUID } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { answered, rowsOf } from '../connection/index.js';
import type { Database } from '../schema/index.js';

/** A packed package that a person uploads. */
export interface UploadedPackage {
  package: string;
  /** Hexadecimal. */
  sha256: string;
  /** In bytes. */
  size: number;
  commit: string | null;
  author: string | null;
  /** ISO 8601. */
  uploaded_at: string;
  uploaded_by: string;
}

/** A version that an orchestrator has checked. Times are ISO 8601. */
export interface StoredVersion extends UploadedPackage {
  version: string | null;
  labs: string[];
  failure: { at: string; reason: string } | null;
}

/** Which version of a package is active. */
export interface StoredActivation {
  package: string;
  /** Null: the package in the folder of packages is active. */
  sha256: string | null;
  previous: string | null;
  since: string | null;
  by: string | null;
  /** Hash of the version that becomes active when work has ended. */
  waiting: string | null;
}

/** Hours after which an upload that no orchestrator has accepted is removed. */
const unfinishedHours = 1;
/** Most versions of one package in a list. */
const mostListed = 200;

/** Packed packages. Every method rejects with ServiceError `store_unavailable` without the database. */
export class Packages {
  constructor(private readonly db: Kysely<Database>) {}

  /**
   * Stores an upload, all or nothing. Removes uploads that were never accepted.
   *
   * @param pieces read one after the other
   * @returns false: the version was accepted before, and stays as it is
   */
  async add(uploaded: UploadedPackage, pieces: AsyncIterable<Buffer>): Promise<boolean> {
    const { package: name, sha256, size, commit, author } = uploaded;
    return answered(
      this.db.transaction().execute(async (tx) => {
        await sql`
          delete from package_version
          where checked_at is null and uploaded_at < now() - make_interval(hours => ${unfinishedHours})`.execute(
          tx,
        );
        await sql`
          delete from package_piece piece
          where not exists (select from package_version version where version.sha256 = piece.sha256)`.execute(
          tx,
        );
        const { rows: made } = await sql`
          insert into package_version (package, sha256, size, pieces, commit, author, uploaded_at, uploaded_by)
          values (${name}, ${sha256}, ${size}, 0, ${commit}, ${author}, ${uploaded.uploaded_at}, ${uploaded.uploaded_by})
          on conflict (package, sha256) do nothing returning package`.execute(tx);
        if (made.length === 0) {
          const { rows } = await sql<{ checked: boolean }>`
            select checked_at is not null as checked from package_version
            where package = ${name} and sha256 = ${sha256}`.execute(tx);
          if (rows[0]?.checked === true) return false;
        }
        let number = 0;
        for await (const piece of pieces) {
          await sql`
            insert into package_piece (sha256, number, data) values (${sha256}, ${number}, ${piece})
            on conflict do nothing`.execute(tx);
          number += 1;
        }
        return true;
      }),
    );
  }

  /**
   * Stores the bytes of a package for a dry run, under a name that no package has. So nobody can activate it, and it does not
   * meet an upload of the same bytes.
   *
   * @param pieces read one after the other
   * @returns the name, for {@link removeDryRun}
   */
  async addForDryRun(sha256: string, size: number, pieces: AsyncIterable<Buffer>): Promise<string> {
    const name = `dry run ${randomUUID()}`;
    const now = new Date().toISOString();
    await this.add(
      { package: name, sha256, size, commit: null, author: null, uploaded_at: now, uploaded_by: '' },
      pieces,
    );
    return name;
  }

  /** Forgets a dry run. The next upload removes its bytes. */
  async removeDryRun(name: string): Promise<void> {
    await answered(sql`delete from package_version where package = ${name}`.execute(this.db));
  }

  /** Removes an upload that an orchestrator has refused. An accepted one stays. */
  async remove(name: string, sha256: string): Promise<void> {
    await answered(
      sql`delete from package_version where package = ${name} and sha256 = ${sha256} and checked_at is null`.execute(
        this.db,
      ),
    );
  }

  /** The latest accepted versions of a package, newest first. */
  async versions(name: string): Promise<StoredVersion[]> {
    return rowsOf(
      this.db,
      sql<StoredVersion>`
        select package, sha256, size, version, commit, author, uploaded_at, uploaded_by, labs, failure
        from package_version where package = ${name} and checked_at is not null
        order by uploaded_at desc, sha256 limit ${mostListed}`,
    );
  }

  /** What is active of a package; undefined: nothing was ever activated. */
  async activation(name: string): Promise<StoredActivation | undefined> {
    const rows = await rowsOf(
      this.db,
      sql<StoredActivation>`
        select package, sha256, previous, since, by, waiting ->> 'sha256' as waiting
        from active_package where package = ${name}`,
    );
    return rows[0];
  }
}
