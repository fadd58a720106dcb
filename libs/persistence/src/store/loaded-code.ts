import { sql, type Kysely } from 'kysely';
import type { Database } from '../schema/index.js';

/** Where the code of one hash came from when it was loaded. */
export interface LoadedCode {
  hash: string;
  package: string;
  /** null: the package states none; likewise the next two, when it is in no Git repository. */
  version: string | null;
  commit: string | null;
  modified: boolean | null;
}

/** Stores the origins that differ from the last of their code and package; none under an epoch that was succeeded. */
export async function noteCode(
  db: Kysely<Database>,
  epoch: number,
  origins: readonly LoadedCode[],
): Promise<void> {
  if (origins.length === 0) return;
  await sql`
    insert into code_origin (hash, package, version, commit, modified, loaded_at)
    select fresh.hash, fresh.package, fresh.version, fresh.commit, fresh.modified, now()
    from leadership, jsonb_to_recordset(${JSON.stringify(origins)}::jsonb)
      as fresh (hash text, package text, version text, commit text, modified boolean)
    where leadership.epoch = ${epoch} and not exists (
      select from (
        select version, commit, modified from code_origin
        where code_origin.hash = fresh.hash and code_origin.package = fresh.package
        order by loaded_at desc limit 1) as last
      where (last.version, last.commit, last.modified)
        is not distinct from (fresh.version, fresh.commit, fresh.modified))
    on conflict do nothing`.execute(db);
}
