import { restorer } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { device, TestLab } from '../test-lab.js';
import type { FailedDeployment } from '../../src/people/deployment-watch.js';

/** A laboratory with an arm on `pc`; the run `r` has one task on it. */
async function lab(policy = {}): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm@pc' });
  test.taskType('use', { devices: { d: { type: 'arm' } } });
  test.protocol('p', [{ name: 'a', type: 'use', devices: { d: device('l.arm') }, policy }]);
  await test.open();
  return test;
}

const items = (test: TestLab) => [...test.store.rows.attention.values()];
const open = (test: TestLab) => items(test).filter(({ state }) => state === 'open');
const told = (test: TestLab) =>
  test.store.events.filter(({ aggregate }) => aggregate.startsWith('attention/')).map(({ type }) => type);
const warned = (test: TestLab) => test.engine.views.counts().attention;

describe('a device whose process does not respond', () => {
  it('is warned of with its call, and the warning closes when it responds again', async () => {
    const test = await lab();
    await test.run('r', 'p');
    const doing = { call_id: 'x/1', function: 'move', arguments: { to: 3 }, since_ms: 12_000 };
    const silent = { doing, silent_since_ms: 14_000 };
    test.agents.deviceMore = () => silent;
    test.agents.deviceState = () => 'busy';
    await test.live(3_000);
    const [item, ...more] = open(test);
    expect(more).toEqual([]);
    expect(item).toMatchObject({
      kind: 'device',
      device: 'l.arm',
      computer: 'pc',
      reason: { code: 'device_not_responding' },
      known: {
        silent_since: '1970-01-01T00:00:14.000Z',
        call: { function: 'move', arguments: { to: 3 }, began_at: '1970-01-01T00:00:12.000Z' },
      },
    });
    expect(item?.reason.message).toContain(
      'the process of l.arm on computer pc has not responded since 1970-01-01T00:00:14.000Z ' +
        'during move({"to":3}), which began at 1970-01-01T00:00:12.000Z',
    );
    expect(warned(test)).toMatchObject({ device_not_responding: 1, clock_skew: 0 });
    await expect(
      test.engine.attention.decide({ id: item?.id ?? '', action: 'idle', by: 'ada' }),
    ).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('needs no decision') as string,
    });

    test.agents.deviceMore = () => ({ doing });
    await test.live(1_000);
    expect(open(test)).toEqual([]);
    expect(told(test)).toEqual(['attention.opened', 'attention.resolved']);
    expect(items(test)[0]?.resolution).toMatchObject({ action: null, by: 'service' });
  });

  it('has a warning beside the question about its doubt', async () => {
    const test = await lab();
    test.agents.deviceState = () => 'uncertain';
    test.agents.deviceMore = () => ({ silent_since_ms: 1_000 });
    await test.live(2_000);
    expect(
      open(test)
        .map(({ reason }) => reason.code)
        .sort(),
    ).toEqual(['device_not_responding', 'device_uncertain']);
  });

  it('stays warned of while its agent is silent, until the agent is offline', async () => {
    const test = await lab();
    test.agents.deviceMore = () => ({ silent_since_ms: 1_000 });
    await test.live(2_000);
    test.agents.crash('pc');
    await test.live(5_000);
    expect(open(test)).toHaveLength(1);
    await test.live(10_000);
    expect(open(test)).toEqual([]);
  });
});

describe('a device whose driver asks for a person', () => {
  it('is an item with the question, which another question replaces, until it asks no more', async () => {
    const test = await lab();
    const asks = (text: string) => ({ asks: { text, since_ms: 12_000 } });
    test.agents.deviceState = () => 'busy';
    test.agents.deviceMore = () => asks('close the door');
    await test.live(2_000);
    expect(open(test)).toMatchObject([
      {
        kind: 'device',
        device: 'l.arm',
        computer: 'pc',
        reason: { code: 'device_asks', message: 'l.arm on computer pc: close the door' },
        known: { question: 'close the door', asked_at: '1970-01-01T00:00:12.000Z' },
      },
    ]);
    expect(warned(test)).toMatchObject({ device_asks: 1 });
    test.agents.deviceMore = () => asks('put a tip rack there');
    await test.live(2_000);
    expect(open(test)).toMatchObject([{ known: { question: 'put a tip rack there' } }]);
    test.agents.deviceMore = () => ({});
    await test.live(2_000);
    expect(open(test)).toEqual([]);
  });
});

