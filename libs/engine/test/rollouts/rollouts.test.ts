import { describe, expect, it } from 'vitest';
import { after, before, RolloutLab } from './rollout-lab.js';

const decision = (test: RolloutLab, by = 'bob') => ({ id: test.rollout.id, by, reason: 'looked at it' });
const bench = { computer: 'pc_02', by: 'carl', reason: 'new lamp', until: null };

describe('a rollout', () => {
  it('updates 12 computers in rings of 1, 2 and 9, a few at once, with a pause between two rings', async () => {
    const test = await RolloutLab.open(12);
    const first = await test.rollOut();
    expect(first).toMatchObject({ state: 'running', version: after, by: 'ada', settle_s: 600 });
    expect(first.computers.map(({ ring }) => ring)).toEqual([1, 2, 2, ...Array<number>(9).fill(3)]);
    expect(first.left_out).toEqual([
      { computer: 'svc_computer', reason: 'it was not started by "svc-agent run"' },
    ]);
    await test.until(() => test.state('pc_01') === 'updated');
    expect([test.asked, test.drains()]).toEqual([['pc_01'], {}]);
    await test.pass(590_000);
    expect(test.asked).toEqual(['pc_01']);
    expect(test.rollout.waits_for).toMatch(/^ring 2 begins at /);
    await test.until(() => test.those('updated').length === 3);
    expect(test.asked).toEqual(['pc_01', 'pc_02', 'pc_03']);
    await test.pass(590_000);
    expect(test.those('waiting').length).toBe(9);
    await test.until(() => test.those('updated').length === 12);
    expect([test.asked.length, test.most, test.drains()]).toEqual([12, 3, {}]);
    // The last ring is watched as the others are.
    await test.pass(590_000);
    expect([test.rollout.state, test.rollout.waits_for]).toEqual([
      'running',
      expect.stringMatching(/^the rollout ends at /),
    ]);
    await test.until(() => test.rollout.state === 'completed');
    expect(test.rollout).toMatchObject({ ended_by: 'service', halt: null, waits_for: null });
    expect(
      test.engine.views
        .agents()
        .every(({ computer, version }) => computer === 'svc_computer' || version === after),
    ).toBe(true);
  });

  it('drains a computer, waits for what runs there, and lets its tasks start again', async () => {
    const test = await RolloutLab.open(1);
    await test.run('r', 'pc_01');
    await test.rollOut();
    await test.run('s', 'pc_01');
    await test.pass(30_000);
    expect([test.state('pc_01'), test.asked]).toEqual(['draining', []]);
    expect(test.rollout.computers[0]?.detail).toBe('waits for r/a');
    expect(test.drains()).toEqual({ pc_01: `update to ${after}: release` });
    await test.complete('r/a');
    await test.pass(10_000);
    expect([test.asked, test.running()]).toEqual([['pc_01'], []]);
    await test.until(() => test.rollout.state === 'completed');
    await test.pass(2_000);
    expect(test.running()).toEqual(['s/a']);
    const acts = test.store.audit.map(({ action, by, subject }) => [action, by, subject]);
    expect(acts).toEqual([
      ['rollout.start', 'ada', `rollout/${test.rollout.id}`],
      ['computer.drain', 'service', 'computer/pc_01'],
      ['computer.resume', 'service', 'computer/pc_01'],
      ['rollout.completed', 'service', `rollout/${test.rollout.id}`],
    ]);
    const completed = test.store.events.find(({ type }) => type === 'rollout.completed');
    expect(completed?.body).toMatchObject({
      version: after,
      by: 'ada',
      halt: null,
      computers: { updated: 1 },
    });
    const types = test.store.events
      .map(({ type }) => type)
      .filter((type) => /^(rollout|agent)\.(?!online|offline|suspect)/.test(type));
    expect(types[0]).toBe('rollout.running');
    expect(types).toContain('agent.drained');
    expect(types.slice(-2)).toEqual(['agent.resumed', 'rollout.completed']);
  });

  it('waits for the calls of people', async () => {
    const test = await RolloutLab.open(1);
    test.agents.deviceState = () => 'busy';
    await test.live(1_000);
    await test.rollOut();
    await test.pass(20_000);
    expect([test.asked, test.rollout.computers[0]?.detail]).toEqual([[], 'waits for a call of l.arm_pc_01']);
    test.agents.deviceState = () => 'idle';
    await test.until(() => test.rollout.state === 'completed');
  });

  it('waits for the start of a device, which may move it', async () => {
    const test = await RolloutLab.open(1);
    test.agents.deviceState = () => 'initializing';
    await test.live(1_000);
    await test.rollOut();
    await test.pass(20_000);
    expect([test.asked, test.rollout.computers[0]?.detail]).toEqual([
      [],
      'waits for the start of l.arm_pc_01',
    ]);
    test.agents.deviceState = () => 'idle';
    await test.until(() => test.rollout.state === 'completed');
  });

  it('asks again when a broken connection has lost the request, which then has no answer', async () => {
    const test = await RolloutLab.open(1);
    const lost = new Promise<never>(() => undefined);
    test.onAsked = (name, version) => (test.asked.length === 1 ? lost : test.restart(name, version));
    await test.rollOut();
    await test.pass(29_000);
    expect([test.state('pc_01'), test.asked]).toEqual(['updating', ['pc_01']]);
    await test.until(() => test.rollout.state === 'completed');
    expect(test.asked).toEqual(['pc_01', 'pc_01']);
  });

  it('lets a run go on that keeps a device of the computer between two tasks', async () => {
    const test = await RolloutLab.open(1);
    await test.run('r', 'pc_01_twice');
    await test.rollOut();
    await test.complete('r/a');
    await test.pass(5_000);
    expect([test.running(), test.asked]).toEqual([['r/b'], []]);
    await test.complete('r/b');
    await test.until(() => test.rollout.state === 'completed');
  });

  it('leaves the drain of a person as it is, and waits for its end', async () => {
    const test = await RolloutLab.open(3);
    await test.engine.outages.drain(bench);
    await test.rollOut({ settle_s: 0 });
    await test.until(() => test.state('pc_01') === 'updated');
    await test.pass(60_000);
    expect([test.state('pc_02'), test.asked]).toEqual(['waiting', ['pc_01']]);
    expect(test.rollout.computers[1]?.detail).toBe('its computer pc_02 is drained by carl: new lamp');
    await test.engine.outages.resume({ computer: 'pc_02', by: 'carl' });
    await test.until(() => test.state('pc_02') === 'restarting');
    await test.engine.outages.drain({ ...bench, reason: 'once more' });
    await test.until(() => test.rollout.state === 'completed');
    expect(test.drains()).toEqual({ pc_02: 'once more' });
  });

  it('asks no agent of a computer that a person begins to drain meanwhile', async () => {
    const test = await RolloutLab.open(1);
    await test.run('r', 'pc_01');
    await test.rollOut();
    await test.until(() => test.state('pc_01') === 'draining');
    await test.engine.outages.drain({ ...bench, computer: 'pc_01' });
    await test.complete('r/a');
    await test.pass(10_000);
    expect([test.asked, test.drains()]).toEqual([[], { pc_01: 'new lamp' }]);
  });

  it('begins nothing under an emergency stop', async () => {
    const test = await RolloutLab.open(1);
    await test.engine.emergencyStops.engage({ id: 'e', scope: 'lab:l', by: 'eve', reason: 'smoke' });
    await test.rollOut();
    await test.pass(10_000);
    expect(test.rollout.computers[0]).toMatchObject({
      state: 'waiting',
      detail: 'an emergency stop covers l.arm_pc_01',
    });
    await test.engine.emergencyStops.release('e', 'eve');
    await test.until(() => test.rollout.state === 'completed');
  });

  it('asks again later an agent on whose computer something runs, without a halt', async () => {
    const test = await RolloutLab.open(1);
    let times = 0;
    test.onAsked = (computer, version) =>
      (times += 1) < 3 ? test.refuse('device_in_use', 'a call runs') : test.restart(computer, version);
    await test.rollOut();
    await test.until(() => test.rollout.state === 'completed');
    expect(times).toBe(3);
  });

  it('settles what an agent does whose answer was lost', async () => {
    const test = await RolloutLab.open(1);
    test.agents.onCall = (kind) => (kind === 'update' ? 'reply_lost' : 'delivered');
    await test.rollOut();
    await test.until(() => test.rollout.state === 'completed');
    expect(test.openItems()).toEqual([]);
  });
});

