import { allLabs, ServiceError, type UsageQuery, type UsageRecord } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import type { Quotas } from '../../src/quotas/index.js';
import { usageKey, type UsageRow } from '../../src/rows/index.js';
import { device, TestLab } from '../test-lab.js';

/** A protocol of two tasks in the laboratory `l`, one of a task in both, and a task type that needs an arm. */
async function lab(quotas: Quotas): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.lab('m', { arm: 'arm' });
  test.taskType('use', { devices: { d: { type: 'arm' } } });
  test.protocol('two', [{ name: 'a' }, { name: 'b', needs: ['a'] }], ['l']);
  test.protocol('both', [{ name: 'a', type: 'use', devices: { d: device('l.arm') } }], ['l', 'm']);
  await test.open({ quotas });
  return test;
}

const none: Quotas = { owner: {}, lab: {} };
const everything: UsageQuery = {
  ...{ rights: allLabs, owner: null, limit: 500 },
  ...{ sort: 'name', descending: false, after: null },
};
const records = (test: TestLab, query: Partial<UsageQuery> = {}): UsageRecord[] =>
  test.engine.views.usage({ ...everything, ...query }).items;
const numbers = (test: TestLab): Record<string, number[]> =>
  Object.fromEntries(
    records(test).map(({ kind, name, records, files, bytes }) => [
      `${kind} ${name}`,
      [records, files, bytes],
    ]),
  );

/** A deletion has removed everything of an owner. */
const empty = async (test: TestLab, owner: string): Promise<void> => {
  const usage = test.store.rows.usage as Map<string, UsageRow>;
  for (const [key, row] of usage)
    if (row.kind === 'lab' || row.name === owner) usage.set(key, { ...row, records: 0, files: 0, bytes: 0 });
  test.engine.recountUsage();
  await test.clock.settle();
};

const exceeded = (message: string) => ({
  code: 'quota_exceeded',
  effect: 'none',
  message: expect.stringContaining(message) as string,
});
const open = (test: TestLab): [string, string | null][] =>
  [...test.store.rows.attention.values()]
    .filter(({ state }) => state === 'open')
    .map(({ reason, computer }) => [reason.code, computer]);

describe('usage', () => {
  it('counts task runs from their submission, for the owner and for each laboratory', async () => {
    const test = await lab(none);
    expect(numbers(test)).toEqual({});
    await test.run('r', 'two', { owner: 'ada' });
    await test.run('s', 'both', { owner: 'ada' });
    await test.engine.submissions.task({
      ...{ name: 't', type: 'use', owner: 'bob' },
      devices: { d: { lab_name: 'm', name: 'arm' } },
    });
    await test.run('nobody', 'two');
    const counted = {
      ...{ 'owner ada': [3, 0, 0], 'owner bob': [1, 0, 0], 'owner ': [2, 0, 0] },
      ...{ 'lab l': [5, 0, 0], 'lab m': [2, 0, 0] },
    };
    expect(numbers(test)).toEqual(counted);
    await test.start();
    expect(numbers(test)).toEqual(counted);
  });

  it('counts the files of every attempt that left some, once', async () => {
    const test = await lab(none);
    const file = (name: string, size: number) => ({ name, size, sha256: '0'.repeat(64) });
    await test.run('r', 'both', {
      owner: 'ada',
      failure_policy: { a: { retry: { attempts: 2, backoff: 0 } } },
    });
    await test.agents.end(
      'r/a',
      { kind: 'failed', code: 'task_error', error: { message: 'x' }, files: [file('log', 5)] },
      { effects: 0, last_confirmed: null, in_doubt: null },
    );
    await test.clock.settle();
    await test.live(2_000);
    await test.agents.complete('r/a', { files: [file('log', 5), file('image', 100)] });
    await test.clock.settle();
    expect(test.runState('r')).toBe('completed');
    const all = [1, 3, 110];
    expect(numbers(test)).toEqual({ 'owner ada': all, 'lab l': all, 'lab m': all });
    expect(test.engine.views.counts().stored).toEqual({ records: 1, files: 3, bytes: 110 });
  });

  it('shows a person their own usage and that of their laboratories, and no other', async () => {
    const test = await lab({ owner: { default: { records: 8 }, bob: {} }, lab: { m: { records: 4 } } });
    await test.run('r', 'two', { owner: 'ada' });
    await test.run('s', 'both', { owner: 'bob' });
    const seen = (query: Partial<UsageQuery>): string[] =>
      records(test, query).map(({ kind, name, share }) => `${kind} ${name} ${share}`);
    const rights = { see: ['m'], use: [] };
    expect(seen({ owner: 'ada', rights })).toEqual(['owner ada 0.25', 'lab m 0.25']);
    expect(seen({ owner: 'ada', rights, name: 'bob' })).toEqual([]);
    expect(seen({ owner: 'new', rights: { see: ['empty'], use: [] } })).toEqual([
      'lab empty null',
      'owner new 0',
    ]);
    expect(seen({ kind: ['owner'] })).toEqual(['owner ada 0.25', 'owner bob 0.125']);
  });

  it('is read page by page in any order', async () => {
    const test = await lab({ owner: { default: { records: 8 } }, lab: {} });
    for (const [name, type] of [
      ['ada', 'two'],
      ['bob', 'both'],
      ['eve', 'two'],
    ] as const)
      await test.run(`of_${name}`, type, { owner: name });
    const pages: string[][] = [];
    let after: UsageQuery['after'] = null;
    do {
      const part: ReturnType<typeof test.engine.views.usage> = test.engine.views.usage({
        ...{ ...everything, sort: 'share', descending: true, limit: 2, kind: ['owner'], after },
      });
      pages.push(part.items.map(({ name }) => name));
      after = part.end;
      if (after !== null && after.value !== 250_000) throw new Error(`no whole number: ${after.value}`);
    } while (after !== null);
    expect(pages).toEqual([['eve', 'ada'], ['bob']]);
  });
});

