import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Tokens of access, and the audit as a chain: every entry holds the SHA-256 of the one before it and its own content, so
 * that nothing can be changed, removed or put in between without breaking it. The trigger numbers and chains the entries
 * of all writers; the row of `audit_head` is what they wait for each other at.
 */
const changes = `
create table access_token (
  id text collate "C" primary key,
  hash text collate "C" not null constraint access_token_hash unique,
  prefix text not null,
  kind text not null check (kind in ('personal', 'service')),
  name text not null,
  note text not null,
  grants jsonb not null,
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  revoked_by text
);
create index access_token_newest on access_token (created_at desc, id desc);
create index access_token_of on access_token (name, created_at desc, id desc);

alter table audit
  add column kind text,
  add column request_id text,
  add column ip text,
  add column seq bigint constraint audit_seq unique,
  add column previous text,
  add column hash text;

create table audit_head (
  one boolean primary key default true check (one),
  seq bigint not null,
  hash text not null
);
insert into audit_head (seq, hash) values (0, '');

create function audit_hash(entry audit) returns text language sql immutable as $function$
  select encode(sha256(convert_to(entry.previous || jsonb_build_array(
    entry.seq, entry.id, to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    entry.by, entry.kind, entry.action, entry.subject, entry.detail, entry.request_id, entry.ip
  )::text, 'UTF8')), 'hex')
$function$;

create function audit_chain() returns trigger language plpgsql as $function$
begin
  select seq + 1, hash into strict new.seq, new.previous from audit_head for update;
  new.hash := audit_hash(new);
  update audit_head set seq = new.seq, hash = new.hash;
  return new;
end
$function$;

drop rule audit_is_not_changed on audit;
drop rule audit_is_not_deleted on audit;
do $block$
declare
  entry audit;
begin
  for entry in select * from audit order by at, id loop
    select seq + 1, hash into strict entry.seq, entry.previous from audit_head;
    entry.hash := audit_hash(entry);
    update audit set seq = entry.seq, previous = entry.previous, hash = entry.hash where id = entry.id;
    update audit_head set seq = entry.seq, hash = entry.hash;
  end loop;
end
$block$;

alter table audit alter column seq set not null, alter column previous set not null, alter column hash set not null;
create rule audit_is_not_changed as on update to audit do instead nothing;
create rule audit_is_not_deleted as on delete to audit do instead nothing;
create trigger audit_chain before insert on audit for each row execute function audit_chain();
`;

export const access: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
