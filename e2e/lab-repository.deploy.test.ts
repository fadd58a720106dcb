import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import * as yaml from 'js-yaml';
import type { PackageVersions } from '@lab/contracts';
import { startServiceStack, type Stack } from '@lab/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { fileOf, tarballOf } from '../tools/npm/tarball.js';
import { Api, eventually, isOver } from './api.js';
import { svc } from './svc.js';

/**
 * A laboratory starts a repository of its own, far from this one, with npm and the tarballs of a release alone. Nx checks,
 * simulates and deploys it to a service that the same tarballs start. The tests follow one another.
 */

// npm installs 300 packages, and each command of Nx starts several programs.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 900_000 });
const lab = 'wet_lab';
const [device, task, protocol] = [`${lab}_instrument`, `${lab}_measure`, `${lab}_measurement`];
const cachedBroker = join(import.meta.dirname, '../.cache/bin');
/** What npm needs to reach its registry on this computer. */
const ofNpm = /^(HOME|npm_config_(?!loglevel).*|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i;
let folder = '';
let repository = '';
let stack: Stack | undefined;
let api: Api;

interface Ended {
  code: number;
  out: string;
  ms: number;
}

/** Runs a program in the repository, with nothing but `PATH`, what npm needs, and the given variables in its environment. */
function run(program: string, args: readonly string[], more: Record<string, string> = {}): Promise<Ended> {
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => ofNpm.test(name))),
    ...{ PATH: process.env['PATH'], NO_COLOR: '1', ...more },
    ...(stack === undefined ? {} : { SVC_URL: stack.url }),
  };
  const since = performance.now();
  return new Promise((resolve) => {
    execFile(program, args, { cwd: repository, env, maxBuffer: 2 ** 24 }, (error, out, err) =>
      resolve({
        code: error === null ? 0 : Number(error.code),
        out: `${out}${err}`,
        ms: performance.now() - since,
      }),
    );
  });
}
const npx = (...args: string[]): Promise<Ended> => run('npx', ['--no-install', ...args]);
const all = ['nx', 'run-many', '-t', 'check,test,simulate', '--outputStyle=static'];
const nx = (target: string): Promise<Ended> => npx('nx', 'run', `${lab}:${target}`, '--outputStyle=static');
const git = async (...args: string[]): Promise<string> => {
  const { code, out } = await run('git', [
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=ada@example.org',
    ...args,
  ]);
  expect([code, out]).toEqual([0, expect.any(String)]);
  return out.trim();
};

const place = (path: string): string => join(repository, 'lab-packages', lab, path);
async function edit(path: string, from: string, to: string): Promise<void> {
  const text = await readFile(place(path), 'utf8');
  expect(text).toContain(from);
  await writeFile(place(path), text.replace(from, to));
}
const active = async (): Promise<string> =>
  (await api.call<PackageVersions>('GET', `/api/packages/${lab}/versions`)).body.active;
const summaryOf = (of: { output_parameters?: Record<string, unknown> | null } | undefined): unknown =>
  of?.output_parameters?.['summary'];
/** What a new task says that it has done. */
async function measured(name: string): Promise<unknown> {
  const devices = { [device]: { lab_name: lab, name: `${device}_1` } };
  await api.submit('tasks', { name, type: task, devices, input_parameters: { seconds: 0.1 } });
  return summaryOf(await eventually(() => api.task(name), isOver));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-own-repository-'));
  repository = join(folder, 'our-labs');
  await mkdir(join(folder, 'release'));
  for (const name of ['instruments', 'nx', 'optimization', 'sdk', 'sila', 'svc'].map(
    (each) => `@lab/${each}`,
  ))
    await writeFile(join(folder, 'release', fileOf(name)), await tarballOf(name));
  const release = join(folder, 'release');
  const made = await svc({}, 'lab-repo', 'create', repository, '--name', lab, '--tarballs', release);
  expect([made.code, made.err]).toEqual([0, '']);
  const installed = await run('npm', ['install', '--no-audit', '--no-fund']);
  expect([installed.code, installed.out]).toEqual([0, expect.stringContaining('added')]);
});
afterAll(async () => {
  await npx('nx', 'daemon', '--stop');
  await stack?.dispose();
  await rm(folder, { recursive: true, force: true });
});

it('has what the installed command line itself would write', async () => {
  const again = join(folder, 'again');
  const made = await npx('svc', 'lab-repo', 'create', again, '--name', lab, '--tarballs', 'tarballs');
  expect([made.code, made.out]).toEqual([0, expect.stringContaining('next: cd')]);
  const files = (await readdir(again, { recursive: true, withFileTypes: true }))
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(again.length + 1));
  expect(files.length).toBeGreaterThan(20);
  for (const file of files.filter((each) => !['README.md', 'package.json'].includes(each)))
    expect((await readFile(join(again, file))).equals(await readFile(join(repository, file))), file).toBe(
      true,
    );
  const refused = await npx('svc', 'lab-repo', 'create', again, '--name', lab, '--tarballs', 'tarballs');
  expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('exists already')]);
});

