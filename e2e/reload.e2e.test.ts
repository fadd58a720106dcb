import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  DefinitionRecord,
  DefinitionSummary,
  LabChange,
  LabRecord,
  PackageRecord,
  Problem,
  ProtocolChange,
  TaskTypeChange,
  Validation,
} from '@lab/contracts';
import { startServiceStack } from '@lab/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api, eventually, isOver, type Answer } from './api.js';
import { copyPackages, faultyLab, startLab, type Lab } from './lab.js';

/** Definitions change while the service runs; accepted work keeps the version that it began with. */

const labName = 'multiplication_lab';
let userDir = '';
let lab: Lab;

beforeAll(async () => {
  // Inside the repository, so that the code of the package finds the SDK as in any other package.
  userDir = await mkdtemp(join(import.meta.dirname, '.reload-'));
  await copyPackages(userDir);
  await cp(join(faultyLab, 'devices'), join(userDir, labName, 'devices'), { recursive: true });
  await edit('laboratories/multiplication_lab/lab.yml', (text) =>
    text.replace(
      'devices:\n',
      'devices:\n  brittle: { desc: Fails on request, type: brittle, computer: svc_computer }\n',
    ),
  );
  lab = await startLab([labName], { userDir });
});
afterAll(async () => {
  await lab.stack.dispose();
  await rm(userDir, { recursive: true, force: true });
});

const file = (path: string): string => join(userDir, labName, path);

/** Edits a file of the package; the returned function puts it back. */
async function edit(path: string, change: (text: string) => string): Promise<() => Promise<void>> {
  const text = await readFile(file(path), 'utf8');
  expect(change(text)).not.toBe(text);
  await writeFile(file(path), change(text));
  return () => writeFile(file(path), text);
}

const post = <T>(path: string, body: unknown): Promise<Answer<T>> => lab.api.call<T>('POST', path, body);
const change = (what: 'load' | 'unload' | 'reload', options: object = {}): Promise<Answer<LabChange[]>> =>
  post(`/api/labs/${what}`, { lab_types: [labName], ...options });
const refused = (what: 'load' | 'unload' | 'reload'): Promise<Answer<Problem>> =>
  post(`/api/labs/${what}`, { lab_types: [labName] });
const labState = async (): Promise<LabRecord | undefined> =>
  (await lab.api.all<LabRecord>('/api/labs')).find((each) => each.name === labName);

const multiplier = { multiplier: { lab_name: labName, name: 'multiplier_a' } };
async function waitTask(name: string, seconds: number): Promise<void> {
  await lab.api.submit('tasks', { name, type: 'wait', devices: multiplier, input_parameters: { seconds } });
  await eventually(
    () => lab.api.task(name),
    (task) => task.state === 'running',
  );
}

async function stopTask(name: string): Promise<void> {
  await post(`/api/tasks/${encodeURIComponent(name)}/cancel`, undefined);
  await eventually(() => lab.api.task(name), isOver);
}

