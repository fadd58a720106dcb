import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditRecord, PackageVersions } from '@lab/contracts';
import { startServiceStack, type Stack } from '@lab/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Issuer } from '../tools/attack/issuer.js';
import { copyPackages } from './lab.js';
import { svc, type Said } from './svc.js';

/** A pipeline deploys with the signed token that its server gives the job, and with no secret. */

const lab = 'multiplication_lab';
const audience = 'https://lab.example.org';
const push = {
  sub: 'repo:our-org/our-labs:environment:lab',
  repository: 'our-org/our-labs',
  ref: 'refs/heads/main',
  event_name: 'push',
  sha: '9fceb02d0ae598e95dc970b74767f19372d61af8',
  run_id: '77',
};
let folder = '';
let stack: Stack;
let issuer: Issuer;
let github: Server;
let root = '';
let runs = 0;
/** Claims that the next job has beside those of a push. */
let job: object = {};

const signed = (): string => {
  runs += 1;
  return issuer.token({ ...push, aud: audience, jti: `run-${runs}`, ...job });
};
const file = (): string => join(folder, 'token');
const type = (env: Record<string, string>, ...args: string[]): Promise<Said> =>
  svc({ SVC_URL: stack.url, HOME: folder, ...env }, ...args);
/** Types the exchange in a job at GitHub. */
const exchange = (...flags: string[]): Promise<Said> => {
  const { port } = github.address() as AddressInfo;
  const env = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of the job',
  };
  return type(env, 'token', 'exchange', '--out', file(), '--audience', audience, ...flags);
};
async function ask<T>(path: string): Promise<T> {
  const answer = await fetch(stack.url + path, { headers: { authorization: `Bearer ${root}` } });
  return (await answer.json()) as T;
}

