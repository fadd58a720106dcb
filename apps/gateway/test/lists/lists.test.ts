import { describe, expect, it } from 'vitest';
import { orchestratorRequests, type DeviceRecord, type TaskRunRecord } from '@lab/contracts';
import { expectProblem, runRecord, sharedHarness, taskRecord, type Reply } from '../twins.js';
import { agent, emergencyStop } from '../color-lab-records.js';

const gateway = sharedHarness();

const namesOf = ({ body }: Reply): string[] => (body.items as { name: string }[]).map(({ name }) => name);
const cursorOf = ({ body }: Reply): string => String(body.next_cursor);
const taskAt = (second: number, over: Partial<TaskRunRecord> = {}): TaskRunRecord =>
  taskRecord({
    id: `t${second}`,
    name: `task_${second}`,
    created_at: new Date(1_000 * second).toISOString(),
    ...over,
  });

describe('a list', () => {
  it('is read page by page, and the last page has no cursor', async () => {
    gateway.records.taskRuns.push(...[1, 2, 3, 4, 5].map((second) => taskAt(second)));
    const first = await gateway.send('GET', '/api/tasks?limit=2');
    expect(namesOf(first)).toEqual(['task_5', 'task_4']);
    gateway.records.taskRuns.push(taskAt(6));
    const second = await gateway.send('GET', `/api/tasks?limit=2&cursor=${cursorOf(first)}`);
    expect(namesOf(second)).toEqual(['task_3', 'task_2']);
    const third = await gateway.send('GET', `/api/tasks?limit=9&cursor=${cursorOf(second)}`);
    expect(third.body).toMatchObject({ items: [{ name: 'task_1' }], next_cursor: null });
  });

  it('is sorted by the chosen field and filtered by all filters together', async () => {
    gateway.records.taskRuns.push(
      taskAt(1, { priority: 3, owner: 'ada' }),
      taskAt(2, { priority: 9, owner: 'ada', state: 'running' }),
      taskAt(3, { priority: 5, owner: 'bo' }),
      taskAt(4, { priority: 7, owner: 'ada', state: 'failed' }),
    );
    const listed = async (query: string): Promise<string[]> =>
      namesOf(await gateway.send('GET', `/api/tasks?${query}`));
    expect(await listed('sort=-priority')).toEqual(['task_2', 'task_4', 'task_3', 'task_1']);
    expect(await listed('sort=priority&owner=ada&state=running,failed')).toEqual(['task_4', 'task_2']);
    expect(await listed('text=SK_3')).toEqual(['task_3']);
    expect(await listed('since=1970-01-01T01:00:02%2B01:00&until=1970-01-01T00:00:04Z')).toEqual([
      'task_3',
      'task_2',
    ]);
  });

  it.each([
    ['sort=colour', '?sort'],
    ['sort=', '?sort'],
    ['sort=constructor', '?sort'],
    ['state=queued,done', '?state'],
    ['since=yesterday', '?since'],
    ['since=2026-11-20T09:30:00', '?since'],
    ['until=2026-13-40', '?until'],
    ['since=0000-01-01', '?since'],
    ['owner=', '?owner'],
    [`owner=${'x'.repeat(201)}`, '?owner'],
    ['text=a%00b', '?text'],
    ['limit=501', '?limit'],
  ])('explains the error of %s', async (query, path) => {
    const reply = await gateway.send('GET', `/api/tasks?${query}`);
    expectProblem(reply, 422, 'invalid');
    expect(reply.body.errors?.map((fault) => fault.path)).toEqual([path]);
  });

  it('names its parameters when the request uses another one', async () => {
    const { body } = await gateway.send('GET', '/api/devices?colour=red');
    expect(body.errors?.[0]?.hint).toBe(
      'possible here: limit, cursor, sort, state, type, lab, computer, text',
    );
  });
});

