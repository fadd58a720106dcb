import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttentionRecord, AuditRecord, PackageVersions } from '@lab/contracts';
import { startServiceStack, type Stack } from '@lab/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Api, eventually, isOver } from './api.js';
import { copyPackages } from './lab.js';
import { svc, type Said } from './svc.js';

/** A package reaches a running service by its hash. The tests follow one another. */

const name = 'multiplication_lab';
let folder = '';
let stack: Stack;
let api: Api;

const place = (...parts: string[]): string => join(folder, 'work', name, ...parts);
const pkg = (...args: string[]): Promise<Said> =>
  svc({ SVC_URL: stack.url, HOME: folder }, 'pkg', ...args, '--by', 'ada');
const deploy = (...flags: string[]): Promise<Said> => pkg('deploy', place(), ...flags);
const upload = async (): Promise<string> =>
  (JSON.parse((await pkg('upload', place(), '--json')).out) as { sha256: string }).sha256;
const versions = async (): Promise<PackageVersions> =>
  (await api.call<PackageVersions>('GET', `/api/packages/${name}/versions`)).body;

async function edit(path: string, change: (text: string) => string): Promise<void> {
  const text = await readFile(place(path), 'utf8');
  expect(change(text)).not.toBe(text);
  await writeFile(place(path), change(text));
}

const onA = { multiplier: { lab_name: name, name: 'multiplier_a' } };
async function product(task: string): Promise<unknown> {
  const input = { number: 6, factor: 7 };
  await api.submit('tasks', { name: task, type: 'multiply', devices: onA, input_parameters: input });
  return (await eventually(() => api.task(task), isOver)).output_parameters?.['product'];
}

async function startSlowRun(run: string, seconds: number): Promise<void> {
  const parameters = { wait: { seconds } };
  const answer = await api.submit('protocols', { name: run, type: 'slow_multiplication', parameters });
  expect(answer.status).toBe(201);
  await eventually(
    () => api.run(run),
    ({ state }) => state === 'running',
  );
}
const productOf = async (run: string): Promise<unknown> => {
  const { tasks } = await eventually(() => api.run(run), isOver, 120_000);
  return tasks.find((each) => each.name === 'multiply')?.output_parameters?.['product'];
};

const start = (): Promise<Stack> =>
  startServiceStack({ userDir: join(folder, 'empty'), dataDir: join(folder, 'data') });

beforeAll(async () => {
  // Inside the repository, so that the check finds the types of Node.
  folder = await mkdtemp(join(import.meta.dirname, '.deploy-'));
  await mkdir(join(folder, 'empty'));
  await mkdir(join(folder, 'work'));
  await copyPackages(join(folder, 'work'));
  const compilerOptions = {
    ...{ target: 'ES2023', lib: ['ES2023'], module: 'NodeNext', strict: true, noEmit: true, types: ['node'] },
  };
  await writeFile(place('tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  stack = await start();
  api = new Api(stack.url);
});
afterAll(async () => {
  await stack?.dispose();
  await rm(folder, { recursive: true, force: true });
});

let first = '';
let second = '';

it('loads the laboratory and the protocols of a package that the service has never seen', async () => {
  const tried = await deploy('--dry-run');
  expect([tried.code, tried.err]).toEqual([0, '']);
  expect(tried.out).toContain('  added lab multiplication_lab\n');
  expect(tried.out).toContain('  added device multiplication_lab.multiplier_a');
  expect((await api.call('GET', `/api/packages/${name}/versions`)).status).toBe(404);

  const done = await deploy();
  expect([done.code, done.err]).toEqual([0, '']);
  expect(done.out).toMatch(/^uploaded multiplication_lab [0-9a-f]{12}, /m);
  const { active, previous, activated_by: by } = await versions();
  first = active;
  expect([previous, by]).toEqual(['none', 'ada']);
  expect(done.out).toContain(`${name} ${first.slice(0, 12)} is active; before: none\n`);
  expect(await product('first')).toBe(42);
});

it('finds nothing to do for the same files', async () => {
  const again = await deploy();
  expect([again.code, again.out]).toEqual([0, expect.stringContaining('is active already')]);
  expect((await versions()).versions).toHaveLength(1);
});

it('leaves the old code to a run in progress, and gives the new code to later work', async () => {
  await edit('tasks/multiply/task.ts', (text) =>
    text.replace('[{ product }', '[{ product: product + 1_000 }'),
  );
  second = await upload();
  await startSlowRun('old', 20);
  const done = await pkg('activate', name, second.slice(0, 12));
  expect([done.code, done.err]).toEqual([0, '']);
  expect(done.out).toContain('  keeps its code: protocol run old\n');
  expect((await versions()).active).toBe(second);
  expect(await productOf('old')).toBe(42);
  expect(await product('second')).toBe(1_042);
});

it('waits for the work that uses a changed device, or refuses when it may not wait', async () => {
  await edit('devices/multiplier/device.ts', (text) => text.replace('a * b', 'a * b + 10_000'));
  const third = await upload();
  await startSlowRun('in the way', 30);
  const refused = await pkg('activate', name, third);
  expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('protocol run in the way')]);
  expect((await versions()).active).toBe(second);

  const done = await pkg('activate', name, third, '--drain');
  expect([done.code, done.err]).toEqual([0, expect.stringContaining('waiting until')]);
  expect(await productOf('in the way')).toBe(1_042);
  expect(await product('third')).toBe(11_042);
  expect(await versions()).toMatchObject({ active: third, previous: second, waiting: null });
});

