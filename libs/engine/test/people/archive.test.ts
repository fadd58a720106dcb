import { describe, expect, it } from 'vitest';
import { TestLab } from '../test-lab.js';

const wrongState = (message: string) => ({
  code: 'wrong_state',
  effect: 'none',
  message: expect.stringContaining(message) as string,
});

const archived = (test: TestLab): string[] =>
  [...test.store.archive.values()].flatMap(({ name, restoredAt }) => (restoredAt === null ? [name] : []));

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.taskType('use', { devices: { d: { type: 'arm' } } });
  test.protocol('p', [{ name: 'a' }]);
  await test.open();
  return test;
}

describe('ended work', () => {
  it('leaves the lists and returns, as an event and in the audit', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await test.complete('r/a');
    const { id } = test.runRow('r');
    const told = () => test.store.events.filter(({ aggregate }) => aggregate === `protocol_run/${id}`);
    const before = told().length;
    expect(await test.engine.changes.archive('protocol_run', 'r', 'ada')).toEqual({ id, name: 'r' });
    expect([...test.store.archive.values()]).toMatchObject([{ id, name: 'r', archivedBy: 'ada' }]);
    expect(await test.engine.changes.restore('protocol_run', 'r', 'bob')).toEqual({ id, name: 'r' });
    expect(archived(test)).toEqual([]);
    expect(told().slice(before)).toMatchObject([
      { type: 'protocol_run.archived', body: { id, name: 'r', state: 'completed', labs: ['l'], by: 'ada' } },
      { type: 'protocol_run.restored', body: { id, name: 'r', by: 'bob' } },
    ]);
    expect(test.store.audit.slice(-2)).toMatchObject([
      { by: 'ada', action: 'protocol_run.archive', subject: 'protocol_run/r', detail: { id } },
      { by: 'bob', action: 'protocol_run.restore', subject: 'protocol_run/r', detail: { id } },
    ]);
  });

  it('is archived only once and restored only once', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await test.complete('r/a');
    const { changes } = test.engine;
    await expect(changes.restore('protocol_run', 'r', 'ada')).rejects.toMatchObject(
      wrongState('the protocol run "r" is not archived'),
    );
    const both = await Promise.allSettled([
      changes.archive('protocol_run', 'r', 'ada'),
      changes.archive('protocol_run', 'r', 'bob'),
    ]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await expect(changes.archive('protocol_run', 'r', 'ada')).rejects.toMatchObject(
      wrongState('is archived already'),
    );
    await expect(changes.archive('campaign', 'r', 'ada')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is not archived before its end, and a run is not archived without its campaign', async () => {
    const test = await lab();
    await test.run('r', 'p');
    const { changes } = test.engine;
    await expect(changes.archive('protocol_run', 'r', 'ada')).rejects.toMatchObject(
      wrongState('the protocol run "r" is running'),
    );
    await test.engine.submissions.campaign({ name: 'c', protocol: 'p', max_protocol_runs: 1 });
    await test.clock.settle();
    await test.complete('r/a');
    await test.complete('c_run_1/a');
    await expect(changes.archive('protocol_run', 'c_run_1', 'ada')).rejects.toMatchObject(
      wrongState('belongs to the campaign "c" and goes with it'),
    );
    await changes.archive('campaign', 'c', 'ada');
    await expect(changes.restore('protocol_run', 'c_run_1', 'ada')).rejects.toMatchObject(
      wrongState('belongs to the campaign "c" and goes with it'),
    );
  });

  it('is not resumed before it is restored, in either order of requests', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await test.fail('r/a');
    const { engine } = test;
    await engine.changes.archive('protocol_run', 'r', 'ada');
    await expect(engine.work.resumeProtocolRun('r', 'ada')).rejects.toMatchObject(
      wrongState('is archived; restore it before you resume it'),
    );
    await engine.changes.restore('protocol_run', 'r', 'ada');
    const [kept, resumed] = await Promise.allSettled([
      engine.changes.archive('protocol_run', 'r', 'ada'),
      engine.work.resumeProtocolRun('r', 'ada'),
    ]);
    await test.clock.settle();
    expect([kept.status, resumed.status].sort()).toEqual(['fulfilled', 'rejected']);
    expect(archived(test)).toEqual(kept.status === 'fulfilled' ? ['r'] : []);
    expect(test.runRow('r').state).toBe(kept.status === 'fulfilled' ? 'failed' : 'running');
  });

  it('is the latest task when the name of an on-demand task is given, and the name stays free', async () => {
    const test = await lab();
    const ask = { name: 't', type: 'use', devices: { d: { lab_name: 'l', name: 'arm' } } };
    const { id } = await test.engine.submissions.task(ask);
    await test.clock.settle();
    await test.complete('t');
    await test.engine.changes.archive('task_run', 't', 'ada');
    expect(test.store.events.at(-1)).toMatchObject({ type: 'task_run.archived', body: { id, labs: ['l'] } });
    await test.engine.submissions.task(ask);
    await test.clock.settle();
    await expect(test.engine.changes.archive('task_run', 't', 'ada')).rejects.toMatchObject(
      wrongState('the on-demand task "t" is running'),
    );
    await test.complete('t');
    await test.engine.changes.archive('task_run', 't', 'ada');
    expect(archived(test)).toEqual(['t', 't']);
  });

  it('is archived by the service long after its end, except when it has resumed', async () => {
    const test = await lab();
    for (const name of ['r1', 'r2', 'r3', 'young']) {
      if (name === 'young') await test.live(10_000);
      await test.run(name, 'p');
      await test.fail(`${name}/a`);
    }
    const before = test.clock.now() - 5_000;
    const page = { before, after: '', limit: 2 };
    const [old] = await Promise.all([
      test.engine.changes.archiveOld('protocol_run', page),
      test.engine.work.resumeProtocolRun('r2', 'ada'),
    ]);
    await test.clock.settle();
    const r2 = test.runRow('r2');
    expect([r2.state, old]).toEqual(['running', { archived: 1, next: r2.id }]);
    const rest = await test.engine.changes.archiveOld('protocol_run', { ...page, after: r2.id });
    expect(rest).toEqual({ archived: 1 });
    const names = [...test.store.archive.values()].map(({ name }) => name);
    expect(names).toEqual(['r1', 'r3']);
    expect(test.store.audit.at(-1)).toMatchObject({ by: 'service', action: 'protocol_run.archive' });
    expect(await test.engine.changes.archiveOld('campaign', page)).toEqual({ archived: 0 });
  });
});
