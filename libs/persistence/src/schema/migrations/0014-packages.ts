import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Packed packages by their hash, and which version of each package is active. A version counts from the moment at which an
 * orchestrator has checked it. Pieces are compressed already.
 */
const packagesSchema = `
create table package_version (
  package text collate "C" not null,
  sha256 text collate "C" not null,
  size bigint not null,
  pieces integer not null,
  version text,
  commit text,
  author text,
  uploaded_at timestamptz not null,
  uploaded_by text not null,
  checked_at timestamptz,
  labs jsonb not null default '[]',
  modules jsonb not null default '[]',
  failure jsonb,
  primary key (package, sha256)
);
create index package_version_module on package_version using gin (modules jsonb_path_ops);
create table package_piece (
  sha256 text collate "C" not null,
  number integer not null,
  data bytea not null,
  primary key (sha256, number)
);
alter table package_piece alter column data set storage external;
create table active_package (
  package text collate "C" primary key,
  sha256 text collate "C",
  previous text collate "C",
  since timestamptz,
  by text,
  waiting jsonb
);
`;

export const packages: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(packagesSchema).execute(db);
  },
};
