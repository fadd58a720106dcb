import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** The code of the schema and of the rights. */
const folders = ['../schema/', '../schema/migrations/', '../roles/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/**
 * Brings the tables of the service and the rights of its roles up to date. When this code has done so before, it takes one
 * query, and the code is not even loaded.
 *
 * @param url address of the database with the role that owns it
 * @returns whether it did something
 * @throws ServiceError `wrong_state` as of the migrations, or the error of the database
 */
export async function bringUpToDate(url: string): Promise<boolean> {
  const mark = await markOfCode();
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ mark: string | null }>(
      `select obj_description(to_regclass('schema_migration'), 'pg_class') as mark`,
    );
    if (rows[0]?.mark === mark) return false;
    const { migrateAt } = await import('./migrate-at.js');
    await migrateAt(url);
    await client.query(`comment on table schema_migration is '${mark}'`);
    return true;
  } finally {
    await client.end();
  }
}

/** A hash of the files of the code. */
async function markOfCode(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const names = (await readdir(folder)).filter((name) => /\.[jt]s$/.test(name) && !name.endsWith('.d.ts'));
    for (const name of names.sort()) hash.update(name).update(await readFile(`${folder}${name}`));
  }
  return hash.digest('hex');
}
