import { describe, expect, it } from 'vitest';
import { campaign, finish, lab as searchLab, measure, trials } from '../search-lab.js';
import { device, ints, open, TestLab } from '../test-lab.js';

/** A laboratory with one arm, so that at most one task runs. Run `r` is running and `s` is queued. */
async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.taskType('use', { devices: { d: { type: 'arm' } }, input_parameters: ints('n', 'm') });
  const task = { type: 'use', devices: { d: device('l.arm') }, parameters: { n: open, m: open } };
  test.protocol('p', [
    { name: 'a', ...task },
    { name: 'b', needs: ['a'], ...task },
  ]);
  await test.open();
  return test;
}

const values = { a: { n: 1, m: 1 }, b: { n: 1, m: 1 } };

async function settled<Value>(test: TestLab, act: Promise<Value>): Promise<Value> {
  const value = await act;
  await test.clock.settle();
  return value;
}

async function onDemand(test: TestLab, name: string): Promise<void> {
  await settled(
    test,
    test.engine.submissions.task({
      name,
      type: 'use',
      devices: { d: { lab_name: 'l', name: 'arm' } },
      input_parameters: { n: 1, m: 1 },
    }),
  );
}

describe('the priority of work', () => {
  it('applies from the next decision on, for all waiting tasks of a run', async () => {
    const test = await lab();
    await test.run('r', 'p', { parameters: values });
    await test.run('s', 'p', { parameters: values });
    await test.run('t', 'p', { parameters: values });
    await settled(test, test.engine.changes.protocolRun('t', { priority: 9 }, 'ada'));
    await test.complete('r/a');
    expect(test.running()).toEqual(['t/a']);
    await test.complete('t/a');
    expect(test.running()).toEqual(['t/b']);
    expect(test.runRow('t').priority).toBe(9);
  });

  it('of a single task puts it before others', async () => {
    const test = await lab();
    for (const name of ['x', 'y', 'z']) await onDemand(test, name);
    await settled(test, test.engine.changes.task('z', undefined, { priority: 1 }, 'ada'));
    await test.complete('x');
    expect(test.running()).toEqual(['z']);
  });

  it('may change while it runs, and not after its end', async () => {
    const test = await lab();
    await onDemand(test, 'x');
    await settled(test, test.engine.changes.task('x', undefined, { priority: 3 }, 'ada'));
    expect(test.task('x').priority).toBe(3);
    await test.complete('x');
    await expect(test.engine.changes.task('x', undefined, { priority: 4 }, 'ada')).rejects.toMatchObject({
      code: 'wrong_state',
    });
  });

  it('passes from a campaign to its runs, whether they have begun or not', async () => {
    const test = await lab();
    await settled(
      test,
      test.engine.submissions.campaign({
        name: 'c',
        protocol: 'p',
        max_protocol_runs: 2,
        global_parameters: values,
      }),
    );
    await settled(test, test.engine.changes.campaign('c', { priority: 7 }, 'ada'));
    expect(test.runRow('c_run_1').priority).toBe(7);
    await test.complete('c_run_1/a');
    await test.complete('c_run_1/b');
    expect(test.task('c_run_2/a').priority).toBe(7);
  });
});

describe('parameters of work', () => {
  it('may change until the first attempt begins, which uses them', async () => {
    const test = await lab();
    await onDemand(test, 'x');
    await onDemand(test, 'y');
    await settled(test, test.engine.changes.task('y', undefined, { input_parameters: { n: 5 } }, 'ada'));
    await expect(
      test.engine.changes.task('x', undefined, { input_parameters: { n: 5 } }, 'ada'),
    ).rejects.toMatchObject({ code: 'wrong_state', message: expect.stringContaining('task x is running') });
    await test.complete('x');
    expect(test.task('y').inputParameters).toEqual({ n: 5, m: 1 });
    expect(test.store.audit).toMatchObject([
      {
        by: 'ada',
        action: 'task.change',
        subject: 'task_run/y',
        detail: { change: { input_parameters: { n: 5 } }, before: { input_parameters: { n: 1, m: 1 } } },
      },
    ]);
  });

  it('of a run change task by task, all of them or none', async () => {
    const test = await lab();
    await test.run('r', 'p', { parameters: values });
    await expect(
      test.engine.changes.protocolRun('r', { parameters: { a: { n: 2 }, b: { n: 2 } } }, 'ada'),
    ).rejects.toMatchObject({ code: 'wrong_state', message: expect.stringContaining('r/a') });
    expect(test.runRow('r').parameters).toEqual(values);
    await settled(test, test.engine.changes.protocolRun('r', { parameters: { b: { n: 2 } } }, 'ada'));
    await settled(test, test.engine.changes.task('b', 'r', { input_parameters: { m: 3 } }, 'ada'));
    await test.complete('r/a');
    expect(test.task('r/b').inputParameters).toEqual({ n: 2, m: 3 });
    expect(test.runRow('r').parameters).toEqual({ a: values.a, b: { n: 2, m: 3 } });
  });

  it('are checked as at the submission, with every fault and its path', async () => {
    const test = await lab();
    await test.run('r', 'p', { parameters: values });
    await expect(
      test.engine.changes.protocolRun('r', { parameters: { b: { n: 'x', o: 1 }, c: {} } }, 'ada'),
    ).rejects.toMatchObject({
      code: 'invalid',
      faults: [
        { path: 'parameters.b.n', code: 'type' },
        { path: 'parameters.b.o', code: 'unknown_parameter' },
        { path: 'parameters.c', code: 'unknown_task' },
      ],
    });
    await expect(
      test.engine.changes.task('b', 'r', { input_parameters: { n: 'x' } }, 'ada'),
    ).rejects.toMatchObject({ faults: [{ path: 'input_parameters.n' }] });
    await expect(test.engine.changes.protocolRun('r', {}, 'ada')).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ code: 'empty' }],
    });
    expect(test.store.audit).toEqual([]);
  });

  it('of a task with an earlier attempt cannot change', async () => {
    const test = await lab();
    await test.engine.submissions.task({
      name: 'x',
      type: 'use',
      devices: { d: { lab_name: 'l', name: 'arm' } },
      input_parameters: { n: 1, m: 1 },
      retry: { attempts: 3, backoff: 60 },
    });
    await test.clock.settle();
    await test.fail('x', 'it broke', 0);
    expect(test.task('x').state).toBe('queued');
    await expect(
      test.engine.changes.task('x', undefined, { input_parameters: { n: 2 } }, 'ada'),
    ).rejects.toMatchObject({ code: 'wrong_state', message: expect.stringContaining('begun before') });
  });
});

