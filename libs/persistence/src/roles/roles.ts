/**
 * Roles of the database. `owner` owns the tables and changes them, and no service has its password. `orchestrator` and
 * `gateway` are the roles of the services.
 */
export const databaseRoles = ['owner', 'orchestrator', 'gateway'] as const;
export type DatabaseRole = (typeof databaseRoles)[number];

/** The names of the roles in PostgreSQL. */
export const roleNames: Readonly<Record<DatabaseRole, string>> = {
  owner: 'lab_owner',
  orchestrator: 'lab_orchestrator',
  gateway: 'lab_gateway',
};

const { owner, orchestrator, gateway } = roleNames;

/**
 * SQL for an administrator, in the database of the service: makes the roles, without passwords, and gives the database with
 * all that is in it to its owner. It may be repeated. The comments that it removes are those by which {@link grants} and the
 * schema count as up to date.
 */
export const rolesScript = `do $roles$
declare
  name text;
  object record;
begin
  foreach name in array array['${owner}', '${orchestrator}', '${gateway}'] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I login', name);
    elsif (select rolsuper from pg_roles where rolname = name) then
      raise exception 'the role % is a superuser: take that from it, or remove the role', name;
    end if;
  end loop;
  if not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('grant ${owner} to %I', current_user);
  end if;

  execute format('alter database %I owner to ${owner}', current_database());
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to ${orchestrator}, ${gateway}', current_database());
  execute format('revoke create on schema %I from public', current_schema());
  execute format('grant usage, create on schema %I to ${owner}', current_schema());
  execute format('grant usage on schema %I to ${orchestrator}, ${gateway}', current_schema());

  for object in
    select format('alter table %s owner to ${owner}', oid::regclass) as change from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'v') and relowner <> '${owner}'::regrole
    union all
    select format('alter function %s owner to ${owner}', oid::regprocedure) from pg_proc
    where pronamespace = current_schema()::regnamespace and proowner <> '${owner}'::regrole
  loop
    execute object.change;
  end loop;

  if to_regclass('schema_migration') is not null then
    comment on table schema_migration is null;
  end if;
  if to_regprocedure('commit_changes(bigint, uuid, jsonb)') is not null then
    comment on function commit_changes(bigint, uuid, jsonb) is null;
  end if;
end
$roles$;
`;

const list = (names: readonly string[]): string => names.join(', ');

/** Tables of the engine beside its rows. */
const ofEngine = ['leadership', 'loaded_definitions', 'definition', 'code_origin', 'outbox_horizon'];

/**
 * SQL of the owner: what the services may do, if their roles exist. Neither may change or remove an entry of the audit. The
 * gateway changes no work, and the orchestrator makes no tokens.
 *
 * @param engineTables names of the tables of the engine's rows
 */
export function grants(engineTables: readonly string[]): string {
  const rows = engineTables.filter((table) => table !== 'audit');
  return `do $grants$
begin
  revoke execute on function log_append(text, text, jsonb), effect_append(text, double precision, jsonb),
    refusals_prune(interval, bigint), sweep_deletion(text, integer), device_file_store(text, double precision, jsonb),
    device_file_attach(text, text, text, text, text, text), device_file_remove(text), device_file_delete(text, text, text, interval),
    device_file_keep(text), device_files_delete_old(integer, interval, integer), device_files_begin_deletion(integer),
    device_file_removed(text) from public;
  if exists (select from pg_roles where rolname = '${orchestrator}') then
    execute format('revoke all on all tables in schema %I from ${orchestrator}', current_schema());
    grant select on schema_migration, schema_reader, agent_enrolment, package_version, package_piece to ${orchestrator};
    grant update (version, checked_at, labs, modules, failure) on package_version to ${orchestrator};
    grant delete on package_version, package_piece to ${orchestrator};
    grant select, insert, update on active_package to ${orchestrator};
    grant select, insert, update on ${list([...rows, ...ofEngine])} to ${orchestrator};
    grant select, insert on audit to ${orchestrator};
    grant select, insert, delete on outbox to ${orchestrator};
    grant select on deletion_files, backup_state, usage to ${orchestrator};
    grant select, insert, delete on task_device to ${orchestrator};
    grant execute on function sweep_deletion(text, integer) to ${orchestrator};
  end if;
  if exists (select from pg_roles where rolname = '${gateway}') then
    execute format('revoke all on all tables in schema %I from ${gateway}', current_schema());
    execute format('grant select on all tables in schema %I to ${gateway}', current_schema());
    grant insert on audit, access_token, security_refusal, agent_invitation, agent_enrolment to ${gateway};
    grant update (used, withdrawn_at, withdrawn_by) on agent_invitation to ${gateway};
    grant update (version, approved_at, approved_by, valid_until, revoked_at, revoked_by, reason) on agent_enrolment
      to ${gateway};
    grant update (last_used_at, revoked_at, revoked_by) on access_token to ${gateway};
    grant insert on deletion_files to ${gateway};
    grant insert, update on issuer_person to ${gateway};
    grant insert, update, delete on idempotency_key, webhook, webhook_delivery to ${gateway};
    grant insert, delete on package_version, package_piece to ${gateway};
    grant delete on log_line to ${gateway};
    grant update on log_horizon to ${gateway};
    grant execute on function log_append(text, text, jsonb), effect_append(text, double precision, jsonb),
      refusals_prune(interval, bigint), device_file_store(text, double precision, jsonb),
      device_file_attach(text, text, text, text, text, text), device_file_remove(text), device_file_delete(text, text, text, interval),
      device_file_keep(text), device_files_delete_old(integer, interval, integer), device_files_begin_deletion(integer),
      device_file_removed(text) to ${gateway};
  end if;
end
$grants$;
`;
}
