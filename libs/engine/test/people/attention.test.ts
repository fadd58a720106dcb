import {
  ServiceError,
  type AttentionAction,
  type DeviceStatus,
  type TaskFailurePolicy,
} from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { device, ints, same, TestLab } from '../test-lab.js';

/** A laboratory with an arm on `pc`, and a run of two tasks on it. The first task runs. */
async function lab(policy: TaskFailurePolicy = {}): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm@pc' }, { cup: 'beaker' });
  test.taskType('use', {
    devices: { d: { type: 'arm' } },
    input_resources: { cup: { type: 'beaker' } },
    output_parameters: ints('n'),
  });
  const cup = { kind: 'specific' as const, name: 'cup', hold: false };
  test.protocol('p', [
    { name: 'a', type: 'use', devices: { d: device('l.arm', true) }, resources: { cup }, policy },
    { name: 'b', needs: ['a'], devices: { d: same('a.d') } },
  ]);
  await test.open();
  await test.run('r', 'p');
  return test;
}

const items = (test: TestLab) => [...test.store.rows.attention.values()];
const open = (test: TestLab) => items(test).filter((item) => item.state === 'open');
const call = { device: 'l.arm', function: 'move', call_id: 'x/1', arguments: { to: 'left', pin: '***' } };

function only(test: TestLab) {
  const [item, ...more] = open(test);
  if (item === undefined || more.length > 0) throw new Error(`${open(test).length} items are open`);
  return item;
}

async function decide(
  test: TestLab,
  action: AttentionAction,
  more: Record<string, unknown> = {},
): Promise<void> {
  await test.engine.attention.decide({ id: only(test).id, action, by: 'ada', ...more });
  await test.clock.settle();
}

async function lose(test: TestLab): Promise<void> {
  await test.agents.end(
    'r/a',
    { kind: 'unknown', detail: 'its process died during move' },
    { effects: 2, last_confirmed: { ...call, call_id: 'x/0' }, in_doubt: call },
  );
  await test.clock.settle();
}

