import { describe, expect, it } from 'vitest';
import { device, TestLab, wholeQueue } from '../test-lab.js';

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm', mixer: 'mixer' });
  test.taskType('use', { devices: { d: { type: 'arm' } } });
  test.protocol('pair', [
    { name: 'a', devices: { d: device('l.arm', true) } },
    { name: 'b', needs: ['a'], devices: { d: { kind: 'reference', task: 'a', slot: 'd', hold: false } } },
  ]);
  test.protocol('plain', [{ name: 'a' }, { name: 'b', needs: ['a'] }]);
  await test.open();
  return test;
}

async function settled(test: TestLab, act: Promise<unknown>): Promise<void> {
  await act;
  await test.clock.settle();
}

async function restart(test: TestLab): Promise<void> {
  await test.engine.stop();
  await test.start();
  await test.agents.register('svc_computer');
  await test.clock.settle();
}

const onArm = (name: string) => ({ name, type: 'use', devices: { d: { lab_name: 'l', name: 'arm' } } });

const campaign = (name: string, more = {}) => ({
  name,
  protocol: 'plain',
  max_protocol_runs: 3,
  max_concurrent_protocol_runs: 1,
  global_parameters: {},
  ...more,
});

describe('a drain of all work', () => {
  it('finishes the runs that have begun, starts nothing new, and lasts over restarts', async () => {
    const test = await lab();
    await test.run('r', 'pair');
    await test.run('s', 'pair');
    await settled(test, test.engine.drains.begin(null, 'ada'));
    await settled(test, test.engine.drains.begin(null, 'bob'));
    await settled(test, test.engine.submissions.task(onArm('t')));
    await test.run('late', 'plain');
    expect(test.running()).toEqual(['r/a']);
    await test.complete('r/a');
    expect(test.running()).toEqual(['r/b']);
    await restart(test);
    expect(test.engine.views.drain(null)).toMatchObject({
      draining: true,
      campaign: null,
      by: 'ada',
      drained: false,
      unfinished_count: 1,
      unfinished: [{ kind: 'protocol_run', name: 'r', state: 'running', running: [{ label: 'r/b' }] }],
    });
    await test.complete('r/b');
    await test.live(2_000);
    expect(test.runState('r')).toBe('completed');
    expect(test.running()).toEqual([]);
    expect(test.engine.views.drain(null)).toMatchObject({ draining: true, drained: true, unfinished: [] });
    expect(test.engine.views.queue(wholeQueue)).toMatchObject({
      queue: { paused: false, drained_by: 'ada', running: 0 },
      items: expect.arrayContaining([
        expect.objectContaining({
          label: 's/a',
          waits_for: [{ code: 'paused', message: 'ada drains the queue, so nothing new begins' }],
        }),
      ]) as unknown,
    });
    await settled(test, test.engine.drains.end(null, 'eve'));
    expect(test.running().sort()).toEqual(['late/a', 's/a']);
    expect(test.store.audit.map(({ by, action }) => [by, action])).toEqual([
      ['ada', 'queue.drain'],
      ['eve', 'queue.end_drain'],
    ]);
    const events = test.store.events.filter(({ type }) => type.startsWith('halt.'));
    expect(events.map(({ type, body }) => [type, body['scope'], body['by']])).toEqual([
      ['halt.engaged', 'drain', 'ada'],
      ['halt.released', 'drain', 'ada'],
    ]);
  });

  it('names the tasks whose computer is not heard', async () => {
    const test = await lab();
    await test.run('r', 'plain');
    const heardAt = new Date(test.clock.now()).toISOString();
    await test.clock.advance(5_000);
    await settled(test, test.engine.drains.begin(null, 'ada'));
    expect(test.engine.views.drain(null).unfinished).toMatchObject([
      { name: 'r', running: [{ label: 'r/a', computer: 'svc_computer', silent_since: heardAt }] },
    ]);
  });

  it('tries a failed task of a run that has begun again', async () => {
    const test = await lab();
    test.protocol('stubborn', [{ name: 'a', policy: { on_failure: 'ask' } }]);
    await test.run('r', 'stubborn');
    await settled(test, test.engine.drains.begin(null, 'ada'));
    await test.fail('r/a');
    expect(test.engine.views.drain(null).unfinished).toMatchObject([
      { name: 'r', state: 'needs_attention', running: [] },
    ]);
    const [item] = [...test.store.rows.attention.values()];
    await settled(test, test.engine.attention.decide({ id: item?.id ?? '', action: 'retry' }));
    expect(test.running()).toEqual(['r/a']);
  });
});

describe('a drain of a campaign', () => {
  it('finishes its current run, starts no other, and leaves other work alone', async () => {
    const test = await lab();
    await test.engine.submissions.campaign(campaign('c'));
    await test.engine.submissions.campaign(campaign('other'));
    await test.clock.settle();
    expect(test.running()).toEqual(['c_run_1/a', 'other_run_1/a']);
    await settled(test, test.engine.drains.begin('c', 'ada'));
    for (const label of ['c_run_1/a', 'c_run_1/b', 'other_run_1/a', 'other_run_1/b'])
      await test.complete(label);
    expect(test.running()).toEqual(['other_run_2/a']);
    expect(test.engine.views.drain('c')).toMatchObject({ draining: true, campaign: 'c', drained: true });
    expect(test.engine.views.drain(null)).toMatchObject({ draining: false, drained: false });
    await restart(test);
    expect(test.running()).toEqual(['other_run_2/a']);
    await expect(test.engine.work.resumeCampaign('c', 'ada')).rejects.toThrow(
      'the campaign "c" is running and not paused; ada drains its campaign, so nothing new begins; end the drain',
    );
    await settled(test, test.engine.drains.end('c', 'ada'));
    expect(test.running()).toEqual(['c_run_2/a', 'other_run_2/a']);
  });

  it('holds back a run that is queued and has not begun', async () => {
    const test = await lab();
    test.protocol('busy', [{ name: 'a', devices: { d: device('l.arm') } }]);
    await test.run('r', 'pair');
    await test.engine.submissions.campaign(campaign('c', { protocol: 'busy' }));
    await settled(test, test.engine.drains.begin('c', 'ada'));
    await test.complete('r/a');
    await test.complete('r/b');
    expect(test.running()).toEqual([]);
    await settled(test, test.engine.drains.end('c', 'ada'));
    expect(test.running()).toEqual(['c_run_1/a']);
  });

  it('completes the campaign after its last run, and ends with the campaign', async () => {
    const test = await lab();
    await test.engine.submissions.campaign(campaign('c', { max_protocol_runs: 1 }));
    await settled(test, test.engine.drains.begin('c', 'ada'));
    await test.complete('c_run_1/a');
    await test.complete('c_run_1/b');
    expect(test.campaignRow('c').state).toBe('completed');
    expect([...test.store.rows.drains.values()]).toMatchObject([{ by: 'ada', endedBy: 'service' }]);
    expect(test.engine.views.drain('c')).toMatchObject({ draining: false, drained: true });
    await expect(test.engine.drains.begin('c', 'ada')).rejects.toThrow('the campaign "c" is over already');
    await expect(test.engine.drains.begin('d', 'ada')).rejects.toThrow('there is no campaign named "d"');
  });
});