describe('a campaign', () => {
  async function begun(more: object = {}): Promise<TestLab> {
    const test = await lab();
    await settled(
      test,
      test.engine.submissions.campaign({
        name: 'c',
        protocol: 'p',
        max_protocol_runs: 3,
        global_parameters: values,
        ...more,
      }),
    );
    await test.complete('c_run_1/a');
    await test.complete('c_run_1/b');
    return test;
  }
  async function rest(test: TestLab): Promise<void> {
    for (let round = 0; round < 20 && test.running().length > 0; round += 1)
      await test.complete(test.running()[0] ?? '');
  }

  it('starts its further runs with the changes', async () => {
    const test = await begun();
    await settled(
      test,
      test.engine.changes.campaign(
        'c',
        { global_parameters: { b: { n: 8 } }, max_concurrent_protocol_runs: 2 },
        'ada',
      ),
    );
    expect(test.runRow('c_run_2').parameters).toEqual(values);
    expect(test.runRow('c_run_3').parameters).toEqual({ a: values.a, b: { n: 8, m: 1 } });
  });

  it('may get fewer runs, but not fewer than have begun, and then ends after them', async () => {
    const test = await begun();
    await expect(test.engine.changes.campaign('c', { max_protocol_runs: 1 }, 'ada')).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringContaining('2 protocol runs'),
    });
    await settled(test, test.engine.changes.campaign('c', { max_protocol_runs: 2 }, 'ada'));
    await rest(test);
    expect(test.campaignRow('c')).toMatchObject({ state: 'completed', runsStarted: 2, runsCompleted: 2 });
  });

  it('may get more runs, unless their names are taken', async () => {
    const test = await begun();
    await test.run('c_run_5', 'p', { parameters: values });
    await expect(test.engine.changes.campaign('c', { max_protocol_runs: 5 }, 'ada')).rejects.toMatchObject({
      code: 'duplicate_name',
    });
    await settled(test, test.engine.changes.campaign('c', { max_protocol_runs: 4 }, 'ada'));
    await rest(test);
    expect(test.campaignRow('c')).toMatchObject({ state: 'completed', runsCompleted: 4 });
  });

  it('with parameters per run accepts another list that does not change begun runs', async () => {
    const own = [1, 2, 3].map((n) => ({ a: { n } }));
    const test = await begun({ protocol_run_parameters: own });
    const first = own.slice(0, 2);
    await expect(test.engine.changes.campaign('c', { max_protocol_runs: 4 }, 'ada')).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ path: 'protocol_run_parameters', code: 'length' }],
    });
    await expect(
      test.engine.changes.campaign(
        'c',
        { protocol_run_parameters: [{ a: { n: 9 } }, ...own.slice(1)] },
        'ada',
      ),
    ).rejects.toMatchObject({ code: 'wrong_state', message: expect.stringContaining('c_run_1') });
    await settled(
      test,
      test.engine.changes.campaign(
        'c',
        { max_protocol_runs: 4, protocol_run_parameters: [...first, { a: { n: 30 } }, { a: { n: 40 } }] },
        'ada',
      ),
    );
    await rest(test);
    expect([3, 4].map((n) => test.runRow(`c_run_${n}`).parameters['a'])).toEqual([
      { n: 30, m: 1 },
      { n: 40, m: 1 },
    ]);
  });

  it('with an optimizer reports the best rows after its last run, also with changed limits', async () => {
    const test = await searchLab();
    await campaign(test, { max_protocol_runs: 2 });
    await measure(test, 1);
    await settled(test, test.engine.changes.campaign('c', { max_protocol_runs: 3 }, 'ada'));
    await finish(test);
    const row = test.campaignRow('c');
    expect(row).toMatchObject({ state: 'completed', runsCompleted: 3 });
    expect(row.optimizer?.best).not.toEqual([]);
    expect(trials(test).map(([number, state]) => [number, state])).toEqual([
      [1, 'measured'],
      [2, 'measured'],
      [3, 'measured'],
    ]);
  });

  it('does not permit a change of the trial of a run', async () => {
    const test = await searchLab();
    await campaign(test);
    await test.clock.settle();
    await expect(
      test.engine.changes.protocolRun('c_run_1', { parameters: { a: { n: 4 } } }, 'ada'),
    ).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ path: 'parameters.a.n', code: 'found_by_optimizer' }],
    });
  });
});