it('is checked, tested and simulated, and repeats nothing without a change', async () => {
  const first = await npx(...all);
  expect([first.code, first.out]).toEqual([
    0,
    expect.stringContaining('no errors in 1 package, 4 definitions'),
  ]);
  expect(first.out).toContain('1 passed');
  expect(first.out).toContain('completed under greedy');
  const again = await npx(...all);
  expect([again.code, again.out]).toEqual([0, expect.stringContaining('3 out of 3 tasks')]);
  const bin = join(repository, 'node_modules/.bin/nx');
  const third = await run(bin, all.slice(1));
  expect([third.code, third.out]).toEqual([0, expect.stringContaining('3 out of 3 tasks')]);
  const ms = (ended: Ended): number => Math.round(ended.ms);
  console.log(`${ms(first)} ms; from the cache ${ms(again)} ms, without npx ${ms(third)} ms`);
});

it('is deployed to a service that the tarballs start, and a run in progress keeps its code', async () => {
  await mkdir(join(folder, 'empty'));
  stack = await startServiceStack({
    program: join(repository, 'node_modules/@lab/svc/apps/cli/bin/svc.mjs'),
    userDir: join(folder, 'empty'),
    env: { PATH: [process.env['PATH'], cachedBroker].join(delimiter) },
  });
  api = new Api(stack.url);
  const first = await nx('deploy');
  expect([first.code, first.out]).toEqual([0, expect.stringContaining('is active; before: none')]);
  expect(await measured('first')).toBe(`worked with ${device}_1 for 0.1 s`);

  await edit(`tasks/${task}/task.ts`, '`worked with', '`measured with');
  await edit(`tasks/${task}/task.test.ts`, "'worked with", "'measured with");
  const checked = await npx(...all);
  expect([checked.code, checked.out]).toEqual([0, expect.not.stringContaining('from the cache')]);
  const parameters = { [task]: { seconds: 60 } };
  const { status, body } = await api.submit('protocols', { name: 'old', type: protocol, parameters });
  expect([status, body]).toEqual([201, expect.objectContaining({ name: 'old' })]);
  await eventually(
    () => api.run('old'),
    ({ state }) => state === 'running',
  );
  const second = await nx('deploy');
  expect([second.code, second.out]).toEqual([0, expect.stringContaining('keeps its code: protocol run old')]);
  const old = await eventually(() => api.run('old'), isOver, 150_000);
  expect(summaryOf(old.tasks[0])).toBe(`worked with ${device}_1 for 60 s`);
  expect(await measured('second')).toBe(`measured with ${device}_1 for 0.1 s`);
});

it('goes back by itself when a device of the new version does not start', async () => {
  const before = await active();
  await edit(
    `devices/${device}/device.ts`,
    'this.port = port;',
    "this.port = port;\n    if (this.name === `${this.lab}_instrument_1`) throw new Error('no such port');",
  );
  const broken = await nx('deploy');
  expect(broken.code).not.toBe(0);
  expect(broken.out).toContain('no such port');
  expect(broken.out).toContain('stays active');
  expect(await active()).toBe(before);
  expect(await measured('after the broken version')).toBe(`measured with ${device}_1 for 0.1 s`);
});

it('is taken back to the version before', async () => {
  const before = await active();
  const back = await nx('rollback');
  expect([back.code, back.out]).toEqual([0, expect.stringContaining('is active; before:')]);
  expect(await active()).not.toBe(before);
  expect(await measured('rolled back')).toBe(`worked with ${device}_1 for 0.1 s`);
});

it('has pipelines whose commands run: a pull request is checked, and shows what it would change', async () => {
  await git('init', '-q', '-b', 'main');
  await git('add', '-A');
  await git('commit', '-q', '-m', 'labs: begin');
  await git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  await edit(
    `devices/${device}/device.ts`,
    "throw new Error('no such port')",
    "this.log.warn('an old port')",
  );
  await git('commit', '-q', '-a', '-m', 'labs: change the instrument');
  const base = { CI_MERGE_REQUEST_DIFF_BASE_SHA: await git('rev-parse', 'HEAD~1'), GITHUB_BASE_REF: 'main' };
  const text = (path: string): Promise<string> => readFile(join(repository, path), 'utf8');
  const github = yaml.load(await text('.github/workflows/lab.yml')) as {
    jobs: Record<string, { steps: { run?: string }[] }>;
  };
  const gitlab = yaml.load(await text('.gitlab-ci.yml')) as Record<string, { script: string[] }>;
  const commands = (job: string): string[] =>
    [...(github.jobs[job]?.steps ?? []).map((step) => step.run ?? ''), ...(gitlab[job]?.script ?? [])].filter(
      (each) => each.startsWith('npx nx'),
    );
  const bash = (command: string): Promise<Ended> => run('bash', ['-eo', 'pipefail', '-c', command], base);
  for (const command of commands('check'))
    expect(await bash(command)).toMatchObject({
      code: 0,
      out: expect.stringContaining('Successfully ran targets'),
    });
  expect(commands('dry-run')).toHaveLength(2);
  for (const command of commands('dry-run')) {
    expect(await bash(command)).toMatchObject({ code: 0 });
    expect(await text('dry-run.txt')).toContain(`starts ${lab}.${device}_1 again`);
  }
  for (const command of commands('deploy'))
    expect(await bash(command)).toMatchObject({ code: 0, out: expect.stringContaining('active') });
});
