import { eventKinds, eventKindOf } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { campaign, lab as searchLab, measure } from '../search-lab.js';
import { device, TestLab } from '../test-lab.js';

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' }, { beaker: 'glass' });
  test.taskType('use', { devices: { d: { type: 'arm' } } });
  test.protocol('one', [{ name: 'a', type: 'use', devices: { d: device('l.arm') } }]);
  await test.open();
  await test.live(1_000);
  return test;
}

/** Types of the events about a record, or of all of a kind, in order. */
function told(test: TestLab, aggregate: string): string[] {
  return test.store.events
    .filter((event) => event.aggregate.startsWith(aggregate))
    .map((event) => event.type.slice(event.type.indexOf('.') + 1));
}

describe('events', () => {
  it('report every state of an attempt, with its task, run and campaign', async () => {
    const test = await lab();
    await test.run('r', 'one', { owner: 'ada' });
    await test.complete('r/a');
    expect(told(test, 'attempt/')).toEqual(['dispatching', 'running', 'completed']);
    const [begun] = test.store.events.filter(({ type }) => type === 'attempt.running');
    expect(begun?.body).toMatchObject({
      task: 'a',
      owner: 'ada',
      protocol_run: 'r',
      campaign: null,
      labs: ['l'],
      devices: ['l.arm'],
      number: 1,
    });
    const [task] = test.store.events.filter(({ type }) => type === 'task_run.completed');
    expect(task?.body).toMatchObject({ owner: 'ada', protocol_run: 'r', labs: ['l'], task_type: 'use' });
  });

  it('report agents and devices, once for each change', async () => {
    const test = await lab();
    expect(told(test, 'agent/svc_computer')).toEqual(['online']);
    const before = told(test, 'device/l.arm');
    expect(before.at(-1)).toBe('idle');
    await test.live(5_000);
    expect(told(test, 'device/l.arm')).toEqual(before);
    const status = { lab: 'l', name: 'arm', functions: [], detail: 'stuck' };
    test.engine.agents.deviceChanged('svc_computer', 1, { ...status, state: 'busy' });
    await test.clock.advance(200);
    expect(told(test, 'device/l.arm').slice(before.length)).toEqual(['busy']);
    await test.clock.advance(20_000);
    expect(told(test, 'agent/svc_computer').slice(1)).toEqual(['suspect', 'offline']);
    expect(told(test, 'device/l.arm').at(-1)).toBe('unreachable');
  });

  it('about devices alone are committed at most ten times a second', async () => {
    const test = await lab();
    const commits = test.store.commits.length;
    for (let n = 0; n < 100; n += 1) {
      const state = n % 2 === 0 ? 'busy' : 'idle';
      test.engine.agents.deviceChanged('svc_computer', 1, {
        lab: 'l',
        name: 'arm',
        functions: [],
        detail: null,
        state,
      });
      await test.clock.advance(10);
    }
    expect(test.store.commits.length - commits).toBeLessThanOrEqual(11);
    await test.clock.advance(200);
    expect(told(test, 'device/l.arm').at(-1)).toBe('idle');
  });

  it('report loaded, changed and unloaded definitions', async () => {
    const test = await lab();
    expect([told(test, 'lab/l'), told(test, 'protocol/one')]).toEqual([['loaded'], ['loaded']]);
    expect(told(test, 'resource/beaker')).toEqual(['changed']);
    await test.engine.definitionsChanged(() => {
      test.definitions.loadedLabs.delete('l');
      test.definitions.protocols.delete('one');
    });
    await test.clock.settle();
    expect([told(test, 'lab/l'), told(test, 'protocol/one')]).toEqual([
      ['loaded', 'unloaded'],
      ['loaded', 'unloaded'],
    ]);
    expect(told(test, 'device/l.arm').at(-1)).toBe('unloaded');
  });

  it('report emergency stops and queue pauses', async () => {
    const test = await lab();
    await test.engine.emergencyStops.engage({ id: 's', scope: 'device:l.arm', by: 'ada', reason: 'spill' });
    await test.engine.emergencyStops.release('s', 'ada');
    expect(told(test, 'halt/s')).toEqual(['engaged', 'released']);
    expect(test.store.events.find(({ type }) => type === 'halt.engaged')?.body).toMatchObject({
      labs: ['l'],
    });
    await test.engine.queuePause.pause('ada');
    await test.engine.queuePause.resume('ada');
    expect(told(test, 'halt/').slice(2)).toEqual(['engaged', 'released']);
  });

  it('are published in full by a new leader, after the commit of its takeover', async () => {
    const test = await lab();
    const before = test.store.events.length;
    await test.engine.stop();
    await test.start();
    expect(test.store.events.length).toBe(before);
    await test.clock.advance(200);
    expect(
      test.store.events
        .slice(before)
        .map(({ aggregate }) => aggregate)
        .sort(),
    ).toEqual(['device/l.arm', 'lab/l', 'protocol/one']);
  });

  it('report the trials of a campaign', async () => {
    const test = await searchLab();
    await campaign(test);
    await measure(test, 1);
    const { id } = test.campaignRow('c');
    expect(told(test, `trial/${id}/1`)).toEqual(['proposed', 'running', 'measured']);
    const measured = test.store.events.find(({ type }) => type === 'trial.measured');
    expect(measured?.body).toMatchObject({ campaign: 'c', number: 1, outputs: { 'a.score': 99 } });
  });

  it('have declared kinds, and are numbered without gaps', async () => {
    const test = await lab();
    await test.run('r', 'one');
    await test.fail('r/a');
    const seen = new Map<string, number>();
    for (const { aggregate, type, seq } of test.store.events) {
      expect(eventKinds).toContain(eventKindOf(aggregate));
      expect(eventKindOf(type)).toBe(eventKindOf(aggregate));
      expect(seq).toBe((seen.get(aggregate) ?? 0) + 1);
      seen.set(aggregate, seq);
    }
  });
});
