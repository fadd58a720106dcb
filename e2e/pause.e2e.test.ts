import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CampaignRecord, Problem, ProtocolRunRecord, QueuePage, QueueRecord } from '@lab/contracts';
import { eventually, isOver } from './api.js';
import { startFaultyLab, type Lab } from './lab.js';

/** Pausing and resuming the queue, runs and campaigns; resuming after a failure and after Ctrl-C. */

let dataDir = '';
let lab: Lab;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-pause-'));
  lab = await startFaultyLab({ dataDir });
});
afterAll(async () => {
  await lab?.stack.dispose();
  await rm(dataDir, { recursive: true, force: true });
});

/** Ctrl-C, and `svc start` again. */
async function restart(): Promise<void> {
  expect(await lab.stack.stop()).toBe(0);
  lab = await startFaultyLab({ dataDir });
}

const place = 'multiplication_lab';
const multiplier = { multiplier: { lab_name: place, name: 'multiplier_a' } };
const brittle = { brittle: { lab_name: 'faulty_lab', name: 'brittle' } };
const slow = (seconds: number) => ({ type: 'slow_multiplication', parameters: { wait: { seconds } } });

/** How many steps the brittle device has made; undefined while the device is unreachable. */
const steps = async (): Promise<number | undefined> =>
  (await lab.api.rpc<{ steps?: number }>('faulty_lab', 'brittle', 'count')).body.steps;

const taskIs = (run: string, task: string, state: string) =>
  eventually(
    () => lab.api.taskOf(run, task),
    (record) => record.state === state,
  );

describe('a pause', () => {
  it('of a run lets its running tasks end and starts no other task until a person resumes it', async () => {
    const { api } = lab;
    await api.submit('protocols', { name: 'calm', ...slow(1) });
    await taskIs('calm', 'wait', 'running');
    const paused = await api.call<ProtocolRunRecord>('POST', '/api/protocols/calm/pause', { by: 'ada' });
    expect(paused.status).toBe(202);
    expect(paused.body).toMatchObject({ state: 'paused', paused_at: expect.any(String) as string });
    const again = await api.call<Problem>('POST', '/api/protocols/calm/pause');
    expect([again.status, again.body.code]).toEqual([409, 'wrong_state']);

    await taskIs('calm', 'wait', 'completed');
    // Another task with the same scheduling has started and ended meanwhile, so the scheduler has skipped this one.
    await api.submit('tasks', { name: 'other', type: 'write_file', input_parameters: { text: 'x' } });
    await eventually(() => api.task('other'), isOver);
    expect((await api.taskOf('calm', 'multiply')).state).not.toBe('running');
    expect((await api.run('calm')).state).toBe('paused');

    const resumed = await api.call<ProtocolRunRecord>('POST', '/api/protocols/calm/resume', { by: 'ada' });
    expect([resumed.status, resumed.body.paused_at]).toEqual([202, null]);
    expect((await eventually(() => api.run('calm'), isOver)).state).toBe('completed');
    const over = await api.call<Problem>('POST', '/api/protocols/calm/resume');
    expect([over.status, over.body.code]).toEqual([409, 'wrong_state']);
  });

  it('of a campaign starts no further run', async () => {
    const { api } = lab;
    await api.submit('campaigns', {
      name: 'sweep',
      protocol: 'slow_multiplication',
      max_protocol_runs: 2,
      global_parameters: slow(0.5).parameters,
    });
    await taskIs('sweep_run_1', 'wait', 'running');
    const paused = await api.call<CampaignRecord>('POST', '/api/campaigns/sweep/pause');
    expect([paused.status, paused.body.state]).toEqual([202, 'paused']);
    await taskIs('sweep_run_1', 'wait', 'completed');
    expect((await api.campaign('sweep')).protocol_runs).toHaveLength(1);
    expect((await api.call('POST', '/api/campaigns/sweep/resume')).status).toBe(202);
    const done = await eventually(() => api.campaign('sweep'), isOver);
    expect(done).toMatchObject({ state: 'completed', protocol_runs_completed: 2, protocol_runs_failed: 0 });
  });

  it('of the queue outlives a restart', async () => {
    const queue = async () => (await lab.api.call<QueuePage>('GET', '/api/queue')).body;
    for (const _ of ['once', 'twice']) {
      const paused = await lab.api.call<QueueRecord>('POST', '/api/queue/pause', { by: 'ada' });
      expect([paused.status, paused.body.paused, paused.body.paused_by]).toEqual([202, true, 'ada']);
    }
    await lab.api.submit('tasks', {
      name: 'waiting',
      type: 'multiply',
      devices: multiplier,
      input_parameters: { number: 2 },
    });
    expect(await queue()).toMatchObject({
      queued: 1,
      running: 0,
      items: [{ position: 1, label: 'waiting', waits_for: [{ code: 'paused' }] }],
      next_cursor: null,
    });
    await restart();
    expect(await queue()).toMatchObject({ paused: true, paused_by: 'ada', queued: 1, running: 0 });
    expect((await lab.api.task('waiting')).state).toBe('queued');
    const resumed = await lab.api.call<QueueRecord>('POST', '/api/queue/resume', { by: 'bo' });
    expect(resumed.body).toMatchObject({ paused: false, paused_by: null, paused_at: null });
    expect((await eventually(() => lab.api.task('waiting'), isOver)).state).toBe('completed');
  });
});

