import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres, type RunningPostgres } from '../../src/embedded/index.js';
import { openEventLog, openStore } from '../../src/index.js';
import { openDatabase } from '../../src/connection/index.js';
import { sql } from 'kysely';

let root: string;
let server: RunningPostgres;

const openssl = (...args: string[]): string => execFileSync('openssl', args, { cwd: root, encoding: 'utf8' });

/** Makes `<name>.pem` and `<name>.key` of an authority. */
function authority(name: string): void {
  const key = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    `${name}.key`,
  ];
  openssl('req', '-x509', ...key, '-out', `${name}.pem`, '-days', '2', '-subj', `/CN=${name}`);
}

/** Makes the certificate of a server for a name, signed by an authority. */
function certificate(name: string, by: string, altNames: string): void {
  const key = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    `${name}.key`,
  ];
  openssl('req', '-new', ...key, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
  writeFileSync(join(root, 'names'), `subjectAltName=${altNames}\n`);
  const signer = ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial'];
  openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    ...signer,
    '-out',
    `${name}.pem`,
    '-days',
    '2',
    '-extfile',
    'names',
  );
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lab-tls-'));
  authority('lab');
  authority('stranger');
  certificate('here', 'lab', 'IP:127.0.0.1,DNS:localhost');
  certificate('elsewhere', 'lab', 'DNS:database.example.org');
  server = await start();
}, 60_000);
afterAll(async () => {
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

const start = (): Promise<RunningPostgres> =>
  startPostgres({ dataDir: join(root, 'postgres'), durable: false });

/** Lets the server show a certificate from now on; undefined: it does not encrypt. */
async function show(name: string | undefined): Promise<void> {
  const client = new pg.Client(server.url);
  await client.connect();
  if (name !== undefined) {
    for (const suffix of ['pem', 'key']) {
      const target = join(root, 'postgres', `server.${suffix}`);
      writeFileSync(target, execFileSync('cat', [join(root, `${name}.${suffix}`)]));
      chmodSync(target, 0o600);
    }
    await client.query(`alter system set ssl_cert_file = 'server.pem'`);
    await client.query(`alter system set ssl_key_file = 'server.key'`);
  }
  await client.query(`alter system set ssl = ${name === undefined ? 'off' : 'on'}`);
  await client.end();
  await server.stop();
  server = await start();
}

const address = (authorityName: string, host = '127.0.0.1'): string => {
  const url = new URL(server.urls.owner);
  url.hostname = host;
  url.searchParams.set('sslmode', 'verify-full');
  url.searchParams.set('sslrootcert', join(root, `${authorityName}.pem`));
  return url.href;
};

test.each(['127.0.0.1', 'localhost'])(
  'encrypts every connection to %s with sslmode=verify-full',
  async (host) => {
    await show('here');
    const url = address('lab', host);
    const store = await openStore({ url });
    const events = openEventLog({ url });
    events.listen(() => undefined);
    expect(await events.extent()).toEqual({ latest: 0, pruned: 0 });
    const { db } = openDatabase({ url }, 'lab-test');
    const { rows } = await sql<{ ssl: boolean; sessions: number }>`
    select ssl, count(*) as sessions from pg_stat_ssl join pg_stat_activity using (pid)
    where usename = current_user group by ssl`.execute(db);
    expect(rows).toEqual([{ ssl: true, sessions: expect.any(Number) as number }]);
    await Promise.all([db.destroy(), events.close(), store.close()]);
  },
);

const distrust = {
  code: 'store_unavailable',
  message: expect.stringMatching(
    /no certificate that sslrootcert and the name in the address vouch for/,
  ) as string,
};

test('refuses a certificate of another authority', async () => {
  await show('here');
  await expect(openStore({ url: address('stranger') })).rejects.toMatchObject(distrust);
});

test('refuses a certificate for another name', async () => {
  await show('elsewhere');
  await expect(openStore({ url: address('lab') })).rejects.toMatchObject(distrust);
  await expect(openStore({ url: address('lab', 'localhost') })).rejects.toMatchObject(distrust);
});

test('refuses a server that does not encrypt, and sends it no password', async () => {
  await show(undefined);
  await expect(openStore({ url: address('lab') })).rejects.toMatchObject(distrust);
});