describe('a computer with a wrong clock', () => {
  const ahead = (test: TestLab, ms: number): void => {
    test.agents.computerMore = (computer) =>
      computer === 'pc' ? { wall_ms: test.clock.now() + ms, ledger_trouble: null } : {};
  };

  it('is warned of above 1 s, and not any more once its clock is corrected', async () => {
    const test = await lab();
    ahead(test, 900);
    await test.live(20_000);
    expect(items(test)).toEqual([]);
    ahead(test, -7_200_000);
    await test.live(20_000);
    expect(open(test)).toMatchObject([
      {
        kind: 'agent',
        computer: 'pc',
        reason: { code: 'clock_skew' },
        known: { clock_offset_ms: -7_200_000 },
      },
    ]);
    expect(open(test)[0]?.reason.message).toContain('the clock of computer pc is 7200.0 s behind');
    ahead(test, 0);
    await test.live(15_000);
    expect(open(test)).toEqual([]);
    expect(told(test)).toEqual(['attention.opened', 'attention.resolved']);
  });

  it('is not warned of because some heartbeats arrive late', async () => {
    const test = await lab();
    for (let n = 0; n < 30; n += 1) {
      ahead(test, n % 3 === 0 ? -100 : -4_000);
      await test.live(1_000);
    }
    expect(items(test)).toEqual([]);
  });
});

describe('an agent that cannot write its ledger', () => {
  it('gets no task and is warned of, until it can write again', async () => {
    const test = await lab();
    const trouble = 'tasks and effects are refused: the ledger cannot be written (ENOSPC)';
    test.agents.computerMore = (computer) => ({ ledger_trouble: computer === 'pc' ? trouble : null });
    await test.live(1_000);
    await test.run('r', 'p');
    await test.live(5_000);
    expect(test.running()).toEqual([]);
    expect(open(test)).toMatchObject([
      { kind: 'agent', computer: 'pc', reason: { code: 'ledger_unwritable' }, known: { detail: trouble } },
    ]);
    expect(open(test)[0]?.reason.message).toContain(`computer pc: ${trouble}`);
    test.agents.computerMore = () => ({ ledger_trouble: null });
    await test.live(1_000);
    expect(open(test)).toEqual([]);
    expect(test.running()).toEqual(['r/a']);
  });
});