describe('a rollout that fails', () => {
  it.each([
    [
      'comes back with the version before',
      (test: RolloutLab) => (name: string) => {
        const failed = { version: after, why: 'it ended with exit code 1' };
        test.says.set(name, { platform: 'linux-x64', refusal: null, failed });
        return test.restart(name, before);
      },
      `pc_01 came back with version ${before}: version ${after} failed there: it ended with exit code 1`,
    ],
    [
      'does not come back',
      (test: RolloutLab) => (name: string) => {
        test.agents.crash(name);
        return 'placed' as const;
      },
      'pc_01 did not come back within 300 s',
    ],
    [
      'refuses',
      (test: RolloutLab) => () => test.refuse('wrong_state', 'the disk has 3 MiB free'),
      'pc_01 refuses the update: the disk has 3 MiB free',
    ],
    ['stays as it is', () => () => 'placed' as const, 'pc_01 has not updated itself within 300 s'],
  ])('halts when an agent %s', async (_, onAsked, reason) => {
    const test = await RolloutLab.open(3);
    test.onAsked = onAsked(test);
    await test.rollOut({ settle_s: 0 });
    await test.until(() => test.rollout.state === 'halted');
    expect(test.rollout.halt).toMatchObject({ computer: 'pc_01', reason });
    expect(test.openItems()).toContain('rollout_halted');
    expect(test.engine.views.counts().computers.troubles).toContain(
      `the rollout to ${after} is halted: ${reason}`,
    );
    await test.pass(60_000);
    const askedOnce = test.asked.filter((name) => name !== 'pc_01');
    expect([test.drains(), test.those('waiting'), askedOnce]).toEqual([{}, ['pc_02', 'pc_03'], []]);
  });

  it('halts when a device is not as well as before', async () => {
    const test = await RolloutLab.open(2);
    test.onAsked = (name, version) => {
      test.agents.deviceState = (_lab, arm) => (arm === 'arm_pc_01' ? 'initializing' : 'idle');
      return test.restart(name, version);
    };
    await test.rollOut();
    await test.until(() => test.rollout.state === 'halted');
    expect(test.rollout.halt?.reason).toBe(
      `pc_01 runs version ${after}, but l.arm_pc_01: it is initializing, which was usable before`,
    );
  });

  it('does not wait for a device that was faulted before', async () => {
    const test = await RolloutLab.open(1);
    test.agents.deviceState = () => 'faulted';
    await test.live(1_000);
    await test.rollOut();
    await test.until(() => test.rollout.state === 'completed');
    expect(test.openItems()).toEqual(['device_faulted']);
  });

  it('watches the last ring as long as the others, and watches it anew after a halt', async () => {
    const test = await RolloutLab.open(1);
    await test.rollOut();
    await test.until(() => test.state('pc_01') === 'updated');
    await test.pass(590_000);
    test.agents.deviceState = () => 'faulted';
    await test.pass(5_000);
    expect(test.rollout.halt?.reason).toContain(
      'an attention item was opened about pc_01, which was updated',
    );
    await test.engine.rollouts.resume(decision(test));
    test.agents.deviceState = () => 'idle';
    await test.start();
    for (const name of [...test.names, 'svc_computer']) await test.agents.register(name);
    await test.pass(590_000);
    expect(test.rollout.state).toBe('running');
    await test.pass(20_000);
    expect(test.rollout).toMatchObject({ state: 'completed', ended_by: 'service', waits_for: null });
    expect(test.asked).toEqual(['pc_01']);
  });

  it.each([
    ['between two rings', 2],
    ['after the last ring', 1],
  ])('halts when an updated computer goes back to the version before %s', async (_, count) => {
    const test = await RolloutLab.open(count);
    await test.rollOut();
    await test.until(() => test.state('pc_01') === 'updated');
    test.restart('pc_01', before);
    await test.pass(300_000);
    expect(test.rollout).toMatchObject({
      state: 'halted',
      halt: { computer: 'pc_01', reason: `pc_01 came back with version ${before}` },
      computers: [{ computer: 'pc_01', state: 'failed' }, ...(count === 1 ? [] : [{ state: 'waiting' }])],
    });
    await test.pass(900_000);
    expect([test.asked, test.drains()]).toEqual([['pc_01'], {}]);
    await test.engine.rollouts.resume(decision(test));
    await test.until(() => test.rollout.state === 'completed');
    expect(test.asked).toEqual(['pc_01', ...test.names]);
  });

  it('halts when an attention item is opened about an updated computer, also between two rings', async () => {
    const test = await RolloutLab.open(3);
    await test.rollOut();
    await test.until(() => test.state('pc_01') === 'updated');
    await test.pass(60_000);
    // One about another computer does not count.
    test.agents.deviceState = (_lab, arm) => (arm === 'arm_pc_03' ? 'faulted' : 'idle');
    await test.pass(5_000);
    expect(test.rollout.state).toBe('running');
    test.agents.deviceState = () => 'faulted';
    await test.pass(5_000);
    expect(test.rollout.halt?.reason).toBe(
      'an attention item was opened about pc_01, which was updated: it does not start',
    );
    await test.pass(900_000);
    expect(test.asked).toEqual(['pc_01']);
    // The same item does not halt it again.
    await test.engine.rollouts.resume(decision(test));
    await test.until(() => test.asked.length === 2);
    expect(test.rollout.state).toBe('running');
  });

  it('lets what is being updated end, and drains nothing else', async () => {
    const test = await RolloutLab.open(30);
    test.onAsked = (name, version) =>
      name === 'pc_03' ? test.refuse('wrong_state', 'no room') : test.restart(name, version, 60_000);
    await test.rollOut({ settle_s: 0 });
    await test.until(() => test.rollout.state === 'halted');
    expect(test.state('pc_02')).toBe('restarting');
    await test.pass(5_000);
    expect(Object.keys(test.drains()).sort()).toEqual(test.those('updating', 'restarting'));
    await test.pass(120_000);
    expect([test.drains(), test.state('pc_02'), test.rollout.state]).toEqual([{}, 'updated', 'halted']);
  });

  it('tries the computer that failed again when a person resumes it', async () => {
    const test = await RolloutLab.open(2);
    test.onAsked = () => test.refuse('wrong_state', 'no room');
    await test.rollOut({ settle_s: 0 });
    await test.until(() => test.rollout.state === 'halted');
    await test.engine.rollouts.resume(decision(test));
    await test.until(() => test.rollout.state === 'halted');
    test.onAsked = undefined;
    await test.engine.rollouts.resume(decision(test));
    await test.until(() => test.rollout.state === 'completed');
    expect(test.asked).toEqual(['pc_01', 'pc_01', 'pc_01', 'pc_02']);
    expect(test.openItems()).toEqual([]);
    expect(test.store.audit.filter(({ action }) => action === 'rollout.resume')[0]).toMatchObject({
      by: 'bob',
      detail: { reason: 'looked at it', halted_because: 'pc_01 refuses the update: no room' },
    });
  });

  it('asks a computer that came back too late with the version no second time', async () => {
    const test = await RolloutLab.open(2);
    test.onAsked = (name) => {
      test.agents.crash(name);
      return 'placed';
    };
    await test.rollOut({ settle_s: 0 });
    await test.until(() => test.rollout.state === 'halted');
    test.agents.versions.set('pc_01', after);
    await test.agents.boot('pc_01');
    await test.pass(10_000);
    expect([test.state('pc_01'), test.rollout.state]).toEqual(['failed', 'halted']);
    test.onAsked = undefined;
    await test.engine.rollouts.resume(decision(test));
    await test.until(() => test.rollout.state === 'completed');
    expect(test.asked).toEqual(['pc_01', 'pc_02']);
  });

  it('is ended by a person: what is updated stays, and what was asked is followed to its end', async () => {
    const test = await RolloutLab.open(12);
    await test.rollOut({ settle_s: 0 });
    await test.until(() => test.state('pc_02') === 'restarting');
    const record = await test.engine.rollouts.cancel(decision(test));
    expect(record).toMatchObject({ state: 'cancelled', ended_by: 'bob' });
    await expect(test.rollOut()).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringContaining('wait for its end') as string,
    });
    await test.pass(60_000);
    expect([test.those('updated'), test.drains()]).toEqual([['pc_01', 'pc_02', 'pc_03'], {}]);
    await test.engine.rollouts.cancel(decision(test));
    await expect(test.engine.rollouts.resume(decision(test))).rejects.toMatchObject({ code: 'wrong_state' });
    await test.rollOut({ settle_s: 0 });
    expect(test.rollout.computers.length).toBe(9);
  });
});