describe('a failed run', () => {
  it('continues where it stopped when a person resumes it, and keeps its history', async () => {
    const { api } = lab;
    // A device that has just started has made no step.
    await api.rpc('faulty_lab', 'brittle', 'exit', { code: 0 });
    await eventually(steps, (count) => count === 0);
    const submission = {
      name: 'retaken',
      type: 'mishap',
      parameters: { trouble: { mode: 'look' } },
    };
    await api.submit('protocols', submission);
    const failed = await eventually(() => api.run('retaken'), isOver);
    expect(failed.state).toBe('failed');
    const before = failed.tasks.find(({ name }) => name === 'before');
    await api.rpc('faulty_lab', 'brittle', 'step');

    const other = await api.submit('protocols', { ...submission, priority: 7, resume: true });
    expect([other.status, other.body.errors?.map(({ path }) => path)]).toEqual([422, ['priority']]);
    expect((await api.submit('protocols', { ...submission, resume: true })).status).toBe(201);
    const run = await eventually(() => api.run('retaken'), isOver);
    expect(run).toMatchObject({ id: failed.id, state: 'completed' });
    expect(run.tasks.find(({ name }) => name === 'before')).toEqual(before);
    expect(await api.attempts('trouble', 'retaken')).toMatchObject([
      { number: 1, state: 'failed', reason: { message: 'the device has made no step yet' } },
      { number: 2, state: 'completed', reason: null },
    ]);
    expect(await api.attempts('before', 'retaken')).toHaveLength(1);
  });
});

describe('Ctrl-C while tasks run', () => {
  it('names the tasks, and the next start repeats tasks without an effect and asks a person about the others', async () => {
    const first = lab;
    const before = await steps();
    await lab.api.submit('tasks', {
      name: 'harmless',
      type: 'wait',
      devices: multiplier,
      input_parameters: { seconds: 300 },
    });
    await lab.api.submit('tasks', {
      name: 'half way',
      type: 'misbehave',
      devices: brittle,
      input_parameters: { mode: 'ignore_abort' },
    });
    await eventually(steps, (count) => count === (before ?? 0) + 1);
    await restart();
    expect(first.stack.output()).toMatch(/stopping; these tasks run and are stopped: .*harmless/);

    const again = await eventually(
      () => lab.api.task('harmless'),
      (task) => task.attempt === 2 && task.state === 'running',
    );
    expect(again.failures).toBe(0);
    expect((await lab.api.attempts('harmless'))[0]).toMatchObject({ reason: { code: 'agent_stopped' } });
    expect(await lab.api.task('half way')).toMatchObject({
      state: 'needs_attention',
      reason: { code: 'agent_stopped' },
    });
    await lab.api.call('POST', '/api/tasks/harmless/cancel');
    expect((await eventually(() => lab.api.task('harmless'), isOver)).state).toBe('cancelled');
    const [item] = await lab.api.attention();
    expect(item).toMatchObject({ subject: 'half way', known: { effects: 1, in_doubt: null } });
    expect((await lab.api.resolve(item?.id ?? '', { action: 'failed' })).status).toBe(200);
  });
});
