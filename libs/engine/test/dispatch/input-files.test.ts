import { describe, expect, it } from 'vitest';
import { TestLab } from '../test-lab.js';

const csv = { name: 'a.csv', size: 3, sha256: 'f'.repeat(64) };

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.taskType('read', { input_files: { raw: { desc: '', required: true } } });
  test.protocol('p', [
    { name: 'write', policy: { retry: { attempts: 2, backoff: 0 } } },
    { name: 'read', type: 'read', needs: ['write'], files: { raw: { task: 'write', name: 'a.csv' } } },
  ]);
  await test.open();
  await test.run('r', 'p');
  return test;
}

const latest = (test: TestLab) => [...test.agents.executions.values()].at(-1)?.start;

describe('a task of a run with an input file', () => {
  it('starts with the file of the latest attempt of that task, and records which one', async () => {
    const test = await lab();
    await test.fail('r/write', 'no pen', 0);
    await test.live(2_000);
    await test.agents.complete('r/write', { files: [{ ...csv, name: 'b.csv' }, csv] });
    await test.clock.settle();
    const wanted = { raw: { ...csv, task_run_id: test.task('r/write').id, attempt: 2 } };
    expect(latest(test)?.files).toEqual(wanted);
    expect(test.task('r/read').inputFiles).toEqual(wanted);
  });

  it('fails without an attempt when the file is missing', async () => {
    const test = await lab();
    await test.agents.complete('r/write', { files: [{ ...csv, name: 'b.csv' }] });
    await test.clock.settle();
    expect(test.task('r/read')).toMatchObject({
      state: 'failed',
      attempt: 0,
      reason: {
        code: 'missing_input_file',
        message: 'tasks.read.files.raw: task "write" left no file "a.csv"',
      },
    });
    expect(test.runState('r')).toBe('failed');
  });

  it('is refused as an on-demand task, which has no input files', async () => {
    const test = await lab();
    await expect(test.engine.submissions.task({ name: 't', type: 'read' })).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ path: 'type', code: 'needs_files' }],
    });
    test.taskType('skim', { input_files: { raw: { desc: '', required: false } } });
    await test.engine.submissions.task({ name: 't', type: 'skim' });
    await test.clock.settle();
    expect(test.running()).toContain('t');
  });

  it('shows its files only while it runs', async () => {
    const test = await lab();
    await test.agents.complete('r/write', { files: [csv] });
    await test.clock.settle();
    const start = latest(test);
    expect(test.engine.views.attempt(start?.attempt_id ?? '')?.inputFiles).toMatchObject({ raw: csv });
    await test.complete('r/read');
    expect(test.engine.views.attempt(start?.attempt_id ?? '')).toBeUndefined();
  });
});