describe('a quota', () => {
  it('takes a submission that reaches its limit, and refuses the next until work is deleted', async () => {
    const test = await lab({ owner: { ada: { records: 4 } }, lab: {} });
    await test.run('r', 'two', { owner: 'ada' });
    await test.run('s', 'two', { owner: 'ada' });
    const message = 'owner "ada" has 4 of at most 4 task runs, and this needs 2 more';
    await expect(test.run('x', 'two', { owner: 'ada' })).rejects.toMatchObject(exceeded(message));
    const campaign = { name: 'c', protocol: 'two', max_protocol_runs: 1, owner: 'ada' };
    const asked = { kind: 'campaign', submission: campaign } as const;
    await expect(test.engine.submissions.campaign(campaign)).rejects.toMatchObject(exceeded(message));
    await expect(test.engine.submissions.tryOut(asked)).rejects.toMatchObject(exceeded(message));
    await expect(
      test.engine.submissions.task({
        ...{ name: 't', type: 'use', owner: 'ada' },
        devices: { d: { lab_name: 'm', name: 'arm' } },
      }),
    ).rejects.toMatchObject(exceeded('needs 1 more'));
    // What was accepted runs to its end.
    for (const label of ['r/a', 's/a', 'r/b', 's/b']) await test.complete(label);
    expect([test.runState('r'), test.runState('s')]).toEqual(['completed', 'completed']);
    await test.run('of_bob', 'two', { owner: 'bob' });
    await empty(test, 'ada');
    await test.run('x', 'two', { owner: 'ada' });
    expect(test.runState('x')).toBe('running');
  });

  it('of a laboratory holds for the work of every owner there', async () => {
    const test = await lab({ owner: {}, lab: { m: { records: 1 } } });
    await test.run('r', 'both', { owner: 'ada' });
    await expect(test.run('s', 'both', { owner: 'bob' })).rejects.toMatchObject(
      exceeded('laboratory "m" has 1 of at most 1'),
    );
    await test.run('t', 'two', { owner: 'bob' });
  });

  it('never refuses the files of accepted work, and refuses new work after them', async () => {
    const test = await lab({ owner: { ada: { bytes: 100 } }, lab: {} });
    await test.run('r', 'both', { owner: 'ada' });
    await test.run('s', 'both', { owner: 'ada' });
    const files = [{ name: 'f', size: 100, sha256: '0'.repeat(64) }];
    for (const label of ['r/a', 's/a']) await test.agents.complete(label, { files });
    await test.clock.settle();
    expect(records(test, { name: 'ada' })).toMatchObject([{ bytes: 200, max_bytes: 100, share: 2 }]);
    await expect(test.run('t', 'both', { owner: 'ada' })).rejects.toMatchObject(
      exceeded('has 200 bytes of files'),
    );
  });

  it('refuses none of two submissions twice and accepts none twice after a failed commit', async () => {
    const test = await lab({ owner: { ada: { records: 2 } }, lab: {} });
    let failures = 1;
    test.store.beforeCommit = () => {
      if (failures > 0) throw new Error(`failure ${(failures -= 1)}`);
    };
    const both = await Promise.allSettled(['r', 's'].map((name) => test.run(name, 'two', { owner: 'ada' })));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(numbers(test)).toMatchObject({ 'owner ada': [2, 0, 0] });
  });
});