describe('a task that needs attention', () => {
  it('has one item with the known facts', async () => {
    const test = await lab();
    await test.live(5000);
    await lose(test);
    await test.live(20_000);
    expect(only(test)).toMatchObject({
      kind: 'task',
      taskRunId: test.task('r/a').id,
      attemptId: [...test.store.rows.attempts.keys()][0],
      computer: 'pc',
      reason: { code: 'outcome_unknown', message: 'its process died during move' },
      known: {
        devices: [{ slot: 'd', device: 'l.arm', computer: 'pc' }],
        resources: [{ slot: 'cup', name: 'cup', type: 'beaker', meta: { capacity: 10 } }],
        last_confirmed: { call_id: 'x/0' },
        in_doubt: call,
        effects: 2,
      },
    });
    expect(items(test)).toHaveLength(1);
    expect(test.allocated()).toEqual(['cup', 'l.arm']);
    expect(test.store.events.filter((event) => event.aggregate.startsWith('attention/'))).toMatchObject([
      { type: 'attention.opened', body: { subject: 'r/a', by: null } },
    ]);
  });

  it('has the same item after a restart', async () => {
    const test = await lab();
    await lose(test);
    const { id } = only(test);
    await test.start();
    await test.agents.register('pc');
    await test.live(5000);
    expect(only(test).id).toBe(id);
  });

  it('is completed with outputs, which later tasks receive', async () => {
    const test = await lab();
    await lose(test);
    await decide(test, 'completed', {
      note: 'I looked',
      output_parameters: { n: 7 },
      output_resources: { cup: { name: 'cup', type: 'beaker', meta: { full: true } } },
    });
    expect(test.task('r/a')).toMatchObject({
      state: 'completed',
      outputParameters: { n: 7 },
      outputResources: { cup: { name: 'cup', meta: { full: true } } },
      reason: { code: 'completed_by_person', message: 'ada says so: I looked' },
    });
    expect(test.store.rows.resources.get('cup')?.meta).toEqual({ full: true });
    expect(test.running()).toEqual(['r/b']);
    expect(items(test)).toMatchObject([
      { state: 'resolved', resolution: { action: 'completed', by: 'ada', note: 'I looked' } },
    ]);
    expect(test.store.audit).toMatchObject([
      {
        by: 'ada',
        action: 'attention.resolve',
        detail: { about: 'r/a', decision: 'completed', note: 'I looked', output_parameters: { n: 7 } },
      },
    ]);
    await test.complete('r/b');
    expect(test.runState('r')).toBe('completed');
  });

  it('is not completed with outputs that differ from its type, and every fault is listed', async () => {
    const test = await lab();
    await lose(test);
    const id = only(test).id;
    await expect(
      test.engine.attention.decide({
        id,
        action: 'completed',
        output_parameters: { n: 'many', m: 1 },
        output_resources: { cup: { name: 'other', type: 'beaker', meta: {} } },
      }),
    ).rejects.toMatchObject({
      code: 'invalid',
      faults: [
        { path: 'output_parameters.m' },
        { path: 'output_parameters.n' },
        { path: 'output_resources.cup' },
      ],
    });
    await expect(
      test.engine.attention.decide({
        id,
        action: 'completed',
        output_parameters: { n: 1 },
        output_resources: { cup: { name: 3, meta: [] } as never },
      }),
    ).rejects.toMatchObject({
      faults: [{ path: 'output_resources.cup.name' }, { path: 'output_resources.cup.meta' }],
    });
    expect(only(test).id).toBe(id);
    expect(test.task('r/a').state).toBe('needs_attention');
    expect(test.store.audit).toEqual([]);
  });

  it('fails together with its run', async () => {
    const test = await lab({ on_failure: 'ask' });
    await lose(test);
    await decide(test, 'failed');
    expect(test.task('r/a')).toMatchObject({ state: 'failed', reason: { code: 'failed_by_person' } });
    expect(test.runState('r')).toBe('failed');
    expect(test.allocated()).toEqual([]);
    expect(open(test)).toEqual([]);
  });

  it('fails, and its run continues when its policy says so', async () => {
    const test = await lab({ on_failure: 'skip' });
    await lose(test);
    await decide(test, 'failed');
    expect(test.runRow('r')).toMatchObject({ state: 'completed', reason: { code: 'tasks_failed' } });
  });

  it('is retried as a new attempt with all of its retries', async () => {
    const test = await lab({ on_failure: 'ask', retry: { attempts: 2, backoff: 0 } });
    await test.fail('r/a', 'first', 0);
    await test.fail('r/a', 'second', 0);
    await decide(test, 'retry');
    expect(test.task('r/a')).toMatchObject({ state: 'running', attempt: 3, failures: 0 });
    await test.fail('r/a', 'third', 0);
    expect(test.task('r/a')).toMatchObject({ state: 'running', attempt: 4 });
    await test.complete('r/a', { n: 1 });
    await test.complete('r/b');
    expect(test.runState('r')).toBe('completed');
    expect(test.agents.startedTwice).toEqual([]);
    expect(items(test)).toHaveLength(1);
  });

  it('waits after a retry for a device that is in doubt', async () => {
    const test = await lab();
    let state: DeviceStatus['state'] = 'uncertain';
    test.agents.deviceState = () => state;
    await lose(test);
    test.agents.heartbeat('pc');
    await test.clock.settle();
    const item = open(test).find((each) => each.kind === 'task');
    await test.engine.attention.decide({ id: item?.id ?? '', action: 'retry' });
    await test.live(5000);
    expect(test.task('r/a').state).toBe('queued');
    state = 'idle';
    await test.live(2000);
    expect(test.running()).toEqual(['r/a']);
    expect(open(test)).toEqual([]);
  });

  it('is not retried while its run is ending', async () => {
    const test = new TestLab();
    test.lab('l', {});
    test.protocol('p', [{ name: 'a' }, { name: 'b' }]);
    await test.open();
    await test.run('r', 'p');
    await test.agents.end('r/a', { kind: 'unknown', detail: 'gone' });
    await test.fail('r/b');
    const { id } = only(test);
    await expect(test.engine.attention.decide({ id, action: 'retry' })).rejects.toMatchObject({
      code: 'wrong_state',
    });
    await decide(test, 'failed');
    expect(test.runState('r')).toBe('failed');
  });

  it.each(['task', 'run'])('that is cancelled with its %s closes its item', async (what) => {
    const test = await lab({ on_failure: 'ask' });
    await test.fail('r/a');
    expect(open(test)).toHaveLength(1);
    if (what === 'run') await test.engine.work.cancelProtocolRun('r');
    else await test.engine.work.cancelTask('a', 'r');
    expect(items(test)).toMatchObject([
      {
        state: 'resolved',
        resolution: { action: null, by: 'service', note: 'the task is cancelled' },
      },
    ]);
    expect(test.allocated()).toEqual([]);
  });

  it('is decided once, by one of the actions for tasks', async () => {
    const test = await lab();
    await lose(test);
    const { id } = only(test);
    await expect(test.engine.attention.decide({ id, action: 'idle' })).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ path: 'action', code: 'wrong_action', hint: 'use one of completed, failed, retry' }],
    });
    await expect(test.engine.attention.decide({ id: 'x', action: 'failed' })).rejects.toMatchObject({
      code: 'not_found',
    });
    const both = [decide(test, 'failed'), test.engine.attention.decide({ id, action: 'failed' })];
    expect((await Promise.allSettled(both)).map((each) => each.status)).toEqual(['fulfilled', 'rejected']);
    await expect(test.engine.attention.decide({ id, action: 'failed' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(items(test)).toMatchObject([{ id, state: 'resolved', resolution: { action: 'failed' } }]);
  });

  it('keeps its item when the decision cannot be recorded', async () => {
    const test = await lab();
    await lose(test);
    test.store.beforeCommit = () => {
      test.store.beforeCommit = undefined;
      throw new ServiceError('store_unavailable', 'away');
    };
    const { id } = only(test);
    await expect(test.engine.attention.decide({ id, action: 'failed' })).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    await test.live(2000);
    expect(only(test).id).toBe(id);
    await decide(test, 'failed');
    expect(test.runState('r')).toBe('failed');
  });
});