describe('a task that runs for long', () => {
  /** Makes attempts of the task that take as long as given, in milliseconds. */
  async function history(test: TestLab, ...took: number[]): Promise<void> {
    for (const [n, ms] of took.entries()) {
      await test.run(`before_${n}`, 'p');
      await test.live(ms);
      await test.complete(`before_${n}/a`);
    }
  }

  it('is asked about after five times the longest of its earlier attempts', async () => {
    const test = await lab();
    await history(test, 10_000, 60_000, 20_000);
    await test.run('r', 'p');
    await test.live(299_000);
    expect(open(test)).toEqual([]);
    await test.live(2_000);
    expect(open(test)).toMatchObject([
      {
        kind: 'task',
        computer: 'pc',
        taskRunId: test.task('r/a').id,
        reason: { code: 'runs_long' },
        known: { limit_s: 300, longest_s: 60, attempts: 3, devices: ['l.arm'] },
      },
    ]);
    expect(open(test)[0]?.reason.message).toMatch(
      /^r\/a has run on computer pc since .*Z, for more than 5 min; its latest 3 completed attempts took at most 60 s$/,
    );
    await test.complete('r/a');
    expect(open(test)).toEqual([]);
    expect(told(test)).toEqual(['attention.opened', 'attention.resolved']);
  });

  it('is asked about after the configured time when it has no history', async () => {
    const test = await lab();
    await test.start({ longTasks: { times: 5, withoutHistoryMs: 600_000 } });
    for (const computer of ['pc', 'svc_computer']) await test.agents.register(computer);
    await test.run('r', 'p');
    await test.live(599_000);
    expect(open(test)).toEqual([]);
    await test.live(2_000);
    expect(open(test)).toMatchObject([{ reason: { code: 'runs_long' }, known: { longest_s: null } }]);
  });

  it('is never asked about after 1 min because its attempts are short, nor when its limit is 0', async () => {
    const test = await lab();
    await history(test, 1_000, 1_000, 1_000);
    await test.run('r', 'p');
    await test.live(58_000);
    expect(open(test)).toEqual([]);
    await test.live(4_000);
    expect(open(test)).toHaveLength(1);
    await test.complete('r/a');
    await test.start({ longTasks: { times: 5, withoutHistoryMs: 0 } });
    for (const computer of ['pc', 'svc_computer']) await test.agents.register(computer);
    await test.run('s', 'p');
    await test.live(100_000);
    expect(open(test)).toEqual([]);
  });

  it('is asked about again when a person keeps waiting and its limit passes once more', async () => {
    const test = await lab();
    await history(test, 20_000, 20_000, 20_000);
    await test.run('r', 'p');
    await test.live(101_000);
    const [item] = open(test);
    await test.engine.attention.decide({ id: item?.id ?? '', action: 'keep_waiting', by: 'ada' });
    await test.live(98_000);
    expect([open(test), test.running()]).toEqual([[], ['r/a']]);
    await test.live(4_000);
    expect(open(test)).toHaveLength(1);
    expect(open(test)[0]?.id).not.toBe(item?.id);
    expect(test.store.audit).toMatchObject([
      { by: 'ada', action: 'attention.resolve', detail: { about: 'r/a', decision: 'keep_waiting' } },
    ]);
  });

  it('is stopped when a person cancels it', async () => {
    const test = await lab();
    await history(test, 20_000, 20_000, 20_000);
    await test.run('r', 'p');
    await test.live(101_000);
    await test.engine.attention.decide({ id: open(test)[0]?.id ?? '', action: 'cancel', by: 'ada' });
    await test.live(2_000);
    expect(test.task('r/a').state).toBe('cancelled');
    expect(open(test)).toEqual([]);
  });

  it('is not asked about when it has a timeout of its own', async () => {
    const test = await lab({ timeout: 5_000 });
    await test.run('r', 'p');
    await test.live(4_000_000);
    expect(items(test)).toEqual([]);
  });
});

describe('a service that was restored', () => {
  it('is warned of until somebody resumes the queue', async () => {
    const test = await lab();
    await test.engine.queuePause.pause(`${restorer} --to 2026-11-15T14:20:00Z`);
    await test.live(1_000);
    expect(open(test)).toMatchObject([
      {
        kind: 'process',
        computer: 'service',
        reason: {
          code: 'restored',
          message: expect.stringMatching(
            /^the service was restored at .* after that moment; look at the instruments/,
          ) as string,
        },
      },
    ]);
    await test.engine.queuePause.resume('ada');
    await test.live(1_000);
    expect(open(test)).toEqual([]);
    expect(items(test)[0]?.resolution).toMatchObject({ by: 'service', note: 'the queue was resumed' });
  });

  it('is not meant by a person who pauses the queue', async () => {
    const test = await lab();
    await test.engine.queuePause.pause('ada');
    await test.live(1_000);
    expect(open(test)).toEqual([]);
  });
});

