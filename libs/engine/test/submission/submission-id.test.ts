import { orchestratorRequests } from '@lab/contracts';
import { expect, it } from 'vitest';
import { TestLab } from '../test-lab.js';

it('the engine stores the id of a submission in the row that it creates and in no other', async () => {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.taskType('wait');
  test.protocol('p', [{ name: 'a' }]);
  await test.open();
  const { submissions } = test.engine;
  await submissions.task({ name: 't', type: 'wait', submission_id: 's-1' });
  await submissions.protocolRun({ name: 'r', type: 'p', submission_id: 's-2' });
  await submissions.campaign({ name: 'c', protocol: 'p', max_protocol_runs: 1, submission_id: 's-3' });
  await submissions.task({ name: 'u', type: 'wait' });
  await test.clock.settle();
  const ids = (rows: Iterable<{ name: string; submissionId: string | null }>) =>
    Object.fromEntries([...rows].map(({ name, submissionId }) => [name, submissionId]));
  const { taskRuns, protocolRuns, campaigns } = test.store.rows;
  expect(ids(taskRuns.values())).toEqual({ t: 's-1', u: null, a: null });
  expect(ids(protocolRuns.values())).toEqual({ r: 's-2', c_run_1: null });
  expect(ids(campaigns.values())).toEqual({ c: 's-3' });
});

it.each(['submitTask', 'submitProtocolRun'] as const)(
  '%s carries the id of a submission beside its fields',
  (kind) => {
    const { request } = orchestratorRequests[kind];
    const submission = { name: 'x', type: 't' };
    expect(request.check({ ...submission, submission_id: 's' })).toEqual({
      ok: true,
      value: { ...submission, submission_id: 's' },
    });
    expect(request.check(submission)).toEqual({ ok: true, value: submission });
    expect(request.check({ ...submission, submission_id: 1 })).toMatchObject({
      ok: false,
      faults: [{ path: 'submission_id' }],
    });
    expect(request.check({ ...submission, submission: 's' })).toMatchObject({ ok: false });
  },
);
