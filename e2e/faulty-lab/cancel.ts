import { describe, expect, it } from 'vitest';
import type { Problem } from '@lab/contracts';
import { eventually, isOver } from '../api.js';
import { lab } from './lab.js';

/** Cancelling: queued work ends at once; running work stops before the engine frees its devices. */

const wait = (name: string, seconds = 60) => ({
  name,
  type: 'wait',
  devices: { multiplier: { lab_name: 'multiplication_lab', name: 'multiplier_a' } },
  input_parameters: { seconds },
});

const isRunning = (record: { state: string }): boolean => record.state === 'running';
const cancel = (path: string) => lab.api.call<Problem>('POST', `/api/${path}/cancel`);

describe('a cancel', () => {
  it('of a running task stops it and frees its device', async () => {
    await lab.api.submit('tasks', wait('running one'));
    await eventually(() => lab.api.task('running one'), isRunning);
    expect((await cancel('tasks/running%20one')).status).toBe(202);
    const task = await eventually(() => lab.api.task('running one'), isOver);
    expect(task).toMatchObject({ state: 'cancelled', reason: { code: 'cancelled_by_request' } });
    await lab.api.submit('tasks', wait('next one', 0));
    expect((await eventually(() => lab.api.task('next one'), isOver)).state).toBe('completed');
  });

  it('of a queued task removes it from the queue at once', async () => {
    await lab.api.submit('tasks', wait('holds'));
    await eventually(() => lab.api.task('holds'), isRunning);
    await lab.api.submit('tasks', wait('queued one'));
    expect((await cancel('tasks/queued%20one')).status).toBe(202);
    expect((await lab.api.task('queued one')).state).toBe('cancelled');
    await cancel('tasks/holds');
    await eventually(() => lab.api.task('holds'), isOver);
  });

  it('of a run stops its tasks first and then cancels the run', async () => {
    await lab.api.submit('protocols', {
      name: 'stopped run',
      type: 'slow_multiplication',
      parameters: { wait: { seconds: 60 } },
    });
    await eventually(
      () => lab.api.run('stopped run'),
      (run) => run.tasks.some(isRunning),
    );
    expect((await cancel('protocols/stopped%20run')).status).toBe(202);
    const run = await eventually(() => lab.api.run('stopped run'), isOver);
    expect(run.state).toBe('cancelled');
    const [waited, after] = run.tasks;
    expect([waited?.state, after?.state]).toEqual(['cancelled', 'cancelled']);
    expect(Date.parse(run.ended_at ?? '')).toBeGreaterThanOrEqual(Date.parse(waited?.ended_at ?? ''));
  });

  it('of one task of a run fails the run', async () => {
    await lab.api.submit('protocols', {
      name: 'broken run',
      type: 'slow_multiplication',
      parameters: { wait: { seconds: 60 } },
    });
    await eventually(
      () => lab.api.run('broken run'),
      (run) => run.tasks.some(isRunning),
    );
    const answer = await lab.api.call('POST', '/api/tasks/wait/cancel?protocol_run_name=broken%20run');
    expect(answer.status).toBe(202);
    expect((await eventually(() => lab.api.run('broken run'), isOver)).state).toBe('failed');
  });

  it('of a campaign cancels its runs and starts no more', async () => {
    await lab.api.submit('campaigns', {
      name: 'stopped campaign',
      protocol: 'slow_multiplication',
      max_protocol_runs: 5,
      max_concurrent_protocol_runs: 2,
      global_parameters: { wait: { seconds: 60 } },
    });
    await eventually(
      () => lab.api.campaign('stopped campaign'),
      (campaign) => campaign.protocol_runs.some((run) => run.tasks.some(isRunning)),
    );
    expect((await cancel('campaigns/stopped%20campaign')).status).toBe(202);
    const campaign = await eventually(() => lab.api.campaign('stopped campaign'), isOver);
    expect(campaign.state).toBe('cancelled');
    expect(campaign.protocol_runs.length).toBeLessThanOrEqual(2);
    expect(new Set(campaign.protocol_runs.map((run) => run.state))).toEqual(new Set(['cancelled']));
  });

  it.each(['tasks', 'protocols', 'campaigns'])(
    'of %s that do not exist is answered with 404',
    async (kind) => {
      const answer = await cancel(`${kind}/nobody`);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    },
  );

  it('of work that has ended is refused with wrong_state', async () => {
    const answer = await cancel('protocols/stopped%20run');
    expect([answer.status, answer.body.code]).toEqual([409, 'wrong_state']);
  });
});
