import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openFileStore, taskFileKey, type ObjectStore } from '@lab/object-store';
import { bringUpToDate, noteBackup } from '@lab/persistence/administration';
import { startPostgres, type RunningPostgres } from '@lab/persistence/embedded';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  listLines,
  makeKey,
  restoreBackup,
  runBackup,
  Vault,
  verifyBackup,
  type Restored,
} from '../src/index.js';

const log = { info: () => undefined, warn: () => undefined, error: (): void => undefined };
const openFolder = (folder: string): Promise<ObjectStore> =>
  openFileStore({ folder, publicUrl: 'http://127.0.0.1', secret: 'of-no-use-in-this-test' });
const openFiles = (dataDir: string): Promise<ObjectStore> => openFolder(join(dataDir, 'files'));
const dayMs = 86_400_000;

/** The files that the records name: one is there, the other was lost before. */
const fileKey = taskFileKey('t1', 1, 'result.txt');
const missing = [taskFileKey('t1', 1, 'lost.txt')];

let root = '';
let dataDir = '';
let server: RunningPostgres;
let client: pg.Client;
let key: { secret: string; recipient: string };

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-backup-'));
  dataDir = join(root, 'data');
  await mkdir(join(dataDir, 'run'), { recursive: true });
  // Durable: only then is a commit on the disk when it is acknowledged.
  server = await startPostgres({ dataDir: join(dataDir, 'postgres'), backup: true });
  await bringUpToDate(server.urls.owner);
  client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query('create table note (n int, text text)');
  await client.query(taskWithFiles('t1', ['result.txt', 'lost.txt']));
  await (await openFiles(dataDir)).put(fileKey, toStream('42'));
  key = await makeKey();
});
afterAll(async () => {
  await client.end();
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

interface Running {
  vault: Vault;
  place: string;
  /** What it logged. */
  said: string[];
  end(): Promise<void>;
}

/** Copies the running service into a folder of the test, which is made unless `place` is given. */
async function backUp(
  options: { place?: string; everyMs?: number; keepMs?: number; recipient?: string } = {},
): Promise<Running> {
  const place = options.place ?? (await mkdtemp(join(root, 'vault-')));
  const said: string[] = [];
  const end = new AbortController();
  const say = (text: string, fields?: { error?: Error }): void =>
    void said.push(`${text} ${fields?.error?.message ?? ''}`);
  const running = runBackup(
    {
      ...{ place, recipient: options.recipient ?? key.recipient, dataDir, databaseUrl: server.url },
      openVault: async () => new Vault(await openFolder(place)),
      lineFile: join(dataDir, 'run', 'backup-line'),
      files: await openFiles(dataDir),
      everyMs: options.everyMs ?? dayMs,
      keepMs: options.keepMs ?? dayMs,
      log: { info: say, warn: say, error: say },
      lookEveryMs: 50,
      report: (state) => noteBackup(server.url, state),
    },
    end.signal,
  );
  const vault = new Vault(await openFolder(place));
  return {
    ...{ vault, place, said },
    async end() {
      end.abort();
      await running;
    },
  };
}

/** Waits until everything that was committed so far can be restored. */
async function reaches(vault: Vault, moment = Date.now()): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const last = (await listLines(vault)).at(-1);
    if (last !== undefined && Date.parse(last.to) > moment) return;
    await delay(50);
  }
  throw new Error('the backup does not come up');
}

/** The rows of the table of the test in a restored data folder. */
async function notesIn(folder: string): Promise<number[]> {
  const restored = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false });
  const reader = new pg.Client({ connectionString: restored.url });
  try {
    await reader.connect();
    const { rows } = await reader.query<{ n: number }>('select n from note order by n');
    return rows.map(({ n }) => n);
  } finally {
    await reader.end();
    await restored.stop();
  }
}

async function restore(vault: Vault, to?: Date): Promise<{ folder: string; restored: Restored }> {
  const folder = join(await mkdtemp(join(root, 'restored-')), 'data');
  const restored = await restoreBackup({
    ...{ vault, secret: key.secret, dataDir: folder, to, openFiles, say: log.error },
  });
  return { folder, restored };
}

