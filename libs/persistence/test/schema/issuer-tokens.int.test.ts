import { testPostgres, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../src/index.js';

let postgres: TestPostgres;
let admin: pg.Client;

beforeAll(async () => {
  postgres = await testPostgres();
  admin = new pg.Client(postgres.url);
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await postgres.stop();
});

/** Takes the migration and those after it back, as in a database of the version before. */
const before = `
  drop table security_refusal, issuer_person;
  drop function refusals_prune(interval, bigint);
  drop index access_token_of_person;
  alter table access_token drop column issuer cascade, drop column subject cascade,
    drop column made_from, drop column pipeline, drop column exchanged;
  comment on function commit_changes(bigint, uuid, jsonb) is null;
  delete from schema_migration where name in ('0008_security', '0009_attention_process', '0010_rollouts',
    '0011_sessions', '0012_plans', '0013_attention_claim', '0014_packages', '0015_deletions',
    '0016_backup_state', '0017_schema_reader', '0018_task_devices', '0019_usage', '0020_pipeline_tokens',
    '0021_task_order', '0022_runtimes', '0023_device_files', '0024_trial_durations',
    '0025_loose_file_deletions');
  alter table trial drop column durations;
  alter table attempt drop column runtime;
  alter table effect drop column runtime;
  drop function count_device_files() cascade;
  drop function device_file_store(text, double precision, jsonb), device_file_remove(text),
    device_file_delete(text, text, text, interval),
    device_file_keep(text), device_files_delete_old(integer, interval, integer), device_files_begin_deletion(integer),
    device_file_removed(text), lab_is_held(text), count_device_file(device_file, integer),
    device_file_attach(text, text, text, text, text, text), attempt_of_file(text, text, text, jsonb, timestamptz),
    tell_of_device_file(device_file, text);
  drop table device_file;
  drop table task_device;
  drop function task_device_keep() cascade;
  drop function device_of(jsonb);
  drop index task_run_by_name;
  drop table stored_files, usage, definition_lab;
  drop function note_labs(), count_task_runs(), count_files(), note_files() cascade;
  drop function labs_of_task(text, text, jsonb, jsonb);
  drop table backup_state, schema_reader;
  drop function sweep_deletion(text, integer);
  drop table deletion_files, deletion, legal_hold;
  drop index attention_of_task, attention_of_attempt;
  drop table package_version, package_piece, active_package;
  alter table attention drop column claim;
  drop index task_run_span;
  alter table task_run drop column first_plan, drop column last_plan;
  drop table rollout;`;

const token = (id: string, kind: string, name: string, by: string): string =>
  `insert into access_token (id, hash, prefix, kind, name, note, grants, created_at, created_by)
   values ('${id}', '${id}', '', '${kind}', '${name}', '', '[]', now(), '${by}');`;

test('tokens that may belong to a person of an issuer end with the upgrade, and others go on', async () => {
  await admin.query(before);
  await admin.query(
    token('of_issuer', 'personal', 'sue', 'sue') +
      token('for_sue', 'personal', 'sue', 'root') +
      token('own_of_admin', 'personal', 'root', 'root') +
      token('service', 'service', 'dashboard', 'root') +
      token('looks_like_issuer', 'service', 'sue@https://login.example.org', 'root') +
      `insert into audit (id, at, by, kind, action, subject, detail)
       values ('a', now(), 'sue', 'oidc', 'POST /api/tokens', '/api/tokens', '{"status": 201}'),
              ('b', now(), 'root', 'token', 'POST /api/tokens', '/api/tokens', '{"status": 201}')`,
  );
  await (await openStore({ url: postgres.url })).close();
  const { rows } = await admin.query(
    'select id, revoked_by, issuer, subject from access_token order by revoked_by, id',
  );
  const here = { issuer: null, subject: null };
  expect(rows).toEqual([
    { id: 'looks_like_issuer', revoked_by: 'upgrade of the service', ...here },
    { id: 'of_issuer', revoked_by: 'upgrade of the service', ...here },
    { id: 'for_sue', revoked_by: null, ...here },
    { id: 'own_of_admin', revoked_by: null, ...here },
    { id: 'service', revoked_by: null, ...here },
  ]);
});