describe('a campaign without room', () => {
  const campaign = async (test: TestLab, more = {}): Promise<void> => {
    await test.engine.submissions.campaign({
      ...{ name: 'c', protocol: 'two', max_protocol_runs: 3, max_concurrent_protocol_runs: 2, owner: 'ada' },
      ...more,
    });
    await test.clock.settle();
  };

  it('starts no further run, says why, and goes on by itself when there is room', async () => {
    const test = await lab({ owner: { ada: { records: 3 } }, lab: {} });
    await campaign(test);
    expect(test.running()).toEqual(['c_run_1/a']);
    const waits = {
      code: 'waiting_for_quota',
      message: expect.stringContaining('owner "ada" for task runs') as string,
    };
    expect(test.campaignRow('c')).toMatchObject({ state: 'running', runsStarted: 1, reason: waits });
    expect(open(test)).toEqual([['waits_for_quota', 'campaign "c"']]);
    await test.complete('c_run_1/a');
    await test.complete('c_run_1/b');
    expect(test.campaignRow('c')).toMatchObject({ state: 'running', runsCompleted: 1, reason: waits });

    await empty(test, 'ada');
    expect(test.running()).toEqual(['c_run_2/a']);
    await test.complete('c_run_2/a');
    await test.complete('c_run_2/b');
    await empty(test, 'ada');
    await test.complete('c_run_3/a');
    expect(test.campaignRow('c').reason).toBeNull();
    await test.complete('c_run_3/b');
    expect(test.campaignRow('c')).toMatchObject({ state: 'completed', runsCompleted: 3, reason: null });
    expect(open(test).filter(([code]) => code === 'waits_for_quota')).toEqual([]);
  });

  it('goes on under a leader with a higher quota', async () => {
    const test = await lab({ owner: { ada: { records: 2 } }, lab: {} });
    await campaign(test);
    expect(test.campaignRow('c')).toMatchObject({ runsStarted: 1, reason: { code: 'waiting_for_quota' } });
    await test.start({ quotas: { owner: { ada: { records: 4 } }, lab: {} } });
    await test.clock.settle();
    expect(test.campaignRow('c')).toMatchObject({ runsStarted: 2, reason: null });
  });

  it('can be cancelled', async () => {
    const test = await lab({ owner: { ada: { records: 2 } }, lab: {} });
    await campaign(test);
    await test.complete('c_run_1/a');
    await test.complete('c_run_1/b');
    await test.engine.work.cancelCampaign('c');
    await test.clock.settle();
    expect(test.campaignRow('c').state).toBe('cancelled');
    expect(open(test).filter(([code]) => code === 'waits_for_quota')).toEqual([]);
  });
});

it('a warning comes at 80 % of a quota, without numbers, and goes by itself', async () => {
  const test = await lab({ owner: { ada: { records: 5 } }, lab: {} });
  await test.run('r', 'two', { owner: 'ada' });
  expect(open(test)).toEqual([]);
  await test.run('s', 'two', { owner: 'ada' });
  expect(open(test)).toEqual([['quota_nearly_used', 'quota of owner "ada"']]);
  const [item] = [...test.store.rows.attention.values()];
  expect(JSON.stringify([item?.reason, item?.known])).not.toMatch(/\b[45]\b/);
  expect(test.engine.views.counts().quotaShares).toEqual({ owner: 0.8, lab: 0 });
  await empty(test, 'ada');
  expect(open(test)).toEqual([]);
});

it('a count that is read again is that of the commits before it', async () => {
  const test = await lab({ owner: { ada: { records: 100 } }, lab: {} });
  const submitted = ['r', 's'].map((name) => test.run(name, 'two', { owner: 'ada' }));
  test.engine.recountUsage();
  submitted.push(test.run('t', 'two', { owner: 'ada' }));
  test.engine.recountUsage();
  await Promise.all(submitted);
  await test.clock.settle();
  expect(numbers(test)).toMatchObject({ 'owner ada': [6, 0, 0] });
  expect(test.store.rows.usage.get(usageKey('owner', 'ada'))?.records).toBe(6);
});

it('a count that cannot be read refuses no submission of its turn', async () => {
  const test = await lab({ owner: { ada: { records: 100 } }, lab: {} });
  test.store.usage = () => Promise.reject(new ServiceError('store_unavailable', 'too slow'));
  test.engine.recountUsage();
  await test.run('r', 'two', { owner: 'ada' });
  expect(numbers(test)).toMatchObject({ 'owner ada': [2, 0, 0] });
});
