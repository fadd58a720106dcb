import {
  definitionRequests as requests,
  orchestratorRequests,
  ServiceError,
  type CodeOrigin,
  type LabChange,
} from '@lab/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem, runRecord, startHarness, type Harness } from '../twins.js';

let gateway: Harness;

beforeAll(async () => {
  gateway = await startHarness();
});
afterAll(() => gateway.server.close());

const changed = (state: LabChange['state']): LabChange => ({
  name: 'color_lab',
  state,
  hash: 'abc',
  devices: [],
  unloaded_protocols: [],
  waits_for: state === 'draining' ? ['protocol run mix_1'] : [],
});

describe('changes of loaded definitions', () => {
  it('go to the orchestrator with unchanged names', async () => {
    gateway.requests.on(requests.loadLabs, () => ({ labs: [changed('loaded')] }));
    const reply = await gateway.send('POST', '/api/labs/load', { lab_types: ['color_lab'] });
    expect([reply.status, reply.body]).toEqual([200, [changed('loaded')]]);
    expect(gateway.requests.of(requests.loadLabs).at(-1)?.body).toEqual({ lab_types: ['color_lab'] });
  });

  it.each([
    ['draining', 202],
    ['unloaded', 200],
  ] as const)('are answered by their progress: %s with %i', async (state, status) => {
    gateway.requests.on(requests.unloadLabs, () => ({ labs: [changed(state)] }));
    const reply = await gateway.send('POST', '/api/labs/unload', { lab_types: ['color_lab'], drain: true });
    expect(reply.status).toBe(status);
    const { paths } = (await gateway.send('GET', '/docs-json')).body as unknown as {
      paths: Record<string, { post: { responses: object } }>;
    };
    for (const path of ['/api/labs/unload', '/api/labs/reload'])
      expect(paths[path]?.post.responses, path).toHaveProperty(String(status));
  });

  it.each([
    ['no names', '/api/labs/load', {}, 'lab_types'],
    ['an empty list', '/api/labs/unload', { lab_types: [] }, 'lab_types'],
    ['a name twice', '/api/labs/reload', { lab_types: ['a', 'a'] }, 'lab_types'],
    ['names of another kind', '/api/protocols/load', { lab_types: ['a'] }, 'lab_types'],
    ['what is not a name', '/api/tasks/reload', { task_types: [1] }, 'task_types'],
    ['a drain that is no flag', '/api/labs/unload', { lab_types: ['a'], drain: 'yes' }, 'drain'],
    ['no text to check', '/api/protocols/validate', { file_name: 'a.yml' }, 'protocol_yaml'],
  ])('with %s are refused with the path', async (_, path, body, at) => {
    const reply = await gateway.send('POST', path, body);
    expectProblem(reply, 422, 'invalid');
    expect(reply.body.errors?.map((fault) => fault.path)).toContain(at);
  });

  it('with mistakes in files are refused with the place of each mistake', async () => {
    const fault = {
      path: 'type',
      code: 'type',
      message: 'is wrong',
      file: 'p/tasks/t/task.yml',
      line: 3,
      column: 7,
    };
    gateway.requests.on(requests.reloadTasks, () => {
      throw new ServiceError('invalid', 'has errors', { faults: [fault] });
    });
    const reply = await gateway.send('POST', '/api/tasks/reload', { task_types: ['t'] });
    expectProblem(reply, 422, 'invalid');
    expect(reply.body.errors).toEqual([fault]);
  });
});

describe('a protocol run with the name of a route', () => {
  it.each(['load', 'unload', 'reload', 'validate'])(
    'is read and cancelled under its name: %s',
    async (name) => {
      gateway.records.runs.push(runRecord({ name }));
      expect((await gateway.send('GET', `/api/protocols/${name}`)).body).toMatchObject({
        name,
        state: 'created',
      });
      const cancelled = await gateway.send('POST', `/api/protocols/${name}/cancel`);
      expectProblem(cancelled, 503, 'service_unavailable');
    },
  );
});

describe('definitions', () => {
  it('of an unknown type are refused in a list and not found by name', async () => {
    expectProblem(await gateway.send('GET', '/api/definitions?type=robot'), 422, 'invalid');
    expectProblem(await gateway.send('GET', '/api/definitions/robot/arm'), 404, 'not_found');
  });

  it('are listed by type', async () => {
    const of = (type: 'lab' | 'task', name: string) => ({
      type,
      name,
      package: 'p',
      file: 'f',
      loaded: true,
      hash: null,
      sound: true,
      labs: [],
    });
    const definitions = [of('task', 'rinse'), of('lab', 'color_lab'), of('task', 'mix')];
    gateway.requests.on(requests.listDefinitions, () => ({ definitions }));
    const listed = async (query: string): Promise<unknown[]> =>
      ((await gateway.send('GET', `/api/definitions${query}`)).body.items as { name: string }[]).map(
        ({ name }) => name,
      );
    expect(await listed('')).toEqual(['color_lab', 'mix', 'rinse']);
    expect(await listed('?type=task&sort=-name')).toEqual(['rinse', 'mix']);
    expect(await listed('?type=lab,task&text=MI')).toEqual(['mix']);
  });
});

describe('code', () => {
  const origin: CodeOrigin = {
    ...{ package: 'color_lab', version: '1.4.0', commit: 'c0ffee', modified: false },
    loaded_at: '2026-11-23T14:02:00.000Z',
  };

  it('is read in parts by its hash, with the versions of packages that it was read from', async () => {
    const text = 'export const greeting = "Grüße";';
    const bytes = Buffer.from(text);
    gateway.requests.on(orchestratorRequests.fetchModule, ({ offset }) => ({
      total: bytes.length,
      data: bytes.subarray(offset, offset + 25).toString('base64'),
    }));
    gateway.records.origins.set('abc', [origin]);
    const { body } = await gateway.send('GET', '/api/code/abc');
    expect(body).toEqual({ hash: 'abc', text, origins: [origin] });
  });

  it('of an unknown hash is not found', async () => {
    gateway.requests.on(orchestratorRequests.fetchModule, () => {
      throw new ServiceError('not_found', 'there is no module abc');
    });
    expectProblem(await gateway.send('GET', '/api/code/abc'), 404, 'not_found');
  });
});
