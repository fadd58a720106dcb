import { describe, expect, it } from 'vitest';
import { campaign, here, measure } from '../search-lab.js';
import { anyDevice, ints, open, same, TestLab } from '../test-lab.js';

/** A laboratory with two incubators and one reader. An optimizer proposes `a.n`. */
async function cultureLab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { one: 'incubator', two: 'incubator', reader: 'reader' });
  test.taskType('measure', {
    input_parameters: ints('n', 'm'),
    output_parameters: { score: { type: 'float', desc: '', unit: 'n/a' } },
  });
  test.protocol('p', [
    {
      name: 'a',
      type: 'measure',
      duration: 30,
      devices: { in: anyDevice('incubator', true) },
      parameters: { n: open, m: open },
    },
    { name: 'b', duration: 5, needs: ['a'], devices: { in: same('a.in') } },
  ]);
  const snapshot = test.definitions.protocols.get('p')!;
  snapshot.protocol.optimizer = { hash: 'o', package: 'l', source: 'optimizer.ts' };
  test.optimizers.description = {
    ...test.optimizers.description,
    runtime_params: { ...test.optimizers.description.runtime_params, batch: 'plain' },
  };
  test.optimizers.boot(here);
  await test.open();
  return test;
}

const aware = { meta: { optimizer_overrides: { batch: 'schedule_aware' } } };

describe('an optimizer that chooses by the schedule', () => {
  it('gets the unfinished work with each request, and other optimizers do not', async () => {
    const test = await cultureLab();
    await campaign(test);
    expect(test.optimizers.session('c').schedules).toEqual([undefined]);

    const other = await cultureLab();
    await campaign(other, aware);
    const [first] = other.optimizers.session('c').schedules;
    expect(first).toEqual({
      ...{ work: [], coming: [], concurrent: 1 },
      next: [
        {
          ...{ task: 'a', seconds: 30, started: null, earliest: 0, after: [] },
          slots: [{ units: [0, 1], like: null, kept: [1] }],
        },
        {
          ...{ task: 'b', seconds: 5, started: null, earliest: 0, after: [{ task: 0, lag: 0 }] },
          slots: [{ units: [0, 1], like: { task: 0, slot: 0 }, kept: [] }],
        },
      ],
    });
  });

  it('is told of running and waiting tasks, of units that runs keep, and of coming runs', async () => {
    const test = await cultureLab();
    await campaign(test, { ...aware, max_protocol_runs: 9, max_concurrent_protocol_runs: 2 });
    await test.run('other', 'p', { parameters: { a: { n: 1, m: 1 } } });
    await test.live(4_000);
    await measure(test, 1);
    await test.complete('c_run_1/b');
    const schedule = test.optimizers.session('c').schedules.at(-1)!;
    expect(schedule.coming).toEqual([]);
    const runs = schedule.work.map(({ run, tasks }) => [run, tasks.map((task) => [task.task, task.started])]);
    expect(runs).toContainEqual([
      'c_run_2',
      [
        ['a', -4],
        ['b', null],
      ],
    ]);
    // Work of others has no name: its parameters are not those of the campaign.
    expect(runs.some(([run, tasks]) => run === null && (tasks as unknown[]).length === 2)).toBe(true);
    const [running] = schedule.work.find(({ run }) => run === 'c_run_2')!.tasks;
    expect(running).toMatchObject({ seconds: 30, slots: [{ like: null, kept: [1] }] });
  });

  it('learns how long the tasks of a completed run took', async () => {
    const test = await cultureLab();
    await campaign(test, aware);
    await test.live(7_000);
    await test.complete('c_run_1/a', { score: 3 });
    await test.live(2_000);
    await test.complete('c_run_1/b');
    const [trial] = [...test.store.rows.trials.values()].filter(({ number }) => number === 1);
    expect(trial).toMatchObject({ state: 'measured', durations: { a: 7, b: 2 } });
    expect(test.store.rows.trials.get(`${test.campaignRow('c').id}/2`)?.durations).toBeNull();
  });

  it('does not learn from a failed run', async () => {
    const test = await cultureLab();
    await campaign(test, { ...aware, on_run_failure: 'continue' });
    await test.live(7_000);
    await test.fail('c_run_1/a');
    const [trial] = [...test.store.rows.trials.values()].filter(({ number }) => number === 1);
    expect(trial).toMatchObject({ state: 'failed', durations: null });
  });
});