describe('another leader goes on where the one before stopped', () => {
  it.each(['draining', 'updating', 'restarting', 'initializing', 'updated', 'failed'])(
    'at the state %s',
    async (state) => {
      const test = await RolloutLab.open(2);
      const given = state === 'failed' ? 'failed' : 'idle';
      let placed = 0;
      test.onAsked = (name, version) => {
        if (given === 'failed' && placed === 0) return test.refuse('wrong_state', 'no room');
        placed += 1;
        return test.restart(name, version);
      };
      if (state === 'draining') await test.run('r', 'pc_01');
      if (state === 'updating') test.agents.onCall = (kind) => (kind === 'update' ? 'lost' : 'delivered');
      if (state === 'initializing')
        test.agents.deviceState = () => (placed > 0 && test.asked.length > 0 ? 'initializing' : 'idle');
      await test.rollOut({ settle_s: 60 });
      await test.until(() => test.state('pc_01') === state);
      await test.start();
      for (const name of [...test.names, 'svc_computer']) await test.agents.register(name);
      await test.pass(2_000);
      test.agents.onCall = () => 'delivered';
      test.agents.deviceState = () => 'idle';
      if (state === 'draining') await test.complete('r/a');
      placed += given === 'failed' ? 1 : 0;
      if (state === 'failed') await test.engine.rollouts.resume(decision(test));
      await test.until(() => test.rollout.state === 'completed');
      const times = test.asked.filter((name) => name === 'pc_01').length;
      expect([times, test.drains(), test.openItems()]).toEqual([state === 'failed' ? 2 : 1, {}, []]);
    },
  );

  it('after nobody has led for an hour: it hears the agents before it judges them', async () => {
    const test = await RolloutLab.open(2);
    await test.rollOut({ settle_s: 0 });
    await test.until(() => test.state('pc_01') === 'restarting');
    await test.engine.stop();
    await test.clock.advance(3_600_000);
    await test.start();
    await test.live(5_000);
    expect([test.state('pc_01'), test.rollout.state]).toEqual(['restarting', 'running']);
    for (const name of ['pc_02', 'svc_computer']) await test.agents.register(name);
    await test.until(() => test.rollout.state === 'completed');
    expect(test.asked).toEqual(['pc_01', 'pc_02']);
  });

  it('asks once more an agent whose answer the leader before did not get, and nothing happens twice', async () => {
    const test = await RolloutLab.open(1);
    test.agents.onCall = (kind) => (kind === 'update' ? 'reply_lost' : 'delivered');
    await test.rollOut();
    await test.until(() => test.asked.length === 1);
    test.agents.onCall = () => 'delivered';
    // The agent joins the update that is under way.
    test.onAsked = () => 'placed';
    await test.start();
    for (const name of [...test.names, 'svc_computer']) await test.agents.register(name);
    await test.until(() => test.rollout.state === 'completed');
    expect(test.asked.length).toBeLessThanOrEqual(2);
  });
});

