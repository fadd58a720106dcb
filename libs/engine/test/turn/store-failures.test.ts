import { ServiceError } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { device, TestLab } from '../test-lab.js';

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.protocol('p', [{ name: 'a', devices: { d: device('l.arm') } }]);
  await test.open();
  return test;
}

const away = () => {
  throw new ServiceError('store_unavailable', 'the database is away');
};

describe('a commit that fails', () => {
  it('rejects the command without effect and sends nothing', async () => {
    const test = await lab();
    test.store.beforeCommit = away;
    await expect(test.run('r', 'p')).rejects.toMatchObject({ code: 'store_unavailable', effect: 'none' });
    await test.clock.settle();
    expect(test.agents.executions.size).toBe(0);
    test.store.beforeCommit = undefined;
    await test.run('r', 'p');
    expect(test.running()).toEqual(['r/a']);
  });

  it('lets the agent report a result again', async () => {
    const test = await lab();
    await test.run('r', 'p');
    test.store.beforeCommit = away;
    await test.agents.complete('r/a');
    expect(test.task('r/a').state).toBe('running');
    test.store.beforeCommit = undefined;
    await test.agents.tellResults('svc_computer');
    await test.clock.settle();
    expect(test.runState('r')).toBe('completed');
  });

  it('although it was applied leads to a question to the agent, not to a second start', async () => {
    const test = await lab();
    test.store.afterCommit = (changes) => {
      if (changes.some((change) => change.op === 'insertAttempt')) {
        test.store.afterCommit = undefined;
        throw new ServiceError('store_unavailable', 'connection lost while committing', { effect: 'maybe' });
      }
    };
    await test.run('r', 'p').catch((error: unknown) => expect(error).toMatchObject({ effect: 'maybe' }));
    await test.live(3000);
    expect(test.runState('r')).toBe('running');
    expect(test.running()).toEqual(['r/a']);
    expect([...test.store.rows.attempts.values()].map((row) => row.state)).toEqual(['never_ran', 'running']);
    expect(test.agents.startedTwice).toEqual([]);
  });

  it('does not block commands that arrived meanwhile', async () => {
    const test = await lab();
    let late: Promise<unknown> | undefined;
    test.store.beforeCommit = () => {
      test.store.beforeCommit = undefined;
      late = test.engine.submissions.protocolRun({ name: 'late', type: 'p' });
      away();
    };
    await expect(test.run('r', 'p')).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(late).resolves.toMatchObject({ name: 'late' });
  });

  it('followed by an unreadable store refuses further commands, with no effect', async () => {
    const test = await lab();
    test.store.beforeCommit = away;
    test.store.beforeLoad = away;
    await expect(test.run('r', 'p')).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(test.run('s', 'p')).rejects.toMatchObject({ code: 'store_unavailable', effect: 'none' });
    test.store.beforeCommit = undefined;
    test.store.beforeLoad = undefined;
    await test.run('t', 'p');
    expect(test.running()).toEqual(['t/a']);
  });

  it('because of one command lets the other commands succeed', async () => {
    const test = await lab();
    test.store.beforeCommit = (changes) => {
      if (changes.some((change) => change.op === 'insertProtocolRun' && change.row.name === 'bad'))
        throw new ServiceError('duplicate_name', 'taken behind our back');
    };
    const settled = await Promise.allSettled(
      ['good', 'bad', 'fine'].map((name) => test.engine.submissions.protocolRun({ name, type: 'p' })),
    );
    expect(settled.map((each) => each.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(settled[1]).toMatchObject({ reason: { code: 'duplicate_name' } });
    await test.clock.settle();
    expect(test.running()).toHaveLength(1);
  });

  it('is followed by all due decisions when the store works again', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await test.run('s', 'p');
    let load = 4;
    test.store.beforeLoad = () => {
      if ((load -= 1) >= 0) away();
    };
    test.store.beforeCommit = (changes) => {
      if (changes.some((change) => change.op === 'insertAttempt')) {
        test.store.beforeCommit = undefined;
        away();
      }
    };
    await test.agents.complete('r/a');
    expect(test.runState('r')).toBe('running');
    await test.live(5000);
    await test.agents.tellResults('svc_computer');
    await test.clock.settle();
    expect(test.runState('r')).toBe('completed');
    expect(test.running()).toEqual(['s/a']);
  });
});

describe('leadership', () => {
  it('ends the engine, which makes no further decision, when it is lost', async () => {
    const test = await lab();
    const old = test.engine;
    await test.start();
    expect(test.engine.epoch).toBe(2);
    await expect(old.submissions.protocolRun({ name: 'r', type: 'p' })).rejects.toMatchObject({
      code: 'service_unavailable',
      effect: 'none',
    });
    expect(test.deposed).toBe(1);
    await expect(old.submissions.protocolRun({ name: 's', type: 'p' })).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(test.store.rows.protocolRuns.size).toBe(0);
  });

  it('sends nothing again after a takeover and adopts running work', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await test.engine.stop();
    await test.start();
    await test.agents.register('svc_computer');
    await test.live(3000);
    expect(test.agents.startedTwice).toEqual([]);
    expect(test.agents.executions.size).toBe(1);
    await test.complete('r/a');
    expect(test.runState('r')).toBe('completed');
  });

  it('asks the agent before it retries after a takeover between commit and start', async () => {
    const test = await lab();
    test.store.afterCommit = (changes) => {
      if (!changes.some((change) => change.op === 'insertAttempt')) return;
      test.store.afterCommit = undefined;
      return new Promise<void>(() => undefined);
    };
    void test.engine.submissions.protocolRun({ name: 'r', type: 'p' });
    await test.clock.settle();
    expect(test.agents.executions.size).toBe(0);
    await test.start();
    await test.agents.register('svc_computer');
    await test.live(3000);
    expect([...test.store.rows.attempts.values()].map((row) => row.state)).toEqual(['never_ran', 'running']);
  });
});