it('goes back by itself when a device does not start, and says why', async () => {
  const before = (await versions()).active;
  await edit('devices/multiplier/device.ts', (text) =>
    text.replace('this.offset = offset;', "this.offset = offset;\n    throw new Error('no such port');"),
  );
  const broken = await deploy();
  expect([broken.code, broken.err]).toEqual([3, expect.stringContaining('no such port')]);
  expect(broken.err).toContain(`${before} stays active`);
  const { active, versions: all } = await versions();
  expect(active).toBe(before);
  expect(all[0]?.failure?.reason).toContain('no such port');
  expect(await product('after the broken version')).toBe(11_042);
});

const failures = async (): Promise<AttentionRecord[]> => {
  const { items } = (await api.call<{ items: AttentionRecord[] }>('GET', '/api/attention?state=open')).body;
  return items.filter(({ reason }) => reason.code === 'deployment_failed');
};

it('tells people of a failure after the deployer has gone, until somebody acknowledges it', async () => {
  // The failure before was told, too: nobody knows whether the deployer has read the answer.
  const [known] = await eventually(failures, (items) => items.length === 1);
  const acknowledge = (id = ''): Promise<{ status: number }> =>
    api.call('POST', `/api/attention/${id}/resolve`, { action: 'acknowledge', by: 'eve' });
  expect((await acknowledge(known?.id)).status).toBe(200);
  await eventually(failures, (items) => items.length === 0);

  const { active, versions: stored } = await versions();
  const broken = stored[0]?.sha256 ?? '';
  await startSlowRun('meanwhile', 10);
  const body = { sha256: broken, expect: active, drain: true, by: 'pipeline' };
  expect((await api.call('POST', `/api/packages/${name}/activate`, body)).status).toBe(202);
  // Nobody asks any more.
  const [item] = await eventually(failures, (items) => items.length === 1, 120_000);
  expect(item).toMatchObject({
    subject: `package/${name}`,
    actions: ['acknowledge'],
    known: {
      package: name,
      sha256: broken,
      by: 'pipeline',
      reason: expect.stringContaining('no such port') as string,
    },
  });
  expect((await versions()).active).toBe(active);
});

it('refuses a version with errors before anything is stored', async () => {
  const text = await readFile(place('tasks/multiply/task.yml'), 'utf8');
  await writeFile(place('tasks/multiply/task.yml'), `${text}\nnonsense: true\n`);
  const wrong = await pkg('upload', place());
  expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining('nonsense')]);
  await writeFile(place('tasks/multiply/task.yml'), text);
  expect((await deploy()).code).not.toBe(0);
});

