import { randomBytes } from 'node:crypto';
import { createDatabase, dropDatabase } from '@lab/persistence/embedded';
import { freePort } from '@lab/testkit';
import { asRole, testPostgres, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { svcHere } from '../in-process.js';

let postgres: TestPostgres;
let name: string;
/** Address of an empty database, with a superuser. */
let url: string;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  name = `test_${randomBytes(6).toString('hex')}`;
  url = await createDatabase(postgres.url, name);
});
afterEach(() => dropDatabase(postgres.url, name));

/** Runs SQL as `psql` would. */
async function query(text: string, address = url): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

const migrate = (env: Record<string, string>) => svcHere(['database', 'migrate'], { env });

describe('svc database', () => {
  it('prints SQL that makes the roles, with which the owner makes the tables and others cannot', async () => {
    const { code, out, err } = await svcHere(['database', 'roles']);
    expect([code, err]).toEqual([0, '']);
    await query(out);
    const owner = asRole(url, 'owner');
    expect(await migrate({ SVC_DATABASE_OWNER_URL: owner })).toEqual({
      ...{ code: 0, out: 'the tables are up to date now\n', err: '' },
    });
    const gateway = asRole(url, 'gateway');
    expect((await query('select count(*) from audit', gateway)).rowCount).toBe(1);
    await expect(query('delete from schema_migration', gateway)).rejects.toThrow('permission denied');
  });

  it('does nothing to tables that are up to date, with either address of the database', async () => {
    await migrate({ SVC_DATABASE_URL: url });
    for (const variable of ['SVC_DATABASE_URL', 'SVC_DATABASE_OWNER_URL'])
      expect(await migrate({ [variable]: url })).toEqual({
        ...{ code: 0, out: 'the tables were up to date\n', err: '' },
      });
  });

  it('says why it cannot reach the database, with the exit code 1', async () => {
    const nobody = new URL(url);
    nobody.port = String(await freePort());
    const { code, out, err } = await migrate({ SVC_DATABASE_URL: nobody.href });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(nobody.port);
    expect(err).not.toContain(nobody.password || 'password=');
    const wrong = await migrate({ SVC_DATABASE_URL: 'mysql://here' });
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('SVC_DATABASE_URL')]);
  });
});
