import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What keeps the services apart from what they must not change, the people of an issuer, and the log of refusals.
 *
 * Functions that write what no service may write by itself run as their owner. `pg_temp` is last in their path: otherwise
 * the caller could put temporary tables in the place of the real ones.
 */
const securitySchema = `
do $definer$
declare
  called text;
begin
  foreach called in array array[
    'audit_chain()', 'log_append(text, text, jsonb)', 'effect_append(text, double precision, jsonb)'] loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', called, current_schema());
  end loop;
end
$definer$;

-- A token of a person of an issuer: who it is there. Null: the name is one of this service.
alter table access_token add column issuer text, add column subject text,
  add constraint access_token_person check ((issuer is null) = (subject is null));
create index access_token_of_person on access_token (issuer, subject) where issuer is not null;

-- A person of an issuer: the time and the roles of the latest signed token.
create table issuer_person (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  proven_at timestamptz not null,
  grants jsonb not null,
  primary key (issuer, subject)
);

-- Until now, the names of an issuer and of this service were one space. A token that its owner made with a signed token
-- belongs to the person of the issuer, whom the row does not name. The same is true of names that now mean such a person.
update access_token set revoked_at = now(), revoked_by = 'upgrade of the service'
where revoked_at is null and (
  name ~ '@https?://'
  or (kind = 'personal' and name = created_by and exists (
    select from audit where audit.by = access_token.name and audit.kind = 'oidc')));

-- Refused requests, counted by who made them. Rows are only added.
create table security_refusal (
  id text collate "C" primary key,
  kind text not null,
  principal text not null,
  address text not null,
  count integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  action text not null,
  request_id text
);
create index security_refusal_newest on security_refusal (last_at desc, id desc);

-- Removes what is older than an age, and what is beyond a number of rows. The age has a floor, so that nobody can remove
-- fresh entries.
create function refusals_prune(older_than interval, most bigint) returns bigint language plpgsql security definer
as $function$
declare
  removed bigint;
begin
  delete from security_refusal where last_at < now() - greatest(older_than, interval '1 day')
    or id in (select id from security_refusal order by last_at desc, id desc offset greatest(most, 10000));
  get diagnostics removed = row_count;
  return removed;
end
$function$;

do $definer$
begin
  execute format('alter function refusals_prune(interval, bigint) set search_path = %I, pg_temp', current_schema());
end
$definer$;
`;

export const security: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(securitySchema).execute(db);
  },
};
