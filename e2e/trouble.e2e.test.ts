import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '@lab/contracts';
import { eventually, isOver } from './api.js';
import { startFaultyLab, type Lab } from './lab.js';

/** Failing tasks, failing devices and faulty requests: other work goes on, and nothing faulty is stored. */

let lab: Lab;

beforeAll(async () => {
  lab = await startFaultyLab({ env: { SVC_DEVICE_CALL_TIMEOUT_S: '3' } });
});
afterAll(() => lab.stack.dispose());

const brittle = { brittle: { lab_name: 'faulty_lab', name: 'brittle' } };
const brittleIdle = () =>
  eventually(
    () => lab.api.devices(),
    (devices) => devices.some((device) => device.name === 'brittle' && device.state === 'idle'),
  );

async function misbehave(mode: string) {
  await brittleIdle();
  const name = `misbehave ${mode}`;
  const answer = await lab.api.submit('tasks', {
    name,
    type: 'misbehave',
    devices: brittle,
    input_parameters: { mode },
  });
  expect(answer.status).toBe(201);
  return eventually(() => lab.api.task(name), isOver);
}

describe('a faulty task', () => {
  it("fails with the author's message and a stack inside the package when it throws", async () => {
    const task = await misbehave('throw');
    expect(task.state).toBe('failed');
    expect(task.reason?.message).toContain('the task was told to throw');
    expect(task.reason?.stack).toContain('faulty_lab/tasks/misbehave/task.ts:');
    expect(task.reason?.stack).not.toMatch(/node_modules|node:internal|\.mjs/);
  });

  it('fails when its process ends', async () => {
    const task = await misbehave('exit');
    expect(task).toMatchObject({ state: 'failed', reason: { code: 'task_process_died' } });
    expect(task.reason?.message).toContain('7');
  });

  it('fails when its outputs differ from its definition, and the record keeps the outputs', async () => {
    const task = await misbehave('wrong_output');
    expect(task).toMatchObject({
      state: 'failed',
      reason: { code: 'invalid_output' },
      output_parameters: { steps: 'many' },
    });
  });

  it('fails when it does not return a triple', async () => {
    expect((await misbehave('no_triple')).state).toBe('failed');
  });

  it('is killed when it ignores the request to stop', async () => {
    await brittleIdle();
    const before = await lab.api.rpc<{ steps: number }>('faulty_lab', 'brittle', 'count');
    await lab.api.submit('tasks', {
      name: 'stubborn',
      type: 'misbehave',
      devices: brittle,
      input_parameters: { mode: 'ignore_abort' },
    });
    // The task has made its last device call: from here on it only waits and ignores every request.
    await eventually(
      () => lab.api.rpc<{ steps: number }>('faulty_lab', 'brittle', 'count'),
      (answer) => answer.body.steps > before.body.steps,
    );
    await lab.api.call('POST', '/api/tasks/stubborn/cancel');
    const asked = await lab.api.task('stubborn');
    expect(asked.state).toBe('running');
    expect(asked.cancel_requested_at).not.toBeNull();
    expect((await eventually(() => lab.api.task('stubborn'), isOver)).state).toBe('cancelled');
  });
});

describe('a faulty device', () => {
  it("fails the task with the author's message when its function throws", async () => {
    const task = await misbehave('device_throws');
    expect(task.state).toBe('failed');
    expect(task.reason?.message).toContain('the device was told to throw');
  });

  it('is restarted after its process died, and the task fails', async () => {
    const task = await misbehave('device_exits');
    expect(task.state).toBe('failed');
    await brittleIdle();
    const answer = await lab.api.rpc<{ steps: number }>('faulty_lab', 'brittle', 'count');
    expect(answer.body).toEqual({ steps: 0 });
  });

  it('is restarted when a call never returns, and the task fails', async () => {
    const task = await misbehave('device_hangs');
    expect(task.state).toBe('failed');
    await brittleIdle();
    expect((await misbehave('not_at_all')).state).toBe('completed');
  });

  it('does not affect other devices', async () => {
    const answer = await lab.api.rpc('multiplication_lab', 'multiplier_a', 'multiply', { a: 2, b: 2 });
    expect(answer.body).toEqual({ product: 4 });
  });
});

describe('a run with a failed task', () => {
  it('stops its other tasks and fails with the reason of the failed task', async () => {
    await brittleIdle();
    await lab.api.submit('protocols', {
      name: 'trouble inside',
      type: 'misbehaving',
      parameters: { trouble: { mode: 'throw' } },
    });
    const run = await eventually(() => lab.api.run('trouble inside'), isOver);
    expect(run.state).toBe('failed');
    expect(run.reason?.message).toContain('trouble');
    const states = Object.fromEntries(run.tasks.map((task) => [task.name, task.state]));
    expect(states).toMatchObject({ before: 'completed', trouble: 'failed' });
    expect(['cancelled', 'skipped']).toContain(states['beside']);
    expect(['cancelled', 'skipped']).toContain(states['after']);
  });
});

