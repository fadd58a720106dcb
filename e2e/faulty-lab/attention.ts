import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AttentionRecord, TaskFailurePolicy } from '@lab/contracts';
import { eventually, isOver } from '../api.js';
import { lab } from './lab.js';

/** Failing tasks, and decisions that only a person can take, with the real processes. */

const multiplier = { multiplier: { lab_name: 'multiplication_lab', name: 'multiplier_a' } };

const brittleIs = (state: string) =>
  eventually(
    () => lab.api.device('brittle'),
    (device) => device.state === state,
  );

/** Submits a run whose task `trouble` fails in the given mode. */
async function misbehaving(name: string, mode: string, policy: TaskFailurePolicy = {}): Promise<void> {
  await brittleIs('idle');
  const answer = await lab.api.submit('protocols', {
    name,
    type: 'mishap',
    parameters: { trouble: { mode } },
    failure_policy: { trouble: policy },
  });
  expect(answer.status).toBe(201);
}

const statesOf = async (run: string): Promise<Record<string, string>> =>
  Object.fromEntries((await lab.api.run(run)).tasks.map((task) => [task.name, task.state]));

/** The open attention item about a subject. */
const itemAbout = async (subject: string): Promise<AttentionRecord> => {
  const items = await eventually(
    () => lab.api.attention(),
    (open) => open.some((item) => item.subject === subject),
  );
  const about = items.filter((item) => item.subject === subject);
  expect(about).toHaveLength(1);
  return about[0] as AttentionRecord;
};