describe('a device in doubt', () => {
  const doubt = {
    id: 'doubt-1',
    in_doubt: [{ call_id: 'x/1', function: 'move' }],
    last_confirmed: { call_id: 'x/0', function: 'grip' },
  };

  async function inDoubt() {
    const test = await lab();
    let says: Partial<DeviceStatus> = { state: 'uncertain', detail: 'its process died', doubt };
    test.agents.deviceState = () => says.state ?? 'idle';
    test.agents.deviceMore = (_, name) => (name === 'arm' ? { ...says } : {});
    await test.live(1000);
    return { test, say: (what: Partial<DeviceStatus>) => (says = what) };
  }

  it('that still moves for a task blocks the decision about the task', async () => {
    const { test, say } = await inDoubt();
    say({ state: 'busy', doubt: undefined });
    await lose(test);
    await test.live(1000);
    const decision = { id: only(test).id, action: 'retry' as const, by: 'ada' };
    await expect(test.engine.attention.decide(decision)).rejects.toMatchObject({ code: 'wrong_state' });
    say({ state: 'idle' });
    await test.live(1000);
    await test.engine.attention.decide(decision);
    expect(items(test).find(({ kind }) => kind === 'task')?.state).toBe('resolved');
  });

  it('keeps the units of the task that failed on it, because it may still move', async () => {
    const { test, say } = await inDoubt();
    const [attemptId = ''] = test.store.rows.attempts.keys();
    say({
      state: 'uncertain',
      doubt: { ...doubt, in_doubt: [{ call_id: 'x/1', function: 'move', attempt_id: attemptId }] },
    });
    await test.live(1000);
    await test.fail('r/a', 'the arm is gone');
    expect(test.task('r/a')).toMatchObject({
      state: 'needs_attention',
      reason: {
        code: 'outcome_unknown',
        message: 'the arm is gone; whether move of device l.arm took effect is not known',
      },
    });
    expect(test.store.rows.allocations.get('resource:cup')?.taskRunId).toBe(test.task('r/a').id);
  });

  it('has one item with the known facts', async () => {
    const { test } = await inDoubt();
    await test.live(10_000);
    expect(items(test)).toMatchObject([
      {
        kind: 'device',
        device: 'l.arm',
        computer: 'pc',
        reason: { code: 'device_uncertain', message: 'its process died' },
        known: {
          doubt_id: 'doubt-1',
          in_doubt: [{ function: 'move' }],
          last_confirmed: { function: 'grip' },
          held_by: 'r/a',
        },
      },
    ]);
  });

  it('is restarted by its agent when a person says that it is idle', async () => {
    const { test, say } = await inDoubt();
    const resets: unknown[] = [];
    test.agents.onReset = (...args) => {
      resets.push(args);
      say({ state: 'initializing' });
    };
    await decide(test, 'idle', { note: 'it stands still' });
    await test.live(3000);
    expect(resets).toEqual([['l.arm', 'doubt-1', 'ada']]);
    expect(items(test)).toMatchObject([
      { state: 'resolved', resolution: { action: 'idle', by: 'ada', note: 'it stands still' } },
    ]);
    expect(test.store.audit).toMatchObject([{ detail: { about: 'l.arm', decision: 'idle' } }]);
  });

  it('has an item when it is faulted, and another one when its next start fails', async () => {
    const { test, say } = await inDoubt();
    say({ state: 'faulted', detail: 'no such port', doubt: undefined });
    await test.live(2000);
    expect(only(test)).toMatchObject({
      reason: { code: 'device_faulted', message: 'no such port' },
      known: { doubt_id: null },
    });
    test.agents.onReset = () => say({ state: 'initializing' });
    await decide(test, 'idle');
    await test.live(1000);
    expect(open(test)).toEqual([]);
    say({ state: 'faulted', detail: 'still no such port' });
    await test.live(2000);
    expect(only(test).reason.message).toBe('still no such port');
    say({ state: 'idle' });
    await test.live(2000);
    expect(open(test)).toEqual([]);
  });

  it('gets no new item from a delayed heartbeat, unless the doubt persists', async () => {
    const { test, say } = await inDoubt();
    test.agents.onReset = () => undefined;
    await decide(test, 'idle');
    await test.live(2000);
    expect(open(test)).toEqual([]);
    await test.live(6000);
    expect(only(test).known['doubt_id']).toBe('doubt-1');
    await decide(test, 'idle');
    say({ state: 'uncertain', doubt: { ...doubt, id: 'doubt-2' } });
    await test.live(1000);
    expect(only(test).known['doubt_id']).toBe('doubt-2');
  });

  it.each([
    ['its agent refuses', 'refused' as const, 'device_unavailable'],
    ['nobody answers', 'lost' as const, 'deadline_exceeded'],
  ])('keeps its item when %s', async (_what, delivery, code) => {
    const { test } = await inDoubt();
    test.agents.onCall = (kind) => (kind === 'reset' ? delivery : 'delivered');
    const { id } = only(test);
    await expect(test.engine.attention.decide({ id, action: 'idle' })).rejects.toMatchObject({ code });
    await test.live(2000);
    expect(only(test).id).toBe(id);
    expect(test.store.audit).toEqual([]);
  });

  it('whose agent is offline cannot be restarted', async () => {
    const { test } = await inDoubt();
    await test.clock.advance(5000);
    const { id } = only(test);
    await expect(test.engine.attention.decide({ id, action: 'idle' })).rejects.toMatchObject({
      code: 'agent_unreachable',
    });
    expect(only(test).id).toBe(id);
  });

  it('loses its item when its driver has reconciled its state', async () => {
    const { test, say } = await inDoubt();
    say({ state: 'idle' });
    await test.live(1000);
    expect(items(test)).toMatchObject([{ state: 'resolved', resolution: { action: null, by: 'service' } }]);
  });

  it('keeps its item while its agent is offline or starts it', async () => {
    const { test, say } = await inDoubt();
    test.agents.crash('pc');
    await test.live(20_000);
    say({ state: 'disabled' });
    await test.agents.boot('pc');
    await test.live(2000);
    expect(open(test).filter((item) => item.kind === 'device')).toHaveLength(1);
    say({ state: 'uncertain', doubt });
    await test.live(2000);
    expect(items(test).filter((item) => item.kind === 'device')).toHaveLength(1);
  });
});

