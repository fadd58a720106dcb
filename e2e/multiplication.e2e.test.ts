import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentRecord, Page, Problem, ResourceRecord, ResourceUse, TaskRunRecord } from '@lab/contracts';
import { eventually, isOver } from './api.js';
import { startFaultyLab, type Lab } from './lab.js';

/** Two agents on one machine, one lab: references, dynamic devices, queues, calls, files. */

let lab: Lab;

beforeAll(async () => {
  lab = await startFaultyLab();
  await lab.withAgent('bench_b');
});
afterAll(() => lab.stack.dispose());

const at = (name: string) => ({ lab_name: 'multiplication_lab', name });

async function finishedTask(body: Record<string, unknown> & { name: string }): Promise<TaskRunRecord> {
  const answer = await lab.api.submit('tasks', body);
  expect(answer.body).toMatchObject({ name: body.name });
  expect(answer.status).toBe(201);
  return eventually(() => lab.api.task(body.name), isOver);
}

describe('a protocol run', () => {
  it('resolves references to parameters and devices, fills dynamic slots and keeps the results of each task', async () => {
    const answer = await lab.api.submit('protocols', {
      name: 'run references',
      type: 'optimize_multiplication',
      owner: 'ada',
      priority: 3,
      parameters: { first: { number: 6, factor: 7 }, second: { factor: 10 } },
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe('/api/protocols/run%20references');

    const run = await eventually(() => lab.api.run('run references'), isOver);
    expect(run).toMatchObject({ state: 'completed', owner: 'ada', priority: 3, reason: null });
    const [first, second, score] = ['first', 'second', 'score'].map((name) =>
      run.tasks.find((task) => task.name === name),
    );
    expect(first?.output_parameters).toEqual({ product: 42 });
    expect(second?.input_parameters).toEqual({ number: 42, factor: 10 });
    expect(second?.devices).toEqual(first?.devices);
    expect(score?.output_parameters).toEqual({ loss: 1024 - 420 });
    expect(score?.input_resources['paper']?.type).toBe('paper');
    expect(score?.output_resources?.['paper']?.meta['lines']).toBe(
      Number(score?.input_resources['paper']?.meta['lines']) - 1,
    );
  });

  it('starts tasks in the order of its graph', async () => {
    await lab.api.submit('protocols', {
      name: 'order',
      type: 'optimize_multiplication',
      parameters: { first: { number: 1, factor: 1 }, second: { factor: 1 } },
    });
    const run = await eventually(() => lab.api.run('order'), isOver);
    const times = run.tasks.map((task) =>
      [task.started_at, task.ended_at].map((time) => Date.parse(time ?? '')),
    );
    for (const [index, [start = NaN]] of times.entries()) {
      if (index > 0) expect(start).toBeGreaterThanOrEqual(times[index - 1]?.[1] ?? NaN);
    }
  });
});

describe('a resource', () => {
  it('returns to the values in the file of its lab on a reset, and its history names owners and people', async () => {
    const run = await lab.api.run('run references');
    const score = run.tasks.find((task) => task.name === 'score');
    const path = `/api/resources/${score?.input_resources['paper']?.name ?? ''}`;
    const written = (await lab.api.call<ResourceRecord>('GET', path)).body;
    const uses = await lab.api.all<ResourceUse>(`${path}/history`);
    const first = uses.at(-1);
    expect(first).toMatchObject({
      kind: 'task',
      task: 'score',
      taken: { lines: expect.any(Number) as number },
    });

    const act = { by: 'ada', reason: 'a new sheet' };
    const reset = await lab.api.call<ResourceRecord>('POST', `${path}/reset`, act);
    expect([reset.status, reset.body]).toEqual([200, { ...written, meta: first?.taken }]);
    expect(reset.body.meta).not.toEqual(written.meta);
    expect((await lab.api.call<ResourceRecord>('GET', path)).body).toEqual(reset.body);
    const [latest, ...earlier] = await lab.api.all<ResourceUse>(`${path}/history`);
    expect(latest).toMatchObject({ kind: 'reset', ...act, taken: written.meta, left: first?.taken });
    expect(earlier).toEqual(uses);
    const none = await lab.api.call<Problem>('POST', '/api/resources/nothing/reset');
    expect([none.status, none.body.code]).toEqual([404, 'not_found']);
  });
});

describe('priority', () => {
  const slow = { wait: { seconds: 0.2 } };
  /** Submits in this order while nothing may start, and returns the start of the first task of each run. */
  async function startsOf(kind: 'protocols' | 'campaigns', bodies: { name: string }[]): Promise<number[]> {
    await lab.api.call('POST', '/api/queue/pause');
    for (const body of bodies) expect((await lab.api.submit(kind, body)).status).toBe(201);
    await lab.api.call('POST', '/api/queue/resume');
    return Promise.all(
      bodies.map(async ({ name }) => {
        const run = kind === 'protocols' ? name : `${name}_run_1`;
        const { state, tasks } = await eventually(() => lab.api.run(run), isOver);
        expect(state).toBe('completed');
        return Date.parse(tasks[0]?.started_at ?? '');
      }),
    );
  }

  it('of a protocol run decides which run goes first, not the order of submission', async () => {
    const run = (name: string, priority: number) => ({
      name,
      type: 'slow_multiplication',
      priority,
      parameters: slow,
    });
    const [low = NaN, high = NaN] = await startsOf('protocols', [run('low run', 1), run('high run', 9)]);
    expect(high).toBeLessThan(low);
  });

  it('of a campaign applies to its runs, which have the same owner', async () => {
    const campaign = (name: string, priority: number) => ({
      name,
      protocol: 'slow_multiplication',
      owner: 'ada',
      priority,
      max_protocol_runs: 1,
      global_parameters: slow,
    });
    const [low = NaN, high = NaN] = await startsOf('campaigns', [campaign('low', 1), campaign('high', 9)]);
    expect(high).toBeLessThan(low);
    expect(await lab.api.run('high_run_1')).toMatchObject({ owner: 'ada', priority: 9, campaign: 'high' });
  });
});

describe('a task that receives a file of another task', () => {
  it('reads on its own computer the file that the other task wrote on another', async () => {
    const answer = await lab.api.submit('protocols', {
      name: 'by file',
      type: 'multiplication_of_a_file',
      parameters: { write: { text: '6\n7\n2' } },
    });
    expect(answer.status).toBe(201);
    const run = await eventually(() => lab.api.run('by file'), isOver);
    const [write, multiply] = run.tasks;
    expect(run).toMatchObject({ state: 'completed', reason: null });
    expect([write?.computer, multiply?.computer]).toEqual(['svc_computer', 'bench_b']);
    expect(multiply?.output_parameters).toEqual({ product: 84 });
    const written = write?.output_files.find(({ name }) => name === 'notes in memory.txt');
    expect(multiply?.input_files).toEqual({
      numbers: { id: `${write?.id}/1/notes in memory.txt`, ...written },
    });
  });
});

describe('an on-demand task', () => {
  it('runs on a device of the computer of its own agent', async () => {
    const task = await finishedTask({
      name: 'far',
      type: 'multiply',
      devices: { multiplier: at('multiplier_b') },
      input_parameters: { number: 21 },
    });
    expect(task).toMatchObject({
      state: 'completed',
      computer: 'bench_b',
      output_parameters: { product: 42 },
      input_parameters: { number: 21, factor: 2 },
    });
  });

  it('reaches devices on two computers at once', async () => {
    const task = await finishedTask({
      name: 'both',
      type: 'multiply_on_two',
      devices: { left: at('multiplier_a'), right: at('multiplier_b') },
      input_parameters: { number: 5 },
    });
    expect(task).toMatchObject({ state: 'completed', output_parameters: { sum: 50 } });
  });

  it('waits behind a run that holds its device and starts when the device is free', async () => {
    await lab.api.submit('protocols', {
      name: 'in the way',
      type: 'slow_multiplication',
      parameters: { wait: { seconds: 2 } },
    });
    await eventually(
      () => lab.api.run('in the way'),
      (run) => run.tasks.some((task) => task.name === 'wait' && task.state === 'running'),
    );
    await lab.api.submit('tasks', {
      name: 'behind',
      type: 'multiply',
      devices: { multiplier: at('multiplier_a') },
      input_parameters: { number: 1 },
    });
    expect((await lab.api.task('behind')).state).toBe('queued');
    const behind = await eventually(() => lab.api.task('behind'), isOver);
    const run = await lab.api.run('in the way');
    const waited = run.tasks.find((task) => task.name === 'wait');
    expect(behind.state).toBe('completed');
    expect(Date.parse(behind.started_at ?? '')).toBeGreaterThanOrEqual(Date.parse(waited?.ended_at ?? ''));
    await eventually(() => lab.api.run('in the way'), isOver);
  });

  it('fails with the reason when it cannot start in time', async () => {
    await lab.api.submit('tasks', {
      name: 'holder',
      type: 'wait',
      devices: { multiplier: at('multiplier_a') },
      input_parameters: { seconds: 3 },
    });
    const task = await finishedTask({
      name: 'impatient',
      type: 'multiply',
      devices: { multiplier: at('multiplier_a') },
      input_parameters: { number: 1 },
      allocation_timeout: 0.5,
    });
    expect(task).toMatchObject({ state: 'failed', reason: { code: 'allocation_timeout' } });
    await eventually(() => lab.api.task('holder'), isOver);
  });

  it('has 600 s to start by default', async () => {
    const task = await finishedTask({
      name: 'patient',
      type: 'multiply',
      devices: { multiplier: at('multiplier_a') },
      input_parameters: { number: 1 },
    });
    expect(task.allocation_timeout).toBe(600);
  });

  it('needs a name that no queued or running task has, and frees the name when it ends', async () => {
    const wait = {
      type: 'wait',
      devices: { multiplier: at('multiplier_a') },
      input_parameters: { seconds: 60 },
    };
    const again = async (name: string): Promise<unknown> => {
      const { status, body } = await lab.api.submit('tasks', { ...wait, name });
      return [status, body.code];
    };
    await lab.api.submit('tasks', { ...wait, name: 'runs' });
    await eventually(
      () => lab.api.task('runs'),
      ({ state }) => state === 'running',
    );
    expect((await lab.api.submit('tasks', { ...wait, name: 'waits' })).body).toMatchObject({
      state: 'queued',
    });
    expect(await again('runs')).toEqual([409, 'duplicate_name']);
    expect(await again('waits')).toEqual([409, 'duplicate_name']);
    for (const name of ['waits', 'runs']) await lab.api.call('POST', `/api/tasks/${name}/cancel`);
    await eventually(() => lab.api.task('runs'), isOver);
    expect(await again('waits')).toEqual([201, undefined]);
    await lab.api.call('POST', '/api/tasks/waits/cancel');
    await eventually(() => lab.api.task('waits'), isOver);
  });

  it('starts before a task of lower priority that was submitted earlier', async () => {
    const multiply = {
      type: 'multiply',
      devices: { multiplier: at('multiplier_a') },
      input_parameters: { number: 1 },
    };
    await lab.api.submit('tasks', {
      name: 'first holder',
      type: 'wait',
      devices: { multiplier: at('multiplier_a') },
      input_parameters: { seconds: 1 },
    });
    await lab.api.submit('tasks', { ...multiply, name: 'low', priority: 1 });
    await lab.api.submit('tasks', { ...multiply, name: 'high', priority: 9 });
    const [low, high] = await Promise.all(
      ['low', 'high'].map((name) => eventually(() => lab.api.task(name), isOver)),
    );
    expect(Date.parse(high?.started_at ?? '')).toBeLessThan(Date.parse(low?.started_at ?? ''));
  });

  it('stores its complete files under the names that the author chose', async () => {
    const task = await finishedTask({
      name: 'files',
      type: 'write_file',
      input_parameters: { text: 'Grüße', kilobytes: 700 },
    });
    expect(task.state).toBe('completed');
    expect(task.output_files.map((file) => [file.name, file.size]).sort()).toEqual([
      ['large.bin', 700 * 1024],
      ['notes in memory.txt', 7],
      ['notes.txt', 19],
    ]);
    const text = await lab.api.call<string>('GET', '/api/tasks/files/files/notes%20in%20memory.txt');
    expect(text.status).toBe(200);
    expect(text.body).toBe('Grüße');
    const large = await fetch(`${lab.stack.url}/api/tasks/files/files/large.bin`);
    expect((await large.arrayBuffer()).byteLength).toBe(700 * 1024);
    const unknown = await lab.api.call<Problem>('GET', '/api/tasks/files/files/none.txt');
    expect(unknown.status).toBe(404);
  });
});

describe('a campaign', () => {
  it('runs its protocol with parameters per run that override the common ones, and counts its runs', async () => {
    const answer = await lab.api.submit('campaigns', {
      name: 'series',
      protocol: 'optimize_multiplication',
      max_protocol_runs: 4,
      max_concurrent_protocol_runs: 2,
      global_parameters: { first: { number: 2, factor: 2 }, second: { factor: 1 } },
      protocol_run_parameters: [1, 2, 3, 4].map((factor) => ({ second: { factor } })),
    });
    expect(answer.status).toBe(201);
    const campaign = await eventually(() => lab.api.campaign('series'), isOver);
    expect(campaign).toMatchObject({ state: 'completed', protocol_runs_completed: 4 });
    const losses = campaign.protocol_runs.map((run) => [
      run.name,
      run.tasks.find((task) => task.name === 'score')?.output_parameters?.['loss'],
    ]);
    expect(Object.fromEntries(losses)).toEqual({
      series_run_1: 1020,
      series_run_2: 1016,
      series_run_3: 1012,
      series_run_4: 1008,
    });
    const overlap = campaign.protocol_runs.map(
      (run) =>
        campaign.protocol_runs.filter(
          (other) =>
            Date.parse(other.started_at ?? '') <= Date.parse(run.started_at ?? '') &&
            Date.parse(other.ended_at ?? '') > Date.parse(run.started_at ?? ''),
        ).length,
    );
    expect(Math.max(...overlap)).toBeLessThanOrEqual(2);
  });
});

describe('the agents', () => {
  it('are listed by computer with their state and their work', async () => {
    // The work of other tests has ended, and the agent may tell it a moment later.
    const { items } = await eventually(
      async () => (await lab.api.call<Page<AgentRecord>>('GET', '/api/agents')).body,
      (page) => page.items.every(({ devices }) => devices.every(({ state }) => state === 'idle')),
    );
    expect(items.map(({ computer, state, reason }) => [computer, state, reason])).toEqual([
      ['bench_b', 'online', null],
      ['svc_computer', 'online', null],
    ]);
    const [bench] = items;
    expect(bench).toMatchObject({
      labs: ['multiplication_lab'],
      incarnation: 1,
      address: '127.0.0.2',
      ledger: { writable: true },
      tasks: [],
    });
    expect(bench?.devices.map(({ name, state }) => [name, state])).toEqual([['multiplier_b', 'idle']]);
    const alone = await lab.api.call<AgentRecord>('GET', '/api/agents/bench_b');
    expect(alone.body).toMatchObject({ computer: 'bench_b', incarnation: 1, devices: bench?.devices });
    const none = await lab.api.call<Problem>('GET', '/api/agents/nowhere');
    expect([none.status, none.body.code]).toEqual([404, 'not_found']);
  });
});

describe('device RPC', () => {
  it('calls a function with named parameters, on either computer', async () => {
    for (const device of ['multiplier_a', 'multiplier_b']) {
      const answer = await lab.api.rpc('multiplication_lab', device, 'multiply', { a: 3, b: 4 });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ product: 12 });
    }
  });

  it('ignores the queue, and with a reason the holder of the device', async () => {
    await lab.api.submit('tasks', {
      name: 'has it',
      type: 'wait',
      devices: { multiplier: at('multiplier_a') },
      input_parameters: { seconds: 60 },
    });
    await eventually(
      () => lab.api.task('has it'),
      ({ state }) => state === 'running',
    );
    await lab.api.call('POST', '/api/queue/pause');
    const refused = await lab.api.rpc('multiplication_lab', 'multiplier_a', 'multiply', { a: 3, b: 5 });
    expect(refused).toMatchObject({ status: 409, body: { code: 'device_in_use' } });
    const answer = await lab.api.forcedRpc('multiplication_lab', 'multiplier_a', 'multiply', { a: 3, b: 5 });
    expect(answer).toMatchObject({ status: 200, body: { product: 15 } });
    expect(await lab.api.task('has it')).toMatchObject({ state: 'running' });
    await lab.api.call('POST', '/api/queue/resume');
    await lab.api.call('POST', '/api/tasks/has%20it/cancel');
    await eventually(() => lab.api.task('has it'), isOver);
  });

  it('answers a query during an effect', async () => {
    const effect = lab.api.rpc('multiplication_lab', 'multiplier_a', 'hold', { seconds: 1.5 });
    const begin = Date.now();
    const query = await lab.api.rpc<{ products: number }>('multiplication_lab', 'multiplier_a', 'count');
    expect(query.body.products).toBeGreaterThan(0);
    expect(Date.now() - begin).toBeLessThan(1_000);
    expect((await effect).status).toBe(200);
  });

  it.each([
    ['an unknown lab', 'nowhere', 'multiplier_a', 'count', 404, 'unknown_lab'],
    ['an unknown device', 'multiplication_lab', 'none', 'count', 404, 'unknown_device'],
    ['an unknown function', 'multiplication_lab', 'multiplier_a', 'none', 404, 'unknown_function'],
    ['a function that is not declared', 'faulty_lab', 'brittle', 'hidden', 404, 'unknown_function'],
    ['a member of every device', 'faulty_lab', 'brittle', '_initialize', 404, 'unknown_function'],
    ['a member of every object', 'faulty_lab', 'brittle', 'constructor', 404, 'unknown_function'],
  ])('refuses %s', async (_, labName, device, name, status, code) => {
    const answer = await lab.api.rpc<Problem>(labName, device, name);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it("returns the author's message and stack when the function throws, and the device continues", async () => {
    const answer = await lab.api.rpc<Problem & { author_stack?: string }>('faulty_lab', 'brittle', 'fail', {
      message: 'told to',
    });
    expect([answer.status, answer.body.code]).toEqual([502, 'device_error']);
    expect(answer.body.detail).toContain('told to');
    expect(answer.body.author_stack).toContain('faulty_lab/devices/brittle/device.ts:');
    expect(JSON.stringify(answer.body)).not.toContain('node_modules');
    expect((await lab.api.rpc('faulty_lab', 'brittle', 'count')).status).toBe(200);
  });
});
