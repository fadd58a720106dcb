import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile, mkdir, readdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startPostgres, type RunningPostgres } from '../../src/embedded/index.js';

let root: string;
let dataDir: string;
const started: RunningPostgres[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lab-pg-'));
  dataDir = join(root, 'postgres');
});

afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
  await rm(root, { recursive: true, force: true });
});

async function start(options: Partial<Parameters<typeof startPostgres>[0]> = {}): Promise<RunningPostgres> {
  const server = await startPostgres({ dataDir, durable: false, ...options });
  started.push(server);
  return server;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the embedded server', () => {
  test('listens only on 127.0.0.1, keeps UTF-8 and UTC, and requires the password', async () => {
    const server = await start();
    const [row] = await query(
      server.url,
      `select current_setting('listen_addresses') as listen, current_setting('server_encoding') as encoding,
              current_setting('timezone') as zone, current_setting('unix_socket_directories') as sockets,
              (select datlocprovider::text || ':' || datlocale from pg_database where datname = current_database()) as locale`,
    );
    expect(row).toEqual({
      listen: '127.0.0.1',
      encoding: 'UTF8',
      zone: 'UTC',
      sockets: '',
      locale: 'b:C.UTF-8',
    });
    const wrong = new URL(server.url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  });

  test('is durable unless a test says otherwise', async () => {
    const server = await start({ durable: true });
    const [row] = await query(
      server.url,
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as sync, current_setting('full_page_writes') as pages`,
    );
    expect(row).toEqual({ fsync: 'on', sync: 'on', pages: 'on' });
  });

  test('hides data folder and password from other users', async () => {
    const server = await start();
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    const file = join(root, 'secrets', 'postgres-password');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const password = (await readFile(file, 'utf8')).trim();
    expect(password.length).toBeGreaterThanOrEqual(32);
    expect(new URL(server.url).password).toBe(password);
    const commandLine = await readFile(`/proc/${server.pid}/cmdline`, 'utf8');
    expect(commandLine).not.toContain(password);
    expect(commandLine.split('\0')[0]).toMatch(/postgres$/);
  });

  test('keeps its data over a stop and a restart', async () => {
    const first = await start();
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    expect(alive(first.pid)).toBe(false);
    const second = await start();
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  test('stops within its deadline while sessions are open', async () => {
    const server = await start();
    const client = new pg.Client({ connectionString: server.url });
    const told: unknown[] = [];
    client.on('error', (error) => told.push(error));
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
    await client.connect();
    await server.stop();
    await ended;
    expect(told).not.toEqual([]);
    expect(alive(server.pid)).toBe(false);
    await server.stop();
  });

  test('restarts at once after SIGKILL with all committed data', async () => {
    const first = await start({ durable: true });
    await query(first.url, 'create table kept as select 42 as answer');
    await first.kill();
    const second = await start({ durable: true });
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  test('takes over from a server that a killed stack left behind', async () => {
    const orphan = await start();
    await query(orphan.url, 'create table kept as select 42 as answer');
    const lines: string[] = [];
    const server = await start({ log: (line) => lines.push(line) });
    expect(lines.some((line) => line.includes(`process ${orphan.pid}`))).toBe(true);
    expect(alive(orphan.pid)).toBe(false);
    expect(await query(server.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  test('does not touch another process whose number is in a stale file', async () => {
    const first = await start();
    await first.kill();
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    try {
      const file = join(dataDir, 'postmaster.pid');
      const lines = (await readFile(file, 'utf8')).split('\n');
      await writeFile(file, [String(bystander.pid), ...lines.slice(1)].join('\n'));
      const started = start();
      await expect(started.then((server) => query(server.url, 'select 1 as one'))).resolves.toEqual([
        { one: 1 },
      ]);
      expect(bystander.exitCode).toBeNull();
    } finally {
      const gone = new Promise((resolve) => bystander.once('exit', resolve));
      bystander.kill('SIGKILL');
      await gone;
    }
  });

  test('sets a new password when the stored one is lost', async () => {
    const first = await start();
    await first.stop();
    await rm(join(root, 'secrets'), { recursive: true });
    const second = await start();
    expect(second.url.replace(/:\d+\//, '/')).not.toBe(first.url.replace(/:\d+\//, '/'));
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('refuses a password other than that of the database, and leaves nothing running', async () => {
    await (await start({ password: 'first-password' })).stop();
    await expect(start({ password: 'second-password' })).rejects.toThrow(/created with another password/);
    expect(running()).toBe(false);
  });

  test('reports a port in use, and leaves nothing running', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = holder.address() as AddressInfo;
      await expect(start({ port })).rejects.toThrow(
        /PostgreSQL did not start: could not create any TCP\/IP sockets/,
      );
      expect(running()).toBe(false);
    } finally {
      await new Promise((resolve) => holder.close(resolve));
    }
  });

  test('refuses a folder with foreign files', async () => {
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'thesis.txt'), 'do not touch');
    await expect(start()).rejects.toThrow(/neither empty nor a PostgreSQL data folder/);
    expect(await readdir(dataDir)).toEqual(['thesis.txt']);
  });

  test('starts again when the creation of the database was interrupted', async () => {
    await mkdir(join(`${dataDir}.unfinished`, 'data', 'base'), { recursive: true });
    const server = await start();
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await readdir(root)).not.toContain('postgres.unfinished');
  });
});

function running(): boolean {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(dataDir);
}