describe('a reload during a running campaign', () => {
  it('leaves the old definitions and code to running runs and gives the new ones to later runs', async () => {
    await lab.api.submit('campaigns', {
      name: 'series',
      protocol: 'slow_multiplication',
      max_protocol_runs: 3,
      global_parameters: { wait: { seconds: 2 } },
    });
    const started = await eventually(
      () => lab.api.run('series_run_1'),
      (run) => run.state === 'running',
    );
    const restore = await edit('tasks/wait/task.yml', (text) =>
      text.replace(/^desc:.*$/m, 'desc: Waits anew.'),
    );
    const reloaded = await post<ProtocolChange[]>('/api/protocols/reload', {
      protocol_types: ['slow_multiplication'],
    });
    expect(reloaded.status).toBe(200);
    expect(reloaded.body[0]?.hash).not.toBe(started.definition_hash);
    expect(reloaded.body[0]?.still_running).toEqual(['campaign series', 'protocol run series_run_1']);
    expect((await lab.api.run('series_run_1')).state).toBe('running');

    const campaign = await eventually(() => lab.api.campaign('series'), isOver);
    expect(campaign.state).toBe('completed');
    expect(campaign.protocol_runs.map((run) => run.definition_hash)).toEqual([
      started.definition_hash,
      reloaded.body[0]?.hash,
      reloaded.body[0]?.hash,
    ]);
    await restore();
    await post('/api/protocols/reload', { protocol_types: ['slow_multiplication'] });
  });

  it('runs the new code of a task type in later work only', async () => {
    const multiply = (name: string) => ({
      name,
      type: 'multiply',
      devices: multiplier,
      input_parameters: { number: 3, factor: 2 },
    });
    await lab.api.submit('tasks', multiply('old code'));
    const old = await eventually(() => lab.api.task('old code'), isOver);
    const restore = await edit('tasks/multiply/task.ts', (text) =>
      text.replace('[{ product }', '[{ product: product + 1000 }'),
    );
    const answer = await post<TaskTypeChange[]>('/api/tasks/reload', { task_types: ['multiply'] });
    expect(answer.body[0]?.protocols).toContain('optimize_multiplication');

    await lab.api.submit('tasks', multiply('new code'));
    const later = await eventually(() => lab.api.task('new code'), isOver);
    expect([old.output_parameters, later.output_parameters]).toEqual([{ product: 6 }, { product: 1006 }]);
    expect(later.definition_hash).toBe(answer.body[0]?.hash);
    expect(old.code_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(later.code_hash).not.toBe(old.code_hash);
    await restore();
    await post('/api/tasks/reload', { task_types: ['multiply'] });
  });
});

describe('a broken edit', () => {
  it('is refused with file and line, and the earlier version stays in use', async () => {
    const before = await labState();
    const restore = await edit(`laboratories/${labName}/lab.yml`, (text) =>
      text.replace('type: multiplier', 'type: multiplyer'),
    );
    const answer = await refused('reload');
    expect([answer.status, answer.body.code]).toEqual([422, 'invalid']);
    expect(answer.body.errors?.[0]).toMatchObject({
      file: `${labName}/laboratories/${labName}/lab.yml`,
      line: expect.any(Number) as number,
      column: expect.any(Number) as number,
      code: 'unknown_device_type',
      hint: expect.stringContaining('multiplier') as string,
    });
    const after = await labState();
    expect(after).toMatchObject({ state: 'loaded', sound: false, hash: before?.hash });
    expect((await lab.api.rpc(labName, 'multiplier_a', 'count')).status).toBe(200);
    await restore();
    await post<PackageRecord[]>('/api/packages/refresh', undefined);
    expect(await labState()).toEqual(before);
  });

  it.each([
    [
      'another computer named svc_computer',
      '  svc_computer: { desc: Mine, ip: 127.0.0.3 }',
      'reserved_computer',
    ],
    ['another computer at 127.0.0.1', '  bench_c: { desc: Mine, ip: 127.0.0.1 }', 'reserved_ip'],
  ])('with %s is refused', async (_, computer, code) => {
    const restore = await edit(`laboratories/${labName}/lab.yml`, (text) =>
      text.replace('computers:\n', `computers:\n${computer}\n`),
    );
    const { status, body } = await refused('reload');
    await restore();
    await post('/api/packages/refresh', undefined);
    expect([status, body.code, body.errors?.map((fault) => fault.code)]).toEqual([422, 'invalid', [code]]);
  });

  it('with a resource of another laboratory is refused, and the error names both laboratories', async () => {
    const other = file('laboratories/other_lab');
    await mkdir(other);
    await writeFile(
      join(other, 'lab.yml'),
      'name: other_lab\ndesc: Has paper of its own\ndevices: {}\nresource_types: { paper: {} }\nresources: { paper_1: { type: paper } }\n',
    );
    const { status, body } = await post<Problem>('/api/labs/load', { lab_types: ['other_lab'] });
    await rm(other, { recursive: true });
    await post('/api/packages/refresh', undefined);
    expect([status, body.errors?.map(({ code }) => code)]).toEqual([422, ['duplicate_resource']]);
    expect(JSON.stringify(body)).toContain(labName);
  });

  it('of the code of a task type is refused with file and line of the code', async () => {
    const restore = await edit('tasks/multiply/task.ts', (text) => `${text}\nconst = 1;\n`);
    const answer = await post<Problem>('/api/tasks/reload', { task_types: ['multiply'] });
    expect(answer.status).toBe(422);
    expect(answer.body.errors?.[0]).toMatchObject({
      file: `${labName}/tasks/multiply/task.ts`,
      code: 'code',
    });
    const record = await lab.api.call<DefinitionRecord>('GET', '/api/definitions/task/multiply');
    expect(record.body).toMatchObject({ loaded: true, sound: false, definition: { type: 'multiply' } });
    expect(record.body.errors).toEqual(answer.body.errors);
    await restore();
    await post('/api/packages/refresh', undefined);
  });
});

describe('a laboratory in use', () => {
  it('is not unloaded, and the error names the work', async () => {
    await waitTask('in the way', 60);
    const answer = await refused('unload');
    expect([answer.status, answer.body.code]).toEqual([409, 'wrong_state']);
    expect(answer.body.detail).toContain('task in the way');
    expect((await labState())?.state).toBe('loaded');
    await stopTask('in the way');
  });

  it('is not reloaded while a changed device is in use, and unchanged devices keep running', async () => {
    const restore = await edit(
      'devices/multiplier/device.ts',
      (text) => `${text}\nexport const edition = 2;\n`,
    );
    await waitTask('holds the device', 60);
    const answer = await refused('reload');
    expect([answer.status, answer.body.code]).toEqual([409, 'wrong_state']);
    expect(answer.body.detail).toContain('task holds the device');
    await stopTask('holds the device');

    const reloaded = await change('reload');
    expect(reloaded.status).toBe(200);
    const devices = Object.fromEntries(reloaded.body[0]?.devices.map((each) => [each.name, each]) ?? []);
    expect(devices['multiplier_a']).toMatchObject({ started: true, state: 'idle' });
    expect(devices['brittle']).toMatchObject({ started: false, state: 'idle' });
    expect(devices['multiplier_b']).toMatchObject({ state: 'unreachable' });
    await restore();
    expect((await change('reload')).status).toBe(200);
  });

  it('accepts no new work while it drains and is unloaded when its work has ended', async () => {
    await waitTask('last', 4);
    const answer = await change('unload', { drain: true });
    expect(answer.status).toBe(202);
    expect(answer.body[0]).toMatchObject({ state: 'draining', waits_for: ['task last'] });
    expect(await labState()).toMatchObject({ state: 'draining', draining_for: 'unload' });
    const late = await lab.api.submit('tasks', {
      name: 'late',
      type: 'multiply',
      devices: multiplier,
      input_parameters: { number: 1 },
    });
    expect([late.status, late.body.errors?.[0]?.code]).toEqual([422, 'lab_draining']);
    await eventually(labState, (record) => record?.state === 'unloaded');
    expect((await lab.api.task('last')).state).toBe('completed');
    expect(await lab.api.devices()).toEqual([]);
  });

  it('is loaded again with its resources unchanged', async () => {
    const score = (name: string) => ({
      name,
      type: 'score_product',
      input_parameters: { product: 1000, wanted: 1024 },
      input_resources: { paper: 'paper_1' },
    });
    const loaded = await change('load');
    expect(loaded.status).toBe(200);
    expect(loaded.body[0]?.devices.find((each) => each.name === 'multiplier_a')).toMatchObject({
      state: 'idle',
      started: true,
    });
    const protocols = await post<ProtocolChange[]>('/api/protocols/load', {
      protocol_types: ['optimize_multiplication'],
    });
    expect(protocols.body[0]).toMatchObject({ loaded: true });

    await lab.api.submit('tasks', score('before'));
    const before = await eventually(() => lab.api.task('before'), isOver);
    expect((await change('unload')).body[0]?.unloaded_protocols).toEqual(['optimize_multiplication']);
    expect((await change('load')).status).toBe(200);
    await lab.api.submit('tasks', score('after'));
    const after = await eventually(() => lab.api.task('after'), isOver);
    expect(before.state).toBe('completed');
    expect(after.input_resources).toEqual(before.output_resources);
  });
});

describe('a laboratory with a device that does not start', () => {
  it('is not loaded, and the error names the device and the reason', async () => {
    expect((await change('unload')).status).toBe(200);
    const restore = await edit('devices/multiplier/device.ts', (text) =>
      text.replace(/(_initialize\([^)]*\)[^{]*\{)/, "$1\n    throw new Error('no such port');"),
    );
    const answer = await refused('load');
    expect([answer.status, answer.body.code]).toEqual([503, 'device_unavailable']);
    expect(answer.body.detail).toContain('multiplier_a');
    expect(answer.body.detail).toMatch(/no such port \(\S+\/devices\/multiplier\/device\.ts:\d+:\d+\)/);
    // A device that failed to start may have moved, so no client repeats the load.
    expect(answer.body.effect).toBe('maybe');
    expect((await labState())?.state).toBe('unloaded');
    await restore();
    expect((await change('load')).status).toBe(200);
  });
});

describe('the command line', () => {
  /** Runs `svc` to its end; gives its exit code and what it printed. */
  async function svc(...args: string[]): Promise<{ code: number | null; output: string }> {
    const child = lab.stack.beside(...args, '--url', lab.stack.url);
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output: Buffer.concat(chunks).toString() };
  }

  it('reloads a laboratory and lists what is loaded', async () => {
    const reloaded = await svc('labs', 'reload', labName);
    expect(reloaded.code).toBe(0);
    expect(reloaded.output).toContain(`${labName}: loaded`);
    const listed = await svc('labs', 'list');
    expect(listed.output).toMatch(new RegExp(`^${labName} +loaded`));
  });

  it('shows the faulty line of the source and exits with 3', async () => {
    const restore = await edit(`laboratories/${labName}/lab.yml`, (text) =>
      text.replace('type: multiplier', 'type: multiplyer'),
    );
    const refusal = await svc('labs', 'reload', labName);
    expect(refusal.code).toBe(3);
    expect(refusal.output).toContain('type: multiplyer');
    expect(refusal.output).toContain('unknown_device_type');
    await restore();
    const packages = await svc('packages');
    expect(packages).toMatchObject({ code: 0 });
    expect(packages.output).toContain(`labs: ${labName}`);
  });

  it('names the work that prevents the change and exits with 3', async () => {
    await waitTask('in the way of svc', 60);
    const refusal = await svc('labs', 'unload', labName);
    expect(refusal.code).toBe(3);
    expect(refusal.output).toContain('task in the way of svc');
    await stopTask('in the way of svc');
  });
});

describe('the check of a definition', () => {
  it('finds every mistake with its line, and none in a sound protocol', async () => {
    const text = await readFile(file('experiments/slow_multiplication/experiment.yml'), 'utf8');
    const sound = await post<Validation>('/api/protocols/validate', { protocol_yaml: text });
    expect(sound.body).toEqual({ valid: true, errors: [] });
    const broken = await post<Validation>('/api/protocols/validate', {
      protocol_yaml: text.replace('type: wait', 'type: wiat').replace(labName, 'multiplication_lob'),
      file_name: 'mine.yml',
    });
    expect(broken.status).toBe(200);
    expect(broken.body.valid).toBe(false);
    expect(broken.body.errors.map((fault) => [fault.file, fault.code])).toEqual(
      expect.arrayContaining([
        ['mine.yml', 'unknown_lab'],
        ['mine.yml', 'unknown_task_type'],
      ]),
    );
    expect(broken.body.errors.every((fault) => fault.line !== undefined)).toBe(true);
  });
});

describe('a protocol', () => {
  it('gives a task without a declared duration 1 s', async () => {
    const path = '/api/definitions/protocol/slow_multiplication';
    const { body } = await lab.api.call<DefinitionRecord>('GET', path);
    expect(body.definition).toMatchObject({ tasks: [{ name: 'wait', duration: 1 }, { name: 'multiply' }] });
  });
});

describe('a restart', () => {
  let dataDir = '';
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'svc-reload-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('restores the definitions that were loaded at run time, unless the configuration has changed', async () => {
    const states = async (env: Record<string, string>, act?: (url: string) => Promise<unknown>) => {
      const stack = await startServiceStack({ userDir, dataDir, env });
      try {
        const api = new Api(stack.url);
        await act?.(stack.url);
        const labs = await api.all<LabRecord>('/api/labs');
        const protocols = await api.all<DefinitionSummary>('/api/definitions?type=protocol');
        return [labs, protocols].map((each) =>
          each
            .filter((one) => ('state' in one ? one.state === 'loaded' : one.loaded))
            .map(({ name }) => name),
        );
      } finally {
        await stack.dispose();
      }
    };
    const configured = { SVC_LABS: labName, SVC_PROTOCOLS: 'slow_multiplication' };
    const change = { protocol_types: ['slow_multiplication'] };
    const unloaded = await states(configured, (url) =>
      new Api(url).call('POST', '/api/protocols/unload', change),
    );
    expect(unloaded).toEqual([[labName], []]);
    expect(await states(configured)).toEqual([[labName], []]);
    expect(await states({ ...configured, SVC_PROTOCOLS: 'grouped_multiplication' })).toEqual([
      [labName],
      ['grouped_multiplication'],
    ]);
  });
});