describe('a backup', () => {
  it('restores each moment, with the files and keys of the service', async () => {
    await mkdir(join(dataDir, 'code', 'bundles'), { recursive: true });
    await writeFile(join(dataDir, 'code', 'bundles', 'device.js'), 'export {};');
    await mkdir(join(dataDir, 'agents', 'bench'), { recursive: true });
    await writeFile(join(dataDir, 'agents', 'bench', 'ledger'), 'moved');
    const { vault, end } = await backUp();
    await reaches(vault);

    const moments: Date[] = [];
    for (let n = 1; n <= 3; n += 1) {
      await client.query(`insert into note select $1, repeat('x', 3000000)`, [n]);
      await delay(20);
      moments.push(new Date());
      await delay(20);
    }
    await client.query('delete from note');
    await reaches(vault);
    await end();

    const second = await restore(vault, moments[1]);
    expect(await notesIn(second.folder)).toEqual([1, 2]);
    expect(second.restored).toMatchObject({
      ...{ moment: moments[1]?.toISOString(), taskRuns: 1, missing },
    });
    const content = await (await openFiles(second.folder)).get(fileKey);
    expect(await textOf(content)).toBe('42');
    const same = ['code/bundles/device.js', 'secrets/postgres-password', 'secrets/postgres-gateway-password'];
    for (const path of same)
      expect(readFileSync(join(second.folder, path))).toEqual(readFileSync(join(dataDir, path)));
    expect(statSync(join(second.folder, 'secrets', 'postgres-password')).mode & 0o777).toBe(0o600);
    // The ledger of an agent says what its instruments did. An old one would deny it.
    expect(readdirSync(second.folder)).not.toContain('agents');
  });

  it('goes on in the same line after an interruption, and holds nothing in clear', async () => {
    const first = await backUp();
    await client.query(`insert into note values (10, 'the-marked-sample')`);
    await reaches(first.vault);
    await first.end();
    await client.query(`insert into note values (11, 'while no backup ran')`);
    const again = await backUp({ place: first.place });
    await client.query(`insert into note values (12, 'after')`);
    await reaches(again.vault);
    await again.end();
    const lines = await listLines(again.vault);
    expect(lines.map(({ copies }) => copies.length)).toEqual([1]);
    const { folder } = await restore(again.vault);
    expect(await notesIn(folder)).toEqual([10, 11, 12]);
    const stored = readdirSync(first.place, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(stored.length).toBeGreaterThan(4);
    for (const { parentPath, name } of stored) {
      const bytes = readFileSync(join(parentPath, name));
      expect(bytes.includes('the-marked-sample')).toBe(false);
      expect(join(parentPath, name)).not.toContain('result');
      expect(bytes.includes(readFileSync(join(dataDir, 'secrets', 'postgres-password'), 'utf8').trim())).toBe(
        false,
      );
    }
    await client.query('delete from note');
  });

  it('begins a new line when the server has removed a part of its log, and names the moments', async () => {
    const first = await backUp();
    await reaches(first.vault);
    await first.end();
    const reached = (await listLines(first.vault)).at(-1)?.to ?? '';
    await client.query(`insert into note values (20, '')`);
    await delay(20);
    const lost = new Date();
    const { rows } = await client.query<{ name: string }>(
      'select pg_walfile_name(pg_current_wal_lsn()) as name',
    );
    await client.query('select pg_switch_wal()');
    await client.query('checkpoint');
    await rm(join(dataDir, 'postgres', 'pg_wal', rows[0]?.name ?? ''));
    const again = await backUp({ place: first.place });
    await client.query(`insert into note values (22, '')`);
    await reaches(again.vault);
    await again.end();
    const lines = await listLines(again.vault);
    expect(lines).toHaveLength(2);
    expect(lines[0]?.to).toBe(reached);
    await expect(restore(again.vault, lost)).rejects.toThrow(
      `${lost.toISOString()} cannot be restored; this backup has ${lines[0]?.from} to ${reached}, ${lines[1]?.from} to`,
    );
    expect(await notesIn((await restore(again.vault)).folder)).toEqual([20, 22]);
    await client.query('delete from note');
  });

  it('keeps the copies that a moment within the time to keep needs, and no others', async () => {
    const { vault, end } = await backUp({ everyMs: 1, keepMs: 0 });
    await reaches(vault);
    for (let tries = 0; tries < 200 && (await listLines(vault)).at(-1)?.copies.length !== 2; tries += 1)
      await delay(20);
    await delay(1_000);
    await end();
    const [line, ...others] = await listLines(vault);
    expect(others).toEqual([]);
    expect(line?.copies.length).toBeLessThanOrEqual(2);
    const first = line?.copies[0]?.firstSegment ?? '';
    const log = (await vault.list('wal/')).map(({ key }) => key.split('/')[1] ?? '');
    expect(log.every((segment) => segment >= first)).toBe(true);
  });

  it('forgets a file that the service has deleted when no moment that can be restored has it', async () => {
    const files = await openFiles(dataDir);
    const doomed = taskFileKey('t2', 1, 'doomed.txt');
    await files.put(doomed, toStream('43'));
    const kept = await backUp({ everyMs: 1, keepMs: dayMs });
    await reaches(kept.vault);
    const { vault, place } = kept;
    const stored = async (): Promise<number> => (await vault.list('files/')).length;
    expect(await stored()).toBe(2);
    await files.delete(doomed);
    await delay(1_000);
    await kept.end();
    expect(await stored()).toBe(2);

    const pruning = await backUp({ place, everyMs: 1, keepMs: 0 });
    for (let tries = 0; tries < 400 && (await stored()) > 1; tries += 1) await delay(50);
    await pruning.end();
    expect(await stored()).toBe(1);
    expect((await restore(vault)).restored).toMatchObject({ taskRuns: 1, missing });
  });

  it('says why it waits: the folder is that of another service, or is empty although it was not', async () => {
    const foreign = await mkdtemp(join(root, 'vault-'));
    await new Vault(await openFolder(foreign)).note('owner.json', { system: '1' });
    const first = await backUp({ place: foreign });
    await expect.poll(() => first.said).not.toEqual([]);
    await first.end();
    expect(first.said).toEqual([
      `the backup waits ${foreign} has the backup of another service; choose another folder in backup.to.`,
    ]);

    const mine = await backUp();
    await reaches(mine.vault);
    await mine.end();
    await rm(mine.place, { recursive: true });
    const unmounted = await backUp({ place: mine.place });
    await expect.poll(() => unmounted.said).not.toEqual([]);
    await unmounted.end();
    expect(unmounted.said[0]).toMatch(/is empty, although the backup was there; is its disk mounted\?/);
    // The service reads why it waits, and up to when it came.
    const { rows } = await client.query<{ reached_at: Date | null; trouble: string | null }>(
      'select reached_at, trouble from backup_state',
    );
    expect(rows).toEqual([
      {
        reached_at: expect.any(Date) as Date,
        trouble: expect.stringContaining('is its disk mounted?') as string,
      },
    ]);
  });

  it('is refused with another key, when a byte was changed, and over a data folder with content', async () => {
    const { vault, place, end } = await backUp();
    await reaches(vault);
    await end();
    const options = { vault, to: undefined, say: log.error, dataDir: join(root, 'verified') };
    const other = await makeKey();
    await expect(verifyBackup({ ...options, secret: other.secret })).rejects.toThrow(
      /cannot be opened with this key, or is damaged/,
    );
    await expect(restoreBackup({ ...options, secret: key.secret, dataDir, openFiles })).rejects.toThrow(
      `${dataDir} is not empty; stop the service and move it aside`,
    );
    expect(await verifyBackup({ ...options, secret: key.secret })).toMatchObject({ taskRuns: 1, missing });

    const damaged = await mkdtemp(join(root, 'damaged-'));
    await cp(place, damaged, { recursive: true });
    const content = readdirSync(join(damaged, 'objects', 'copies.d'), {
      recursive: true,
      withFileTypes: true,
    }).find(({ name }) => name.startsWith('content'));
    const path = join(content?.parentPath ?? '', content?.name ?? '');
    const bytes = readFileSync(path);
    const middle = Math.floor(bytes.length / 2);
    bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
    writeFileSync(path, bytes);
    const changed = new Vault(await openFolder(damaged));
    await expect(verifyBackup({ ...options, vault: changed, secret: key.secret })).rejects.toThrow(
      /is damaged/,
    );
    expect(readdirSync(root)).not.toContain('verified');
  });
});

/** SQL that writes a completed task with these files. */
const taskWithFiles = (id: string, names: string[]): string => `
insert into definition (hash, kind, body) values ('h', 'task', '{}');
insert into task_run (id, name, type, owner, priority, state, definition_hash, devices, resources, input_parameters,
  input_files, output_files, attempt, failures, failure_policy, meta, created_at)
values ('${id}', '${id}', 'mix', 'ada', 0, 'completed', 'h', '{}', '{}', '{}', '{}',
  '${JSON.stringify(names.map((name) => ({ name, size: 2, sha256: 'f'.repeat(64) })))}', 1, 0, '{}', '{}', now());`;

function toStream(text: string): AsyncIterable<Uint8Array> {
  return (async function* () {
    yield await Promise.resolve(Buffer.from(text));
  })();
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