/** Sends SIGKILL to a process that the stack supervises. */
function kill(name: string): void {
  const processes = JSON.parse(readFileSync(join(lab.stack.dataDir, 'run/processes.json'), 'utf8')) as {
    name: string;
    pid: number;
  }[];
  const found = processes.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no ${name} to kill`);
  process.kill(found.pid, 'SIGKILL');
}

describe('a task whose agent is killed in the middle of an effect', () => {
  it('leads to attention items for the task and the device, and the run continues after a person resolved both', async () => {
    const count = () => lab.api.rpc<{ steps: number }>('faulty_lab', 'brittle', 'count');
    const before = (await count()).body.steps;
    await misbehaving('killed', 'long_step');
    // The second step is the long one.
    await eventually(count, (answer) => answer.body.steps === before + 2);
    await eventually(
      () => lab.api.taskOf('killed', 'beside'),
      (task) => task.state === 'completed',
    );
    kill('agent');

    const device = await itemAbout('faulty_lab.brittle');
    expect(device).toMatchObject({
      kind: 'device',
      state: 'open',
      actions: ['idle'],
      known: { in_doubt: [{ function: 'step' }], held_by: 'killed/trouble' },
    });
    const task = await itemAbout('killed/trouble');
    expect(task).toMatchObject({
      kind: 'task',
      attempt: 1,
      reason: { code: 'outcome_unknown' },
      known: { in_doubt: { device: 'faulty_lab.brittle', function: 'step' }, effects: 2 },
    });
    expect(task.look_at[0]).toMatch(
      /^faulty_lab\.brittle on svc_computer: was step\(\{.*\}\) done\? \(the task started at .*Z\)$/,
    );
    expect(task.choices.map(({ action }) => action)).toEqual(task.actions);
    expect((await lab.api.run('killed')).state).toBe('needs_attention');
    const held = await brittleIs('uncertain');
    expect(held).toMatchObject({ held_by: 'killed/trouble', doubt: { in_doubt: [{ function: 'step' }] } });
    const refused = await lab.api.forcedRpc<{ code: string; effect: string }>(
      'faulty_lab',
      'brittle',
      'step',
    );
    expect([refused.body.code, refused.body.effect]).toEqual(['device_unavailable', 'none']);

    const wrong = await lab.api.resolve(device.id, { action: 'completed' });
    expect([wrong.status, wrong.body.code]).toEqual([422, 'invalid']);
    const incomplete = await lab.api.resolve(task.id, { action: 'completed', by: 'ada' });
    expect(incomplete.status).toBe(422);
    expect(incomplete.body.errors?.map(({ path }) => path)).toEqual(['output_parameters.steps']);

    const settled = await lab.api.resolve(device.id, { action: 'idle', by: 'ada', note: 'it stands still' });
    expect(settled.status).toBe(200);
    expect(settled.body).toMatchObject({
      state: 'resolved',
      actions: [],
      resolution: { action: 'idle', by: 'ada', note: 'it stands still' },
    });
    await brittleIs('idle');
    expect((await lab.api.run('killed')).state).toBe('needs_attention');

    const done = { action: 'completed', by: 'ada', output_parameters: { steps: 3 } } as const;
    expect((await lab.api.resolve(task.id, done)).status).toBe(200);
    const run = await eventually(() => lab.api.run('killed'), isOver);
    expect(run.state).toBe('completed');
    expect(run.tasks.find(({ name }) => name === 'after')).toMatchObject({ input_parameters: { number: 3 } });
    expect(await lab.api.attempts('trouble', 'killed')).toMatchObject([
      { number: 1, state: 'completed', reason: { code: 'completed_by_person' } },
    ]);
    expect(await lab.api.attention()).toEqual([]);
    const again = await lab.api.resolve(task.id, { action: 'failed' });
    expect([again.status, again.body.code]).toEqual([409, 'wrong_state']);
  });
});

describe('a task whose own process is killed in the middle of an effect', () => {
  it('fails after the effect has ended, is not retried and reports its effects', async () => {
    await misbehaving('died', 'die_in_step', { retry: { attempts: 3, backoff: 0 } });
    const run = await eventually(() => lab.api.run('died'), isOver);
    expect(run.state).toBe('failed');
    expect(await lab.api.attempts('trouble', 'died')).toMatchObject([
      {
        number: 1,
        state: 'failed',
        reason: { code: 'task_process_died' },
        calls: { effects: 2, in_doubt: null, last_confirmed: { function: 'step' } },
      },
    ]);
    await brittleIs('idle');
    expect(await lab.api.attention()).toEqual([]);
  });
});

describe('a gateway that is killed', () => {
  it('interrupts no task and refuses a repeated submission as a duplicate', async () => {
    const submission = {
      name: 'beside the gateway',
      type: 'wait',
      devices: multiplier,
      input_parameters: { seconds: 1 },
    };
    expect((await lab.api.submit('tasks', submission)).status).toBe(201);
    kill('gateway');
    const away = (): Promise<unknown> => lab.api.call('GET', '/health/live').catch(() => undefined);
    await eventually(away, (answer) => answer === undefined);
    const task = await eventually(
      () => lab.api.task(submission.name).catch(() => ({ state: 'unread' })),
      isOver,
    );
    expect(task).toMatchObject({ state: 'completed', attempt: 1 });

    const run = { name: 'once', type: 'mishap', parameters: { trouble: { mode: 'not_at_all' } } };
    expect((await lab.api.submit('protocols', run)).status).toBe(201);
    const again = await lab.api.submit('protocols', run);
    expect([again.status, again.body.code]).toEqual([409, 'duplicate_name']);
    expect((await eventually(() => lab.api.run('once'), isOver)).state).toBe('completed');
  });
});

describe('a failure policy', () => {
  it('retries a failed task that had no effect', async () => {
    await lab.api.rpc('faulty_lab', 'brittle', 'exit', { code: 0 });
    await eventually(
      () => lab.api.rpc<{ steps?: number }>('faulty_lab', 'brittle', 'count'),
      (answer) => answer.body.steps === 0,
    );
    await misbehaving('patient', 'look', { retry: { attempts: 50, backoff: 0.1 } });
    await eventually(
      () => lab.api.taskOf('patient', 'trouble'),
      (task) => task.failures >= 2,
    );
    await lab.api.rpc('faulty_lab', 'brittle', 'step');
    expect((await eventually(() => lab.api.run('patient'), isOver)).state).toBe('completed');
    const attempts = await lab.api.attempts('trouble', 'patient');
    expect(attempts.length).toBeGreaterThanOrEqual(3);
    expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, index) => index + 1));
    expect(
      attempts.slice(0, -1).every(({ state, calls }) => state === 'failed' && calls?.effects === 0),
    ).toBe(true);
  });

  it('skips the tasks that depend on a failed task and continues with the others', async () => {
    await misbehaving('skipping', 'throw', { on_failure: 'skip' });
    const run = await eventually(() => lab.api.run('skipping'), isOver);
    expect(run).toMatchObject({ state: 'completed', reason: { code: 'tasks_failed' } });
    expect(run.reason?.message).toContain('trouble');
    expect(await statesOf('skipping')).toEqual({
      before: 'completed',
      trouble: 'failed',
      beside: 'completed',
      after: 'skipped',
    });
  });

  it('opens an attention item for a failed task and retries the task when a person decides so', async () => {
    await misbehaving('asking', 'throw', { on_failure: 'ask' });
    const item = await itemAbout('asking/trouble');
    expect(item.reason).toMatchObject({ code: 'task_error', message: 'the task was told to throw' });
    expect((await lab.api.device('brittle')).held_by).toBe('asking/trouble');
    expect((await lab.api.resolve(item.id, { action: 'retry', by: 'ada' })).status).toBe(200);
    const second = await eventually(
      () => itemAbout('asking/trouble'),
      (open) => open.attempt === 2,
    );
    expect((await lab.api.resolve(second.id, { action: 'failed', by: 'ada' })).status).toBe(200);
    expect((await eventually(() => lab.api.run('asking'), isOver)).state).toBe('failed');
    expect((await lab.api.attempts('trouble', 'asking')).map(({ state }) => state)).toEqual([
      'failed',
      'failed',
    ]);
    await brittleIs('idle');
    expect((await lab.api.device('brittle')).held_by).toBeNull();
  });

  it('stops a task at its timeout', async () => {
    const began = Date.now();
    await lab.api.submit('tasks', {
      name: 'too long',
      type: 'wait',
      devices: multiplier,
      input_parameters: { seconds: 600 },
      timeout: 0.5,
      retry: { attempts: 2, backoff: 0.1 },
    });
    const task = await eventually(() => lab.api.task('too long'), isOver);
    expect(task).toMatchObject({ state: 'failed', reason: { code: 'timeout' }, attempt: 2, failures: 2 });
    expect((await lab.api.attempts('too long')).map(({ reason }) => reason?.code)).toEqual([
      'timeout',
      'timeout',
    ]);
    expect(Date.now() - began).toBeLessThan(30_000);
    expect((await lab.api.device('multiplier_a')).held_by).toBeNull();
  });
});
