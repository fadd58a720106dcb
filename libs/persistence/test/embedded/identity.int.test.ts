import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startPostgres } from '../../src/embedded/index.js';

/** As root, these tests try every way to start the server. As another user, all ways are the plain start. */
const root = process.getuid?.() === 0;
const path = process.env['PATH'];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-pg-'));
});

afterEach(async () => {
  process.env['PATH'] = path;
  await rm(folder, { recursive: true, force: true });
});

async function answer(text: string): Promise<unknown> {
  const server = await startPostgres({ dataDir: join(folder, 'data'), durable: false });
  try {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      return (await client.query<{ answer: unknown }>(text)).rows[0]?.answer;
    } finally {
      await client.end();
    }
  } finally {
    await server.stop();
  }
}

/**
 * Whether other users may run the binaries of the server. They may not when the repository lies in a private folder.
 */
async function othersReachBinaries(): Promise<boolean> {
  for (let at = import.meta.dirname; at !== dirname(at); at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
  }
  return true;
}

const withoutNamespaces = (): void => {
  process.env['PATH'] = folder;
};

test('the server starts for any user from a folder that only its owner can enter', async () => {
  await chmod(folder, 0o700);
  expect(await answer('select 1 as answer')).toBe(1);
});

test('the data stay with the server when its user changes', async () => {
  await chmod(folder, 0o755);
  withoutNamespaces();
  if (root && !(await othersReachBinaries())) {
    await expect(answer('select 1 as answer')).rejects.toThrow(/^PostgreSQL refuses to run as root/);
    return;
  }
  expect(await answer('create table kept as select 42 as answer')).toBeUndefined();
  process.env['PATH'] = path;
  expect(await answer('select answer from kept')).toBe(42);
  withoutNamespaces();
  expect(await answer('select answer from kept')).toBe(42);
});

test('root gets one sentence when no other user can run the server', async () => {
  await chmod(folder, 0o700);
  withoutNamespaces();
  if (root)
    await expect(answer('select 1 as answer')).rejects.toThrow(
      /^PostgreSQL refuses to run as root, .*ordinary user.*\.$/,
    );
  else expect(await answer('select 1 as answer')).toBe(1);
});
