import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CampaignSubmission } from '@lab/contracts';
import { freePort, startNats, stopProgram, type NatsFixture } from '@lab/testkit';
import { testPostgres, type TestPostgres } from '@lab/testkit/testing';
import { Api, eventually, isOver } from '../../e2e/api.js';
import { layOut } from '../../tools/image/layout.js';
import { labPackages } from '../../tools/shared/paths.js';
import { imageUser, isRoot, own, runImage, type Mounts } from './box.js';
import { entryOf } from './dockerfile.js';

/**
 * The images run from the folders that the Dockerfile copies: each with Node, its own files and nothing else, as the user of
 * the image, on a root file system that cannot be written. Broker and database are real. No container engine is needed.
 */

const names = ['gateway', 'orchestrator', 'optimizer', 'agent', 'cli'];
let folder: string;
let nats: NatsFixture;
let postgres: TestPostgres;
let databaseUrl: string;
let api: Api;
let token: string;
let common: Record<string, string>;
const processes: ChildProcess[] = [];
const printed: string[] = [];

const layout = (name: string): string => join(folder, 'images', name);
const data = (name: string): string => join(folder, 'data', name);

/** Runs the entry point of an image with more arguments, and waits for its end. @returns what it printed */
async function svc(mounts: Mounts, env: Record<string, string>, ...args: string[]): Promise<string> {
  const child = runImage(layout('cli'), [...entryOf('cli'), ...args], env, mounts);
  let out = '';
  let err = '';
  child.stdout?.on('data', (text: Buffer) => (out += text.toString()));
  child.stderr?.on('data', (text: Buffer) => (err += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}:\n${out}${err}`);
  return out;
}

/** Starts the entry point of an image. Its secrets are those that `svc keys hand-out` wrote for it. */
function start(name: string, env: Record<string, string> = {}): ChildProcess {
  const secrets = join(folder, 'out', name);
  const variables = Object.fromEntries(
    readdirSync(secrets).map((file) => [
      file === 'ca.pem' ? 'SVC_TLS_CA_FILE' : `SVC_${file.toUpperCase().replaceAll('-', '_')}_FILE`,
      `/run/secrets/${file}`,
    ]),
  );
  const child = runImage(
    layout(name),
    entryOf(name),
    { ...common, ...variables, SVC_DATA_DIR: '/var/lib/svc', ...env },
    { data: data(name), secrets, ...(name === 'orchestrator' ? { packages: labPackages } : {}) },
  );
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => printed.push(`${name}: ${text.toString().trim()}`));
  processes.push(child);
  return child;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-images-'));
  for (const name of names) layOut(name, layout(name));
  // Without root, this user runs them.
  if (isRoot) chmodSync(folder, 0o711);
  const keys = { data: data('cli') };
  const out = join(folder, 'data', 'cli', 'out');
  const inside = { SVC_DATA_DIR: '/var/lib/svc' };
  await svc(keys, inside, 'broker', 'certificate', '127.0.0.1', '--out', '/var/lib/svc/out/broker');
  await svc(keys, inside, 'keys', 'hand-out', '/var/lib/svc/out');
  const broker = join(out, 'broker');
  const settings = await svc(
    ...[keys, inside, 'broker', 'config', '--listen', '127.0.0.1:4222'],
    ...['--accounts', join(folder, 'accounts'), '--tls', broker],
  );
  cpSync(out, join(folder, 'out'), { recursive: true });
  writeFileSync(join(folder, 'nats.conf'), settings);
  [nats, postgres] = await Promise.all([
    startNats({ args: ['-c', join(folder, 'nats.conf')] }),
    testPostgres(),
  ]);
  ({ url: databaseUrl } = await postgres.freshDatabase());
  for (const name of ['gateway', 'orchestrator'])
    writeFileSync(join(folder, 'out', name, 'database-url'), databaseUrl);
  own(join(folder, 'out'));
  const port = String(await freePort());
  common = {
    SVC_NATS_URL: nats.url.replace('nats:', 'tls:'),
    SVC_HTTP_PORT: port,
    SVC_PUBLIC_URL: `http://127.0.0.1:${port}`,
    SVC_LABS: 'color_lab',
  };
  const database = { ...inside, SVC_DATABASE_URL: databaseUrl };
  expect(await svc(keys, database, 'database', 'migrate')).toContain('up to date');
  token = (await svc(keys, database, 'token', 'create', 'root', '--role', 'admin', '--local')).trim();
  api = new Api(common['SVC_PUBLIC_URL'] ?? '', token);
}, 120_000);

afterEach(({ task }) => {
  if (task.result?.state === 'fail') process.stderr.write(`${printed.slice(-40).join('\n')}\n`);
});

afterAll(async () => {
  await Promise.all(processes.reverse().map((child) => stopProgram(child, 'SIGTERM', 30_000)));
  await Promise.all([nats?.stop(), postgres?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

describe('the images', () => {
  it('serve up to /health/ready, each from its own folder', async () => {
    start('orchestrator', { SVC_USER_DIR: '/srv/lab-packages' });
    start('gateway', { SVC_AUTH: 'tokens' });
    start('agent');
    start('optimizer');
    const health = async (): Promise<{ code: number; status?: string }> => {
      const answer = await fetch(`${api.url}/health/ready`).catch(() => undefined);
      return { code: answer?.status ?? 0, ...((await answer?.json()) as object) };
    };
    const ready = await eventually(health, ({ status }) => status === 'ok', 120_000);
    expect(ready).toMatchObject({ code: 200, parts: { agents: { status: 'ok' } } });
  });

  it('see nothing of this computer but what the container would have, and run as its user', () => {
    for (const child of isRoot ? processes : []) {
      const { uid } = statSync(`/proc/${child.pid}`);
      const files = readdirSync(`/proc/${child.pid}/root`).sort().join(' ');
      expect([uid, files]).toEqual([
        imageUser,
        expect.stringMatching(/^dev etc lib( lib64)? opt proc run( srv)? tmp usr var$/),
      ]);
      expect(readdirSync(`/proc/${child.pid}/root/usr/local/bin`)).toEqual(['node']);
    }
  });

  it('start the process that solves with CP-SAT', async () => {
    const program = '/opt/svc/apps/orchestrator/dist/solver/cp-sat-process.js';
    const mounts = { data: data('solver') };
    const solver = runImage(layout('orchestrator'), [program], {}, mounts, {
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    const said = await Promise.race([once(solver, 'message'), once(solver, 'exit')]);
    // It ends with its parent only.
    solver.kill('SIGKILL');
    expect(said[0]).toEqual({ type: 'ready' });
  }, 60_000);

  it('do the work of a lab: code is bundled, fetched by hash and run, an optimizer proposes, and files arrive', async () => {
    const example = JSON.parse(
      readFileSync(join(labPackages, 'color_lab', 'examples', 'optimize.json'), 'utf8'),
    ) as CampaignSubmission;
    const campaign = { ...example, max_protocol_runs: 2 };
    expect((await api.submit('campaigns', campaign)).status).toBe(201);
    const ended = await eventually(() => api.campaign(example.name), isOver, 120_000);
    expect([ended.state, ended.reason, ended.protocol_runs.length]).toEqual(['completed', null, 2]);
  });
});