describe('the start of a rollout', () => {
  it('is refused while another one is open', async () => {
    const test = await RolloutLab.open(2);
    await test.rollOut();
    await expect(test.rollOut()).rejects.toMatchObject({ code: 'wrong_state' });
  });

  it('names the computers that it leaves out, and why', async () => {
    const test = new RolloutLab(4);
    test.says.set('pc_01', undefined);
    test.says.set('pc_02', { platform: 'linux-x64', refusal: 'SVC_AGENT_UPDATES forbids it', failed: null });
    test.agents.versions.set('pc_04', after);
    await test.open();
    await test.live(1_000);
    const { left_out: leftOut, computers } = await test.rollOut();
    expect(computers.map(({ computer }) => computer)).toEqual(['pc_03']);
    expect(leftOut.map(({ computer, reason }) => [computer, reason])).toEqual([
      [
        'pc_01',
        'its agent does not say on which platform it runs, because it is of an earlier release; update it by hand',
      ],
      ['pc_02', 'SVC_AGENT_UPDATES forbids it'],
      ['svc_computer', 'it was not started by "svc-agent run"'],
    ]);
  });

  it('takes the named computers and canary', async () => {
    const test = await RolloutLab.open(4);
    const { computers } = await test.rollOut({ computers: ['pc_01', 'pc_03', 'pc_04'], canary: 'pc_03' });
    expect(computers.map(({ computer, ring }) => [computer, ring])).toEqual([
      ['pc_03', 1],
      ['pc_01', 2],
      ['pc_04', 3],
    ]);
  });

  it.each([
    [{ reason: ' ' }, 'reason', /is missing/],
    [{ computers: ['pc_1'] }, 'computers[0]', /names pc_1, which no laboratory names/],
    [{ canary: 'pc_09' }, 'canary', /names pc_09, which this rollout does not update/],
    [
      { version: '3.0.0' },
      'version',
      /names 3\.0\.0, which the service does not offer for linux-x64 \(pc_01, pc_02\)/,
    ],
  ])('is refused with %o', async (asked, path, message) => {
    const test = await RolloutLab.open(2);
    await expect(test.rollOut(asked)).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ path, message: expect.stringMatching(message) as string }],
    });
    expect(test.engine.rollouts.list()).toEqual([]);
  });

  it('names what the service offers when a platform has no package of the version', async () => {
    const test = await RolloutLab.open(1);
    await expect(test.rollOut({ version: '3.0.0' })).rejects.toMatchObject({
      faults: [{ hint: 'it offers: 2.0.0 for linux-x64' }],
    });
  });

  it('is refused when no computer can be updated, with the reasons', async () => {
    const test = await RolloutLab.open(1);
    test.agents.crash('pc_01');
    await test.live(15_000);
    await expect(test.rollOut()).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/pc_01: its agent is not connected; svc_computer: /) as string,
    });
  });
});