beforeAll(async () => {
  // Inside the repository, so that the check finds the types of Node.
  folder = await mkdtemp(join(import.meta.dirname, '.pipeline-'));
  issuer = await Issuer.start();
  // GitHub gives a signed token to whoever has the secret of the job.
  github = createServer((request, reply) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    const isRight =
      request.headers.authorization === 'Bearer of the job' &&
      url.searchParams.get('api-version') === '2.0' &&
      url.searchParams.get('audience') === audience;
    reply.writeHead(isRight ? 200 : 401).end(JSON.stringify({ value: signed() }));
  });
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
  for (const name of ['empty', 'work']) await mkdir(join(folder, name));
  await copyPackages(join(folder, 'work'));
  const compilerOptions = {
    ...{ target: 'ES2023', lib: ['ES2023'], module: 'NodeNext', strict: true, noEmit: true, types: ['node'] },
  };
  const settings = JSON.stringify({ compilerOptions, include: ['**/*.ts'] });
  await writeFile(join(folder, 'work', lab, 'tsconfig.json'), settings);
  const rules = [
    {
      claims: { repository: push.repository, ref: push.ref, event_name: 'push' },
      roles: [`deployer:${lab}`],
    },
    {
      claims: { repository: push.repository, event_name: 'pull_request' },
      roles: [`dry_runner:${lab}`],
    },
  ];
  const auth = { type: 'tokens', pipelines: [{ issuer: issuer.url, audience, rules }] };
  await writeFile(join(folder, 'config.yml'), JSON.stringify({ auth }));
  stack = await startServiceStack({
    userDir: join(folder, 'empty'),
    env: { SVC_CONFIG: join(folder, 'config.yml') },
  });
  const made = await svc(
    { SVC_DATA_DIR: stack.dataDir, HOME: folder },
    ...['token', 'create', 'root', '--role', 'admin', '--local'],
  );
  root = made.out.trim();
});
afterAll(async () => {
  await stack?.dispose();
  await issuer?.close();
  github?.closeAllConnections();
  await new Promise((resolve) => github?.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

it('deploys with a token of minutes, in a file that nobody else reads, and the audit names the run', async () => {
  await writeFile(file(), 'of an earlier job', { mode: 0o644 });
  const made = await exchange();
  expect([made.code, made.err]).toEqual([0, '']);
  expect(made.out).toBe(`${file()}: a token with deployer:${lab} for 15 minutes\n`);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  const token = (await readFile(file(), 'utf8')).trim();
  expect(token).toMatch(/^svc_svc_/);

  const package_ = join(folder, 'work', lab);
  const done = await type({ SVC_TOKEN_FILE: file() }, 'pkg', 'deploy', package_);
  expect([done.code, done.err]).toEqual([0, '']);
  const { activated_by: by } = await ask<PackageVersions>(`/api/packages/${lab}/versions`);
  expect(by).toBe(`our-org/our-labs@${issuer.url}`);
  const { items } = await ask<{ items: AuditRecord[] }>('/api/audit?limit=50');
  const acts = items.filter((each) => each.by === by);
  expect(acts.map(({ action }) => action)).toEqual(
    expect.arrayContaining([
      'POST /api/tokens/exchange',
      'PUT /api/packages/{package_name}/{sha256}',
      'POST /api/packages/{package_name}/activate',
    ]),
  );
  const origin = {
    ...{ issuer: issuer.url, subject: push.sub, repository: push.repository },
    ...{ ref: push.ref, commit: push.sha, run: push.run_id },
  };
  for (const { detail } of acts) expect(detail['pipeline']).toEqual(origin);
  expect(JSON.stringify(items)).not.toContain(token);

  const other = await type({ SVC_TOKEN_FILE: file() }, 'queue', 'pause');
  expect([other.code, other.err]).toEqual([3, expect.stringContaining('needs the role operator')]);
});

it('takes the signed token from the variable that GitLab fills, and each only once', async () => {
  const env = { SVC_ID_TOKEN: signed() };
  const [first, again] = [
    await type(env, 'token', 'exchange', '--out', file(), '--json'),
    await type(env, 'token', 'exchange', '--out', file()),
  ];
  expect(first.code).toBe(0);
  expect(JSON.parse(first.out)).toMatchObject({ expires_in: 900, grants: [{ role: 'deployer', lab }] });
  expect(first.out).not.toContain('svc_svc_');
  expect([again.code, again.err]).toEqual([3, expect.stringContaining('was exchanged before')]);
});

it('learns what a pull request would change, and can neither upload nor activate it', async () => {
  job = { ref: 'refs/pull/7/merge', event_name: 'pull_request' };
  const made = await exchange();
  job = {};
  expect(made.out).toContain(`a token with dry_runner:${lab} for`);
  const task = join(folder, 'work', lab, 'tasks', 'multiply', 'task.ts');
  const text = await readFile(task, 'utf8');
  await writeFile(task, text.replace('[{ product }', '[{ product: product + 1 }'));
  const type_ = (...args: string[]): Promise<Said> => type({ SVC_TOKEN_FILE: file() }, 'pkg', ...args);
  const versions = (): Promise<PackageVersions> => ask(`/api/packages/${lab}/versions`);
  const before = await versions();
  const unpacked = (): Promise<string[]> => readdir(join(stack.dataDir, 'code', 'packages'));
  const onDisk = await unpacked();

  const tried = await type_('deploy', join(folder, 'work', lab), '--dry-run');
  expect([tried.code, tried.err]).toEqual([0, '']);
  expect(tried.out).toContain('  changed task multiply\n');
  const [, beginning = ''] = /([0-9a-f]{12}) can become active/.exec(tried.out) ?? [];
  expect([await versions(), await unpacked()]).toEqual([before, onDisk]);

  const refusal = expect.stringContaining('needs the role deployer') as string;
  for (const ways of [
    ['upload', join(folder, 'work', lab)],
    ['deploy', join(folder, 'work', lab)],
    ['activate', lab, before.versions[0]?.sha256 ?? ''],
  ]) {
    const refused = await type_(...ways);
    expect([refused.code, refused.err], ways.join(' ')).toEqual([3, refusal]);
  }
  const byRoot = await type({ SVC_TOKEN: root }, 'pkg', 'activate', lab, beginning);
  expect([byRoot.code, byRoot.err]).toEqual([2, expect.stringContaining('no version of')]);
  expect(await versions()).toEqual(before);
});

it('gets nothing for another branch, and nothing outside of a pipeline', async () => {
  await rm(file());
  job = { ref: 'refs/heads/mine' };
  const refused = await exchange();
  job = {};
  expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('ref "refs/heads/mine"')]);
  const outside = await type({}, 'token', 'exchange', '--out', file());
  expect([outside.code, outside.err]).toEqual([2, expect.stringContaining('id-token: write')]);
  const wrong = await exchange('--audience', 'https://shop.example.org');
  expect([wrong.code, wrong.err]).toEqual([
    1,
    expect.stringContaining('GitHub gave this job no signed token'),
  ]);
  expect(wrong.err).not.toContain('of the job');
  await expect(stat(file())).rejects.toThrow('ENOENT');
});
