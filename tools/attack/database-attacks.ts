import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Stack } from '@lab/testkit';
import type { Attack } from './attacks.js';

const adminToken = `insert into access_token (id, hash, prefix, kind, name, note, grants, created_at, created_by)
  values ('stolen', 'stolen', '', 'personal', 'eve', '', '[{"role": "admin"}]', now(), 'eve')`;

const forgedHash = `create or replace function audit_hash(entry audit) returns text language sql immutable
  as $$ select '' $$`;

/** What the role of no service may do. */
const forEvery: [string, string][] = [
  ['run a program on the computer of the database', `copy (select 1) to program 'cat > /dev/null'`],
  ['read a file of the computer of the database', `select pg_read_file('/etc/hostname')`],
  [
    'change an entry of the audit',
    `alter table audit disable rule audit_is_not_changed; update audit set by = 'eve'`,
  ],
  ['remove an entry of the audit', 'alter table audit disable rule audit_is_not_deleted; delete from audit'],
  ['empty the audit', 'truncate audit'],
  ['switch the chain of the audit off', 'alter table audit disable trigger audit_chain'],
  ['change the head of the audit', `update audit_head set hash = 'forged'`],
  ['change how the audit is checked', forgedHash],
  ['become a superuser', 'alter role current_user superuser'],
  ['make a role', `create role thief superuser login password 'thief'`],
];

/** More that one service may not do. */
const more: Record<string, [string, string][]> = {
  orchestrator: [
    ['make a token of an admin', adminToken],
    ['read the hashes of tokens', 'select hash from access_token'],
    ['read the secrets of webhooks', 'select secret from webhook'],
  ],
  gateway: [
    ['give a token more rights', `update access_token set grants = '[{"role": "admin"}]'`],
    ['release an emergency stop', 'update emergency_stop set released_at = now()'],
    ['complete a task', `update task_run set state = 'completed'`],
    ['take the leadership', 'update leadership set epoch = epoch + 1'],
    ['change a recorded call', `update effect set person = 'nobody'`],
    ['empty the security log', 'delete from security_refusal'],
  ],
};

/** Attacks on the database with each address that a service has. */
export function databaseAttacksOf(stack: Stack): Attack[] {
  const secret = (name: string): string => join(stack.dataDir, 'secrets', name);
  const services = ['orchestrator', 'gateway'];
  return [
    ...services.flatMap((service) =>
      [...forEvery, ...(more[service] ?? [])].map(([what, statement]) => ({
        name: `D1 ${what} with the address of the ${service}`,
        attempt: () => achieved(readFileSync(secret(`database-${service}-url`), 'utf8').trim(), statement),
      })),
    ),
    {
      name: 'D1 find the address of a superuser among those of services',
      attempt: async () => {
        const names = [
          'database-url',
          'database-owner-url',
          ...services.map((name) => `database-${name}-url`),
        ];
        for (const name of names.filter((each) => existsSync(secret(each)))) {
          const [role] = await rowsOf(
            readFileSync(secret(name), 'utf8').trim(),
            'select rolsuper from pg_roles where rolname = current_user',
          );
          if (role?.['rolsuper'] !== false) return `${name} is that of a superuser`;
        }
        return undefined;
      },
    },
  ];
}

/** Whether the database carries a statement out, which is then taken back. */
async function achieved(url: string, statement: string): Promise<string | undefined> {
  try {
    await rowsOf(url, `begin; ${statement}; rollback`);
    return 'the database did it';
  } catch (error) {
    if (error instanceof pg.DatabaseError) return undefined;
    throw error;
  }
}

async function rowsOf(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