describe('a cursor', () => {
  const text = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('of another list, order, filter or place is refused', async () => {
    gateway.records.taskRuns.push(taskAt(1), taskAt(2));
    gateway.records.runs.push(runRecord({ id: 'r1' }), runRecord({ id: 'r2' }));
    const cursor = cursorOf(await gateway.send('GET', '/api/tasks?limit=1'));
    expect((await gateway.send('GET', `/api/tasks?limit=2&cursor=${cursor}`)).status).toBe(200);
    for (const path of [
      `/api/tasks?sort=name&cursor=${cursor}`,
      `/api/tasks?state=queued&cursor=${cursor}`,
      `/api/protocols?cursor=${cursor}`,
      `/api/tasks/task_1/attempts?cursor=${cursor}`,
    ]) {
      const reply = await gateway.send('GET', path);
      expectProblem(reply, 400, 'bad_request');
      expect(reply.body.errors).toMatchObject([{ path: '?cursor', code: 'cursor' }]);
      expect(reply.body.detail).toContain('another');
    }
  });

  it('is refused when it is invented', async () => {
    gateway.records.taskRuns.push(taskAt(1), taskAt(2));
    const cursor = cursorOf(await gateway.send('GET', '/api/tasks?limit=1'));
    const [own, value, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const forged = [
      'x',
      '',
      '%00',
      text(null),
      text({}),
      text([]),
      text([own, value, null]),
      text([own, value, `${String(id)}\u0000`]),
      text([own, 3, id]),
      text([own, '2026-02-31T00:00:00.000Z', id]),
      text([own, "' or 1=1", id]),
    ];
    for (const each of forged)
      expectProblem(await gateway.send('GET', `/api/tasks?cursor=${each}`), 400, 'bad_request');
  });
});

describe('the lists of the orchestrator', () => {
  it('follow the same rules', async () => {
    const device = (lab_name: string, name: string, over: Partial<DeviceRecord> = {}): DeviceRecord => ({
      lab_name,
      name,
      type: 'arm',
      computer: 'svc_computer',
      state: 'idle',
      detail: null,
      held_by: null,
      halted: null,
      out_of_service: null,
      doing: null,
      last_known: null,
      runtime: null,
      debugger: null,
      doubt: null,
      functions: [],
      ...over,
    });
    gateway.requests.on(orchestratorRequests.listDevices, () => ({
      devices: [
        device('b_lab', 'arm'),
        device('a_lab', 'pump', { type: 'pump' }),
        device('a_lab', 'arm', { state: 'faulted' }),
      ],
    }));
    const first = await gateway.send('GET', '/api/devices?limit=2');
    expect(namesOf(first)).toEqual(['arm', 'pump']);
    expect(namesOf(await gateway.send('GET', `/api/devices?limit=2&cursor=${cursorOf(first)}`))).toEqual([
      'arm',
    ]);
    expect(namesOf(await gateway.send('GET', '/api/devices?lab=a_lab&state=idle'))).toEqual(['pump']);
  });
});

describe('agents', () => {
  it('are listed by laboratory and state, and are read by their computer', async () => {
    gateway.requests.on(orchestratorRequests.listAgents, () => ({
      agents: [
        {
          ...agent,
          computer: 'bench_c',
          labs: ['color_lab', 'b_lab'],
          state: 'online' as const,
          reason: null,
        },
        agent,
      ],
    }));
    const listed = async (query: string): Promise<unknown[]> =>
      ((await gateway.send('GET', `/api/agents${query}`)).body.items as { computer: string }[]).map(
        ({ computer }) => computer,
      );
    expect(await listed('')).toEqual(['bench_b', 'bench_c']);
    expect(await listed('?lab=b_lab')).toEqual(['bench_c']);
    expect(await listed('?state=suspect')).toEqual(['bench_b']);
    expect(await listed('?text=H_C')).toEqual(['bench_c']);
    expect((await gateway.send('GET', '/api/agents/bench_b')).body).toEqual(agent);
    expectProblem(await gateway.send('GET', '/api/agents/bench_z'), 404, 'not_found');
  });
});

describe('single records', () => {
  it('are found by name or id, and a missing one is answered with 404', async () => {
    gateway.records.taskRuns.push(taskAt(1));
    gateway.records.resources.push({
      name: 'beaker_1',
      type: 'beaker',
      meta: {},
      lab: 'color_lab',
      used_by: null,
      held_by: null,
      since: null,
    });
    gateway.records.stops.push(emergencyStop);
    expect((await gateway.send('GET', '/api/task-runs/t1')).body.name).toBe('task_1');
    expect((await gateway.send('GET', '/api/resources/beaker_1')).body.type).toBe('beaker');
    expect((await gateway.send('GET', '/api/resources/beaker_1/history')).body.items).toEqual([]);
    for (const path of [
      'task-runs/none',
      'attempts/none',
      'audit/none',
      'resources/none',
      'resources/none/history',
      'campaigns/none/runs',
    ])
      expectProblem(await gateway.send('GET', `/api/${path}`), 404, 'not_found');
  });
});