it('goes back to the version before on request', async () => {
  const { active } = await versions();
  const back = await pkg('rollback', name);
  expect([back.code, back.err]).toEqual([0, '']);
  expect(await versions()).toMatchObject({ active: second, previous: active });
  await eventually(failures, (items) => items.length === 0);
  expect(await product('rolled back')).toBe(1_042);
  const listed = await svc({ SVC_URL: stack.url, HOME: folder }, 'pkg', 'versions', name);
  expect(listed.out).toContain(`active: ${second.slice(0, 12)}`);
});

it('deletes a version that nothing needs, and says what needs another', async () => {
  const stored = (await versions()).versions.map(({ sha256 }) => sha256);
  const drop = (sha256: string): Promise<Said> =>
    svc({ SVC_URL: stack.url, HOME: folder }, 'pkg', 'delete', name, sha256.slice(0, 12));
  const { active, previous } = await versions();
  for (const [needed, why] of [
    [active, 'it is active'],
    [previous, 'it was active before'],
  ] as const) {
    const refused = await drop(needed);
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining(why)]);
  }
  const broken = stored[0] ?? '';
  expect([active, previous]).not.toContain(broken);
  const deleted = await drop(broken);
  expect([deleted.code, deleted.out]).toEqual([0, `deleted ${name} ${broken.slice(0, 12)}\n`]);
  expect((await versions()).versions.map(({ sha256 }) => sha256)).toEqual(stored.slice(1));
  const again = await api.call('DELETE', `/api/packages/${name}/${broken}`);
  expect(again.status).toBe(404);
  const body = { sha256: broken, expect: active };
  expect((await api.call('POST', `/api/packages/${name}/activate`, body)).status).toBe(404);
  const { items } = (await api.call<{ items: AuditRecord[] }>('GET', '/api/audit?limit=20')).body;
  expect(items).toContainEqual(
    expect.objectContaining({ action: 'package.delete', subject: `package/${name}/${broken}` }),
  );
});

it('keeps a version whose code work needs that can be resumed', async () => {
  const { active: before } = await versions();
  await edit('devices/multiplier/device.ts', (text) => text.replace("throw new Error('no such port');", ''));
  const next = async (from: string, to: string): Promise<string> => {
    await edit('tasks/multiply/task.ts', (text) => text.replace(from, to));
    const sha256 = await upload();
    const made = await pkg('activate', name, sha256);
    expect([made.code, made.err]).toEqual([0, '']);
    return sha256;
  };
  const needed = await next('1_000', '2_000');
  await startSlowRun('resumable', 120);
  expect((await api.call('POST', '/api/protocols/resumable/cancel')).status).toBeLessThan(300);
  await eventually(() => api.run('resumable'), isOver);
  await next('2_000', '3_000');
  await next('3_000', '4_000');
  const refused = await svc({ SVC_URL: stack.url, HOME: folder }, 'pkg', 'delete', name, needed);
  expect([refused.code, refused.err]).toEqual([
    3,
    expect.stringContaining('protocol run resumable needs its code'),
  ]);
  expect((await pkg('activate', name, before)).code).toBe(0);
});

it('answers 409 with what is active when something else is expected', async () => {
  const body = { sha256: first, expect: first };
  const answer = await api.call<{ code: string; errors: object[] }>(
    'POST',
    `/api/packages/${name}/activate`,
    body,
  );
  expect([answer.status, answer.body.code]).toEqual([409, 'wrong_state']);
  expect(answer.body.errors).toMatchObject([{ path: 'expect', code: 'other_version', hint: second }]);
});

it('has everything from the database when another computer with an empty disk takes over', async () => {
  await stack.stop();
  await rm(join(folder, 'data', 'code'), { recursive: true });
  stack = await start();
  api = new Api(stack.url);
  await eventually(
    () => api.devices(),
    (devices) => devices.some((each) => each.name === 'multiplier_a' && each.state === 'idle'),
  );
  expect((await versions()).active).toBe(second);
  expect(await product('after the restart')).toBe(1_042);
});