describe('an agent that does not return', () => {
  it('has an item when it has been silent for 30 s with work', async () => {
    const test = await lab();
    test.agents.crash('pc');
    await test.live(29_000);
    expect(open(test)).toEqual([]);
    await test.live(2_000);
    expect(only(test)).toMatchObject({
      kind: 'agent',
      computer: 'pc',
      reason: { code: 'agent_silent' },
      known: { tasks: ['r/a'], devices: ['l.arm'] },
    });
    expect(test.task('r/a').state).toBe('running');
  });

  it('without work has no item', async () => {
    const test = await lab();
    test.agents.crash('svc_computer');
    await test.live(60_000);
    expect(items(test)).toEqual([]);
  });

  it('loses its item when it sends a message again', async () => {
    const test = await lab();
    await test.clock.advance(40_000);
    expect(open(test)).toHaveLength(1);
    await test.live(1000);
    expect(items(test)).toMatchObject([{ state: 'resolved', resolution: { action: null, by: 'service' } }]);
    await test.complete('r/a', { n: 1 });
    expect(test.task('r/a').state).toBe('completed');
  });

  it('gets another 30 s after a restart of the engine', async () => {
    const test = await lab();
    test.agents.crash('pc');
    await test.live(20_000);
    await test.start();
    await test.live(29_000);
    expect(open(test)).toEqual([]);
    await test.live(2_000);
    expect(only(test).kind).toBe('agent');
  });

  it('keeps its item after a restart of the engine', async () => {
    const test = await lab();
    test.agents.crash('pc');
    await test.live(31_000);
    const { id } = only(test);
    await test.start();
    await test.live(60_000);
    expect(only(test).id).toBe(id);
    expect(items(test)).toHaveLength(1);
    await test.agents.boot('pc');
    await test.clock.settle();
    expect(items(test)[0]).toMatchObject({ id, state: 'resolved', resolution: { action: null } });
  });

  it('that is declared lost leaves a decision about each of its tasks', async () => {
    const test = await lab();
    test.agents.crash('pc');
    await test.live(31_000);
    await decide(test, 'lost');
    expect(only(test)).toMatchObject({ kind: 'task', reason: { code: 'agent_lost' } });
    expect(test.task('r/a').state).toBe('needs_attention');
    expect(test.allocated()).toEqual(['cup', 'l.arm']);
    await decide(test, 'failed');
    expect(test.runState('r')).toBe('failed');
    expect(test.allocated()).toEqual([]);
    expect(open(test)).toEqual([]);
  });

  it('may report a late result, which is valid until a person has decided', async () => {
    const test = await lab();
    await test.clock.advance(31_000);
    await decide(test, 'lost');
    await test.live(2000);
    expect(test.task('r/a').state).toBe('needs_attention');
    await test.complete('r/a', { n: 1 });
    expect(test.task('r/a')).toMatchObject({ state: 'completed', outputParameters: { n: 1 } });
    expect(items(test).at(-1)).toMatchObject({
      kind: 'task',
      state: 'resolved',
      resolution: { action: null, note: 'the task is completed' },
    });
    expect(test.running()).toEqual(['r/b']);
  });

  it('must stop attempts after the decision of a person, and their results change nothing', async () => {
    const test = await lab();
    test.agents.onCancel = () => undefined;
    await test.clock.advance(31_000);
    await decide(test, 'lost');
    await decide(test, 'failed');
    expect(test.runState('r')).toBe('failed');
    await test.live(3000);
    expect(test.agents.stops).toEqual([
      { label: 'r/a', reason: 'it was decided about while its computer was away' },
    ]);
    await test.complete('r/a', { n: 1 });
    expect(test.task('r/a').state).toBe('failed');
  });
});