describe('an invalid request', () => {
  const run = { name: 'wrong', type: 'optimize_multiplication' };
  const parameters = { first: { number: 1, factor: 1 }, second: { factor: 1 } };
  const task = { name: 'wrong', type: 'multiply' };
  const device = (name: string) => ({ multiplier: { lab_name: 'multiplication_lab', name } });
  const good = { devices: device('multiplier_a'), input_parameters: { number: 1 } };

  it.each([
    ['an unknown protocol', 'protocols', { ...run, type: 'nothing' }, 422, 'unknown_protocol', 'type'],
    [
      'a missing dynamic parameter',
      'protocols',
      { ...run, parameters: { first: { number: 1, factor: 1 } } },
      422,
      'invalid',
      'parameters.second.factor',
    ],
    [
      'a parameter of the wrong type',
      'protocols',
      { ...run, parameters: { ...parameters, second: { factor: 'x' } } },
      422,
      'invalid',
      'parameters.second.factor',
    ],
    [
      'a parameter out of range',
      'protocols',
      { ...run, parameters: { ...parameters, second: { factor: 1001 } } },
      422,
      'invalid',
      'parameters.second.factor',
    ],
    [
      'a parameter of no task',
      'protocols',
      { ...run, parameters: { ...parameters, third: { x: 1 } } },
      422,
      'invalid',
      'parameters.third',
    ],
    [
      'a value that is not among the choices',
      'tasks',
      { name: 'wrong', type: 'misbehave', devices: brittle, input_parameters: { mode: 'dance' } },
      422,
      'invalid',
      'input_parameters.mode',
    ],
    [
      'an unknown protocol of a campaign',
      'campaigns',
      { name: 'wrong', protocol: 'nothing', max_protocol_runs: 1 },
      422,
      'unknown_protocol',
      'protocol',
    ],
    [
      'parameters neither for all runs of a campaign nor for each',
      'campaigns',
      { name: 'wrong', protocol: run.type, max_protocol_runs: 1 },
      422,
      'invalid',
      'global_parameters.first.number',
    ],
    ['an unknown field', 'protocols', { ...run, parameters, colour: 1 }, 422, 'invalid', 'colour'],
    [
      'an unknown task type',
      'tasks',
      { ...task, ...good, type: 'nothing' },
      422,
      'unknown_task_type',
      'type',
    ],
    [
      'an unknown device',
      'tasks',
      { ...task, ...good, devices: device('none') },
      422,
      'invalid',
      'devices.multiplier.name',
    ],
    [
      'a device of another type',
      'tasks',
      { ...task, ...good, devices: { multiplier: brittle.brittle } },
      422,
      'invalid',
      'devices.multiplier',
    ],
    [
      'no device',
      'tasks',
      { ...task, input_parameters: { number: 1 } },
      422,
      'invalid',
      'devices.multiplier',
    ],
    [
      'a missing parameter',
      'tasks',
      { ...task, devices: device('multiplier_a') },
      422,
      'invalid',
      'input_parameters.number',
    ],
    [
      'a list of runs of another length',
      'campaigns',
      { name: 'wrong', protocol: run.type, max_protocol_runs: 2, protocol_run_parameters: [parameters] },
      422,
      'invalid',
      'protocol_run_parameters',
    ],
  ])('with %s is refused at its path, and nothing is stored', async (_, kind, body, status, code, path) => {
    const answer = await lab.api.submit(kind as 'tasks', body);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    if (code === 'invalid') expect(answer.body.errors?.map((fault) => fault.path)).toContain(path);
    const stored = await lab.api.call<Problem>('GET', `/api/${kind}/wrong`);
    expect(stored.status).toBe(404);
  });

  it('with a name that is taken is refused as a duplicate', async () => {
    const body = { ...run, name: 'once', parameters };
    expect((await lab.api.submit('protocols', body)).status).toBe(201);
    const again = await lab.api.submit('protocols', body);
    expect([again.status, again.body.code]).toEqual([409, 'duplicate_name']);
    await eventually(() => lab.api.run('once'), isOver, 5_000).catch(async () => {
      // Nobody runs the second computer here, so a run on it would wait; it is not what this test is about.
      await lab.api.call('POST', '/api/protocols/once/cancel');
    });
  });

  it('that is not JSON is refused as malformed', async () => {
    const answer = await lab.api.submit('tasks', '{"name": ');
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_json']);
  });
});
