import { describe, expect, it } from 'vitest';
import { TestLab } from '../test-lab.js';

const wrongState = (message: string) => ({
  code: 'wrong_state',
  effect: 'none',
  message: expect.stringContaining(message) as string,
});
const dayMs = 86_400_000;
const asked = { what: 'everything', reason: 'a test', by: 'ada' } as const;

async function lab(...runs: string[]): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.taskType('use', { devices: { d: { type: 'arm' } } });
  test.protocol('p', [{ name: 'a' }]);
  await test.open();
  for (const name of runs) {
    await test.run(name, 'p');
    await test.complete(`${name}/a`);
  }
  return test;
}

const run = (name: string) => ({ ...asked, kind: 'protocol_run' as const, name });
const states = (test: TestLab): Record<string, string> =>
  Object.fromEntries([...test.store.deletions.values()].map(({ name, state }) => [name, state]));

describe('a deletion', () => {
  it('archives the work, begins after the time to undo, and ends when everything is removed', async () => {
    const test = await lab('r');
    const { id: workId } = test.runRow('r');
    const planned = await test.engine.deletions.add(run('r'));
    expect(planned).toMatchObject({ work_id: workId, state: 'planned', owner: '', labs: ['l'], by: 'ada' });
    expect(Date.parse(planned.due_at) - Date.parse(planned.created_at)).toBe(dayMs);
    expect([...test.store.archive.values()]).toMatchObject([{ name: 'r', restoredAt: null }]);

    const due = Date.parse(planned.due_at);
    expect(await test.engine.deletions.begin(due - 1)).toEqual([]);
    expect(await test.engine.deletions.begin(due)).toMatchObject([{ id: planned.id, state: 'running' }]);
    const removed = { task_runs: 1, files: 2, bytes: 3 };
    for (let n = 0; n < 2; n += 1) await test.engine.deletions.finish(planned.id, removed);
    expect(await test.engine.deletions.begin(due)).toEqual([]);
    expect([...test.store.deletions.values()]).toMatchObject([{ state: 'done', removed }]);
    expect(
      test.store.events.filter(({ type }) => type.includes('delet')).map(({ type, body }) => [type, body]),
    ).toMatchObject([
      ['protocol_run.deletion_planned', { id: workId, name: 'r', labs: ['l'], by: 'ada', reason: 'a test' }],
      ['protocol_run.deletion_begun', { id: workId }],
      ['protocol_run.deleted', { id: workId }],
    ]);
    expect(test.store.audit.map(({ by, action }) => [by, action])).toEqual([
      ['ada', 'protocol_run.archive'],
      ['ada', 'protocol_run.delete'],
      ['service', 'protocol_run.deleted'],
    ]);
  });

  it('can be taken back until it begins; meanwhile the work is not restored and not resumed', async () => {
    const test = await lab('r', 's');
    await test.engine.deletions.add(run('r'));
    const { changes, deletions } = test.engine;
    await expect(changes.restore('protocol_run', 'r', 'ada')).rejects.toMatchObject(
      wrongState('keep it first'),
    );
    await expect(deletions.add(run('r'))).rejects.toMatchObject(wrongState('has a deletion already, by ada'));
    await expect(deletions.keep('protocol_run', 's', 'bob')).rejects.toMatchObject(wrongState('no deletion'));
    expect(await deletions.keep('protocol_run', 'r', 'bob')).toMatchObject({
      state: 'cancelled',
      ended_by: 'bob',
    });
    await changes.restore('protocol_run', 'r', 'ada');

    const again = await deletions.add(run('r'));
    await deletions.begin(Date.parse(again.due_at));
    await expect(deletions.keep('protocol_run', 'r', 'bob')).rejects.toMatchObject(wrongState('has begun'));
    await expect(changes.restore('protocol_run', 'r', 'ada')).rejects.toMatchObject(
      wrongState('is being deleted'),
    );
  });

  it('of files leaves the work in the lists, but not resumable until it is taken back', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await test.fail('r/a');
    const { deletions, work } = test.engine;
    await deletions.add({ ...run('r'), what: 'files' });
    expect(test.store.archive.size).toBe(0);
    await expect(work.resumeProtocolRun('r', 'ada')).rejects.toMatchObject(wrongState('will be deleted at'));
    await deletions.keep('protocol_run', 'r', 'ada');
    expect(await work.resumeProtocolRun('r', 'ada')).toMatchObject({ name: 'r' });
    await expect(deletions.add(run('r'))).rejects.toMatchObject(wrongState('must be over'));
  });

  it('needs a reason and work that exists', async () => {
    const test = await lab('r');
    const { deletions } = test.engine;
    await expect(deletions.add({ ...run('r'), reason: ' ' })).rejects.toMatchObject({ code: 'invalid' });
    await expect(deletions.add(run('none'))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('goes on after a change of the leader', async () => {
    const test = await lab('r');
    const { id, due_at: due } = await test.engine.deletions.add(run('r'));
    await test.engine.deletions.begin(Date.parse(due));
    await test.open();
    expect(await test.engine.deletions.begin(0)).toMatchObject([{ id, state: 'running' }]);
  });
});

describe('deletion by age', () => {
  it('takes old work page by page, and never what somebody kept or holds', async () => {
    const test = await lab('r1', 'r2', 'r3', 'r4');
    const { changes, deletions, legalHolds } = test.engine;
    for (const name of ['r1', 'r2', 'r3']) await changes.archive('protocol_run', name, 'ada');
    await deletions.add(run('r2'));
    await deletions.keep('protocol_run', 'r2', 'ada');
    await legalHolds.add({ kind: 'protocol_run', name: 'r3', reason: 'dispute', by: 'eve' });
    const page = { before: test.clock.now() + 1, after: '', limit: 2 };
    // r2 was kept, so r1 and r3 are the page; r4 is not archived.
    const first = await deletions.addOld('protocol_run', 'everything', 30, page);
    expect(first).toEqual({ planned: 1, next: test.runRow('r3').id });
    const rest = { ...page, after: first.next ?? '' };
    expect(await deletions.addOld('protocol_run', 'everything', 30, rest)).toEqual({ planned: 0 });
    expect(states(test)).toEqual({ r1: 'planned', r2: 'cancelled' });
    expect(test.store.audit.at(-1)).toMatchObject({
      by: 'service',
      detail: { reason: 'it is older than 30 days' },
    });

    const files = { before: test.clock.now() + 1, after: '', limit: 10 };
    expect(await deletions.addOld('protocol_run', 'files', 30, files)).toEqual({ planned: 2 });
  });
});

describe('a legal hold', () => {
  it.each([
    ['protocol_run', 'r'],
    ['owner', 'ada'],
    ['lab', 'l'],
  ] as const)('on a %s prevents deletions until it is released', async (kind, name) => {
    const test = await lab();
    await test.run('r', 'p', { owner: 'ada' });
    await test.complete('r/a');
    const { deletions, legalHolds } = test.engine;
    const hold = await legalHolds.add({ kind, name, reason: 'dispute 17', by: 'eve' });
    expect(legalHolds.list()).toEqual([hold]);
    await expect(deletions.add(run('r'))).rejects.toMatchObject(wrongState('eve holds the'));
    await expect(legalHolds.add({ kind, name, reason: 'x', by: 'bob' })).rejects.toMatchObject(
      wrongState('is held already'),
    );
    expect(await legalHolds.release({ id: hold.id, by: 'eve' })).toMatchObject({ released_by: 'eve' });
    await expect(legalHolds.release({ id: hold.id, by: 'eve' })).rejects.toMatchObject({ code: 'not_found' });
    expect(await deletions.add(run('r'))).toMatchObject({ state: 'planned' });
  });

  it('takes deletions back that have not begun, and names those that have', async () => {
    const test = await lab('r', 's');
    const { deletions, legalHolds } = test.engine;
    const first = await deletions.add(run('r'));
    await deletions.begin(Date.parse(first.due_at));
    await deletions.add(run('s'));
    const hold = await legalHolds.add({ kind: 'lab', name: 'l', reason: 'dispute', by: 'eve' });
    expect(hold.too_late).toEqual(['r']);
    expect(states(test)).toEqual({ r: 'running', s: 'cancelled' });
  });

  it('on a laboratory covers work of which no laboratory is known, and other work is free', async () => {
    const test = await lab('r');
    test.taskType('think', {});
    await test.engine.submissions.task({ name: 't', type: 'think' });
    await test.complete('t');
    const { deletions, legalHolds } = test.engine;
    await legalHolds.add({ kind: 'lab', name: 'other', reason: 'dispute', by: 'eve' });
    expect(await deletions.add(run('r'))).toMatchObject({ state: 'planned' });
    await expect(deletions.add({ ...asked, kind: 'task_run', name: 't' })).rejects.toMatchObject(
      wrongState('holds the laboratory "other"'),
    );
  });

  it('needs a reason, and names work that exists', async () => {
    const { engine } = await lab('r');
    const hold = { kind: 'campaign', name: 'none', reason: 'x', by: 'eve' } as const;
    await expect(engine.legalHolds.add(hold)).rejects.toMatchObject({ code: 'not_found' });
    await expect(engine.legalHolds.add({ ...hold, reason: '' })).rejects.toMatchObject({ code: 'invalid' });
  });
});