describe('commands that arrive together', () => {
  it('share one commit', async () => {
    const test = await lab();
    const before = test.store.commits.length;
    await Promise.all(
      ['r', 's', 't', 'u'].map((name) => test.engine.submissions.protocolRun({ name, type: 'p' })),
    );
    expect(test.store.commits.length).toBe(before + 1);
  });

  it('cannot take the same name', async () => {
    const test = await lab();
    const settled = await Promise.allSettled(
      ['r', 'r'].map((name) => test.engine.submissions.protocolRun({ name, type: 'p' })),
    );
    expect(settled.map((each) => each.status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('definitions that change', () => {
  it('are sent to the agents until acknowledged, and new devices are used', async () => {
    const test = await lab();
    let lost = 2;
    test.agents.onCall = (kind) => (kind === 'assign' && (lost -= 1) >= 0 ? 'lost' : 'delivered');
    test.lab('m', { arm2: 'arm' }, { dish: 'dish' });
    await test.engine.definitionsChanged();
    test.protocol('q', [{ name: 'a', devices: { d: device('m.arm2') } }]);
    await test.run('r', 'q');
    expect(test.running()).toEqual([]);
    await test.live(3000);
    expect(test.running()).toEqual(['r/a']);
    expect(test.store.rows.resources.get('dish')).toMatchObject({ lab: 'm', type: 'dish' });
  });

  it('leave the state of known resources alone', async () => {
    const test = await lab();
    test.lab('l', { arm: 'arm' }, { dish: 'dish' });
    await test.engine.definitionsChanged();
    const l = test.lab('l', { arm: 'arm' }, { dish: 'dish' });
    Object.assign(l.resources['dish']?.meta ?? {}, { capacity: 99 });
    await test.engine.definitionsChanged();
    expect(test.store.rows.resources.get('dish')?.meta).toEqual({ capacity: 10 });
  });
});

describe('an engine that stops', () => {
  it('leaves no timer behind and takes no more commands', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await test.engine.stop();
    expect(test.clock.pending).toBe(0);
    await expect(test.engine.submissions.protocolRun({ name: 's', type: 'p' })).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(test.running()).toEqual(['r/a']);
  });
});
