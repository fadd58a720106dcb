import { allLabs, orchestratorRequests } from '@lab/contracts';
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

const entry = (id: string) => ({
  ...{ id, at: 7, by: 'ada', kind: 'token' as const, action: 'POST /api/tasks', subject: `task_run/${id}` },
  ...{ detail: { status: 201 }, request_id: `request-${id}`, ip: '127.0.0.1' },
});

it('the engine commits the audit entry of a submission together with the work, and none of a refused one', async () => {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.taskType('wait');
  test.protocol('p', [{ name: 'a' }]);
  await test.open();
  const { submissions } = test.engine;
  const commits: string[][] = [];
  test.store.beforeCommit = (changes) => void commits.push(changes.map(({ op }) => op));
  await submissions.task({ name: 't', type: 'wait', audit: entry('1') });
  await submissions.protocolRun({ name: 'r', type: 'p', audit: entry('2') });
  await submissions.campaign({ name: 'c', protocol: 'p', max_protocol_runs: 1, audit: entry('3') });
  await expect(submissions.task({ name: 't', type: 'none', audit: entry('4') })).rejects.toThrow();
  expect(test.store.audit.map(({ id, requestId, kind }) => [id, requestId, kind])).toEqual([
    ['1', 'request-1', 'token'],
    ['2', 'request-2', 'token'],
    ['3', 'request-3', 'token'],
  ]);
  const made = ['insertTaskRun', 'insertProtocolRun', 'insertCampaign'];
  const together = commits.filter((ops) => ops.includes('audit'));
  expect(together.map((ops, index) => ops.includes(made[index] ?? ''))).toEqual([true, true, true]);
});

it('the engine shows a task as it was committed, with the hash of its code', async () => {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.taskType('wait');
  await test.open();
  const shown: unknown[] = [];
  await test.engine.submissions.task({ name: 't', type: 'wait' }, allLabs, ({ id, state }, codeHash) =>
    shown.push([test.store.rows.taskRuns.get(id)?.state, state, codeHash]),
  );
  expect(shown).toEqual([['running', 'running', 'h']]);
});

it.each(['submitTask', 'submitProtocolRun'] as const)(
  '%s carries the id of a submission beside its fields',
  (kind) => {
    const { request } = orchestratorRequests[kind];
    const submission = { name: 'x', type: 't', rights: allLabs };
    expect(request.check({ ...submission, submission_id: 's' })).toEqual({
      ok: true,
      value: { ...submission, submission_id: 's' },
    });
    expect(request.check({ ...submission, audit: entry('1') })).toMatchObject({
      ok: true,
      value: { ...submission, audit: entry('1') },
    });
    expect(request.check(submission)).toEqual({ ok: true, value: submission });
    expect(request.check({ ...submission, submission_id: 1 })).toMatchObject({
      ok: false,
      faults: [{ path: 'submission_id' }],
    });
    expect(request.check({ ...submission, audit: { id: '1' } })).toMatchObject({ ok: false });
    expect(request.check({ ...submission, submission: 's' })).toMatchObject({ ok: false });
  },
);
