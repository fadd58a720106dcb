import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bringUpToDate } from '../../src/administration/index.js';
import { startPostgres, type RunningPostgres } from '../../src/embedded/index.js';
import { openGatewayStore, openStore } from '../../src/index.js';
import { databaseRoles, roleNames, rolesScript, type DatabaseRole } from '../../src/roles/index.js';

let root: string;
let server: RunningPostgres;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lab-roles-'));
  server = await start();
  await bringUpToDate(server.urls.owner);
}, 60_000);
afterAll(async () => {
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

const start = (): Promise<RunningPostgres> =>
  startPostgres({ dataDir: join(root, 'postgres'), durable: false });

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const as = (role: DatabaseRole, text: string): Promise<Record<string, unknown>[]> =>
  query(server.urls[role], text);

const denied = { code: '42501' };

const entry = (id: string): string =>
  `insert into audit (id, at, by, action, subject, detail) values ('${id}', now(), 'ada', 'x', 'y', '{}')`;

const rightsToChange = `select has_any_column_privilege('audit', 'update') as update,
  has_table_privilege('audit', 'delete') as delete`;

describe('a role of a service', () => {
  test.each(databaseRoles)(
    '%s is no superuser, and has no power over other roles or databases',
    async (role) => {
      const rows = await as(
        role,
        `select current_user as name, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
        (select count(*) from pg_auth_members where member = pg_roles.oid) as memberships
       from pg_roles where rolname = current_user`,
      );
      const none = { rolsuper: false, rolcreaterole: false, rolcreatedb: false };
      expect(rows).toEqual([
        { name: roleNames[role], ...none, rolreplication: false, rolbypassrls: false, memberships: '0' },
      ]);
    },
  );

  test.each(databaseRoles)('%s runs no program and reads no file of the computer', async (role) => {
    await expect(as(role, `copy (select 1) to program 'cat'`)).rejects.toMatchObject(denied);
    await expect(as(role, `copy leadership to '/tmp/x'`)).rejects.toMatchObject(denied);
    await expect(as(role, `select pg_read_file('/etc/passwd')`)).rejects.toMatchObject(denied);
  });

  test.each(['orchestrator', 'gateway'] as const)(
    '%s adds to the audit and reads it, and neither changes nor removes an entry',
    async (role) => {
      await as(role, entry(`of_${role}`));
      const entries = await as(role, 'select * from audit order by seq');
      // A rule drops these two without an error, and the role has no right to them either.
      await as(role, `update audit set by = 'eve'`);
      await as(role, 'delete from audit');
      expect(await as(role, 'select * from audit order by seq')).toEqual(entries);
      expect(await as(role, rightsToChange)).toEqual([{ update: false, delete: false }]);
      for (const statement of [
        'truncate audit',
        `update audit_head set hash = ''`,
        'alter table audit disable rule audit_is_not_changed',
        'alter table audit disable trigger audit_chain',
        'drop table audit',
        `create or replace function audit_chain() returns trigger language plpgsql as 'begin return new; end'`,
        'create table mine (a int)',
        'create temporary table audit_head (seq bigint, hash text)',
      ])
        await expect(as(role, statement), statement).rejects.toMatchObject({
          code: expect.stringMatching(/^(42501|3F000)$/) as string,
        });
      const store = openGatewayStore({ url: server.urls.gateway });
      expect(await store.audit.check()).toMatchObject({ broken: null });
      await store.close();
    },
  );

  test('of the gateway changes no work, no right of a token and no recorded call', async () => {
    for (const statement of [
      `update task_run set state = 'completed'`,
      `insert into leadership (epoch, instance, since) values (1, '', now())`,
      `update leadership set epoch = 9`,
      `select commit_changes(0, gen_random_uuid(), '{"agents": [{"computer": "c", "inc": 1, "session": "s"}]}')`,
      `update access_token set grants = '[{"role": "admin"}]'`,
      `update access_token set expires_at = null`,
      'delete from access_token',
      'delete from effect',
      `update effect set state = 'done'`,
      'delete from security_refusal',
    ])
      await expect(as('gateway', statement), statement).rejects.toMatchObject(denied);
  });

  test('of an orchestrator neither makes nor reads tokens, secrets of webhooks and answers', async () => {
    for (const table of [
      'access_token',
      'webhook',
      'webhook_delivery',
      'idempotency_key',
      'security_refusal',
    ])
      await expect(as('orchestrator', `select * from ${table}`)).rejects.toMatchObject(denied);
    const insertion = `insert into access_token (id, hash, prefix, kind, name, note, grants, created_at, created_by)
      values ('1', '1', '', 'personal', 'eve', '', '[{"role": "admin"}]', now(), 'eve')`;
    await expect(as('orchestrator', insertion)).rejects.toMatchObject(denied);
  });

  test.each(['orchestrator', 'gateway'] as const)('%s enters no other database', async (role) => {
    for (const name of ['postgres', 'template1']) {
      const address = new URL(server.urls[role]);
      address.pathname = `/${name}`;
      await expect(query(address.href, 'select 1')).rejects.toMatchObject(denied);
    }
  });
});

test('every table has a right of a service or is known to need none', async () => {
  const rows = await query(
    server.url,
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r'
       and not has_table_privilege('${roleNames.orchestrator}', oid, 'insert, update')
       and not has_any_column_privilege('${roleNames.gateway}', oid, 'insert, update') order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual([
    'audit_head',
    'backup_state',
    'definition_lab',
    'device_file',
    'effect',
    'log_line',
    'schema_migration',
    'schema_migration_lock',
    'schema_reader',
    'stored_files',
    'usage',
  ]);
});

test('a data folder in which the superuser owns everything gets the roles, and keeps its records', async () => {
  const older = `
    drop owned by lab_gateway, lab_orchestrator;
    reassign owned by lab_owner to lab;
    drop owned by lab_owner;
    grant all on database lab to public;
    drop role lab_gateway, lab_orchestrator, lab_owner;`;
  await query(server.url, older);
  await query(server.url, entry('older'));
  await server.stop();
  const secrets = join(root, 'secrets');
  for (const name of await readdir(secrets)) if (name !== 'postgres-password') await rm(join(secrets, name));

  server = await start();
  expect(await bringUpToDate(server.urls.owner)).toBe(true);
  expect(await bringUpToDate(server.urls.owner)).toBe(false);
  const engine = await openStore({ url: server.urls.orchestrator });
  await engine.close();
  expect(await as('gateway', `select by from audit where id = 'older'`)).toEqual([{ by: 'ada' }]);
  expect(await as('gateway', rightsToChange)).toEqual([{ update: false, delete: false }]);
  const owners = await query(
    server.url,
    `select distinct relowner::regrole::text as owner from pg_class
     where relnamespace = 'public'::regnamespace
     union select proowner::regrole::text from pg_proc where pronamespace = 'public'::regnamespace`,
  );
  expect(owners).toEqual([{ owner: roleNames.owner }]);
});

test('a service says what to do when its role may not bring the tables up to date', async () => {
  await query(server.url, 'create database another');
  const address = new URL(server.urls.orchestrator);
  address.pathname = '/another';
  await expect(openStore({ url: address.href })).rejects.toMatchObject({
    code: 'wrong_state',
    message: expect.stringMatching(
      /the role "lab_orchestrator" may not change them: run "svc database migrate" .* SVC_DATABASE_OWNER_URL/,
    ) as string,
  });
});

test('the SQL for a database of your own can be repeated, and the rights follow with the tables', async () => {
  await query(server.url, rolesScript);
  expect(await bringUpToDate(server.urls.owner)).toBe(true);
  expect(await as('gateway', rightsToChange)).toEqual([{ update: false, delete: false }]);
  await as('gateway', entry('after'));
  await query(server.url, 'alter role lab_gateway superuser');
  await expect(query(server.url, rolesScript)).rejects.toThrow(/lab_gateway is a superuser/);
  await query(server.url, 'alter role lab_gateway nosuperuser');
});