describe('a backup', () => {
  it('is warned of when it is far behind, until it has caught up, also after a change of the leader', async () => {
    const test = await lab();
    const now = () => test.clock.now();
    const behind = now();
    test.engine.backupIs({ reachedAt: behind, trouble: 'the disk is full' });
    await test.live(500_000);
    expect(open(test)).toEqual([]);
    await test.live(110_000);
    expect(open(test)).toMatchObject([
      {
        kind: 'process',
        computer: 'backup',
        reason: {
          code: 'backup_waits',
          message: `the backup has nothing after ${new Date(behind).toISOString()}: the disk is full`,
        },
      },
    ]);
    // The next leader knows nothing until it is told.
    await test.open();
    await test.live(60_000);
    expect(open(test)).toHaveLength(1);
    test.engine.backupIs({ reachedAt: now(), trouble: null });
    await test.live(1_000);
    expect(open(test)).toEqual([]);
    expect(items(test)[0]?.resolution).toMatchObject({ note: 'the backup is up to date' });
  });

  it('that was never made is warned of', async () => {
    const test = await lab();
    for (let n = 0; n < 12; n += 1) {
      test.engine.backupIs({ reachedAt: null, trouble: null });
      await test.live(60_000);
    }
    expect(open(test)[0]?.reason.message).toMatch(
      /^there is no backup, although .* its process does not run/,
    );
  });
});

describe('a failed deployment', () => {
  const failure: FailedDeployment = {
    ...{ package: 'wet', sha256: '4355a46b19d3ffff', commit: '9fceb02', author: 'ada', by: 'ci' },
    ...{ reason: 'pump_1 is faulted', at: Date.UTC(2026, 10, 28) },
  };
  const failed = async (more: Partial<FailedDeployment> = {}) => {
    const test = await lab();
    test.engine.deploymentFailed({ ...failure, ...more });
    await test.live(1_000);
    return test;
  };

  it('is told with all that names it, until a version of the package is active, also after a change of the leader', async () => {
    const test = await failed();
    expect(open(test)).toMatchObject([
      {
        kind: 'process',
        computer: 'package/wet',
        reason: {
          code: 'deployment_failed',
          message:
            'the version 4355a46b19d3 of the package wet (commit 9fceb02, by ada, deployed by ci) did not become active at ' +
            '2026-11-28T00:00:00.000Z: pump_1 is faulted; mend it and deploy it again, activate another version, or acknowledge this',
        },
        known: { package: 'wet', sha256: failure.sha256, commit: '9fceb02', author: 'ada', by: 'ci' },
      },
    ]);
    await test.open();
    test.engine.deploymentSucceeded('dry');
    await test.live(120_000);
    expect(open(test)).toHaveLength(1);
    test.engine.deploymentSucceeded('wet');
    await test.live(1_000);
    expect(open(test)).toEqual([]);
    expect(items(test)[0]?.resolution).toMatchObject({ note: 'a version of the package is active since' });
  });

  it('closes when a person acknowledges it, and opens anew with the next failure', async () => {
    const test = await failed();
    const [item] = open(test);
    await test.engine.attention.decide({ id: item?.id ?? '', action: 'acknowledge', by: 'eve' });
    await test.live(60_000);
    expect(open(test)).toEqual([]);
    test.engine.deploymentFailed(failure);
    await test.live(1_000);
    expect(open(test).map(({ id }) => id)).not.toContain(item?.id);
    expect(open(test)).toHaveLength(1);
  });

  it('names the latest failure of its package, and each package has an item of its own', async () => {
    const test = await failed({ commit: null, author: null });
    test.engine.deploymentFailed({ ...failure, reason: 'pump_2 is faulted' });
    test.engine.deploymentFailed({ ...failure, package: 'dry' });
    await test.live(1_000);
    expect(
      open(test)
        .map(({ computer }) => computer)
        .sort(),
    ).toEqual(['package/dry', 'package/wet']);
    expect(open(test).find(({ computer }) => computer === 'package/wet')?.reason.message).toContain('pump_2');
  });
});
