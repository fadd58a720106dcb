import { GreedyPolicy, type Policy } from '@lab/scheduling';
import { describe, expect, it } from 'vitest';
import { anyDevice, device, same, TestLab, type TaskSketch } from '../test-lab.js';

describe('devices', () => {
  it('are given to one task at a time, with a fence that rises every time', async () => {
    const test = new TestLab();
    test.lab('l', { arm: 'arm' });
    test.protocol('p', [{ name: 'a', devices: { d: device('l.arm') } }]);
    await test.open();
    await test.run('r', 'p');
    await test.run('s', 'p');
    expect(test.running()).toEqual(['r/a']);
    await test.complete('r/a');
    expect(test.running()).toEqual(['s/a']);
    const fences = [...test.agents.executions.values()].map((each) => each.start.devices['d']?.fence);
    expect(fences).toEqual([1, 2]);
  });

  it('of a task are given all at once or not at all', async () => {
    const test = new TestLab();
    test.lab('l', { x: 'arm', y: 'arm' });
    test.protocol('both', [{ name: 'a', devices: { d: device('l.x'), e: device('l.y') } }]);
    test.protocol('one', [{ name: 'a', devices: { d: device('l.y') } }]);
    await test.open();
    await test.run('r1', 'one');
    await test.run('r2', 'both');
    expect(test.allocated()).toEqual(['l.y']);
    await test.complete('r1/a');
    expect(test.running()).toEqual(['r2/a']);
    expect(test.allocated()).toEqual(['l.x', 'l.y']);
  });

  it('of a pool are taken in turn, the least busy one first', async () => {
    const test = new TestLab();
    test.lab('l', { m1: 'mixer', m2: 'mixer' });
    test.protocol('p', [{ name: 'a', devices: { d: anyDevice('mixer') } }]);
    await test.open();
    const used: (string | undefined)[] = [];
    for (const name of ['r1', 'r2', 'r3', 'r4']) {
      await test.run(name, 'p');
      used.push(test.task(`${name}/a`).devices['d']?.name);
      await test.live(1000);
      await test.complete(`${name}/a`);
    }
    expect(used).toEqual(['m1', 'm2', 'm1', 'm2']);
  });

  it('go to the higher priority first, then to the task that waited longer', async () => {
    const test = new TestLab();
    test.lab('l', { arm: 'arm' });
    test.protocol('p', [{ name: 'a', devices: { d: device('l.arm') } }]);
    await test.open();
    await test.run('first', 'p');
    await test.run('low', 'p');
    await test.run('high', 'p', { priority: 5 });
    await test.complete('first/a');
    expect(test.running()).toEqual(['high/a']);
    await test.complete('high/a');
    expect(test.running()).toEqual(['low/a']);
  });

  it('are used from the computer that has most of them, and the service computer wins a tie', async () => {
    const test = new TestLab();
    test.lab('l', { a1: 'd@pc_b', a2: 'd@pc_b', b1: 'd@pc_a', s1: 'd' });
    const slots = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, device(`l.${key}`)]));
    test.protocol('p', [
      { name: 'most', devices: slots('a1', 'a2', 's1') },
      { name: 'tie', needs: ['most'], devices: slots('a1', 'b1') },
      { name: 'service', needs: ['tie'], devices: slots('a1', 's1') },
      { name: 'none', needs: ['service'] },
    ]);
    await test.open();
    await test.run('r', 'p');
    for (const name of ['most', 'tie', 'service', 'none']) await test.complete(`r/${name}`);
    expect(['most', 'tie', 'service', 'none'].map((name) => test.task(`r/${name}`).computer)).toEqual([
      'pc_b',
      'pc_a',
      'svc_computer',
      'svc_computer',
    ]);
  });

  it('make the task wait while they are out of use', async () => {
    const test = new TestLab();
    test.lab('l', { arm: 'arm' });
    test.protocol('p', [{ name: 'a', devices: { d: device('l.arm') } }]);
    test.agents.deviceState = () => 'faulted';
    const engine = await test.open();
    await test.run('r', 'p');
    expect(test.running()).toEqual([]);
    test.agents.deviceState = () => 'idle';
    engine.agents.deviceChanged('svc_computer', 1, {
      lab: 'l',
      name: 'arm',
      state: 'idle',
      detail: null,
      functions: [],
    });
    await test.clock.settle();
    expect(test.running()).toEqual(['r/a']);
  });

  it('are listed with their holders', async () => {
    const test = new TestLab();
    test.lab('l', { arm: 'arm', far: 'arm@elsewhere' });
    test.protocol('p', [{ name: 'a', devices: { d: device('l.arm') } }]);
    await test.open();
    const far = { lab: 'l', name: 'far', detail: null, functions: [] };
    const doing = { call_id: 'c', function: 'move', arguments: { to: 1 }, since_ms: test.clock.now() };
    test.engine.agents.deviceChanged('elsewhere', 1, { ...far, state: 'busy', doing });
    test.agents.leave('elsewhere');
    await test.run('r', 'p');
    expect(test.engine.views.devices(true)).toMatchObject([
      { name: 'arm', state: 'idle', held_by: 'r/a', computer: 'svc_computer' },
      {
        ...{ name: 'far', state: 'unreachable', held_by: null },
        detail:
          'the agent of computer elsewhere said that it stops, and not yet that it has stopped the device',
        ...{ doing: { function: 'move', arguments: { to: 1 } }, last_known: { state: 'busy' } },
      },
    ]);
    test.engine.agents.deviceChanged('elsewhere', 1, { ...far, state: 'disabled' });
    await test.clock.settle();
    expect(test.engine.views.devices()[1]).toMatchObject({
      ...{ state: 'disabled', detail: 'the agent of computer elsewhere has stopped', last_known: null },
    });
    expect(test.engine.views.locate('l', 'arm')).toEqual({
      computer: 'svc_computer',
      inc: 1,
      functions: [],
      held_by: 'r/a',
      fence: 1,
    });
    expect(() => test.engine.views.locate('l', 'far')).toThrow(
      expect.objectContaining({ code: 'agent_unreachable' }),
    );
    expect(() => test.engine.views.locate('l', 'z')).toThrow(
      expect.objectContaining({ code: 'unknown_device' }),
    );
    expect(() => test.engine.views.locate('z', 'z')).toThrow(
      expect.objectContaining({ code: 'unknown_lab' }),
    );
  });
});

describe('agents', () => {
  it('are described by their reports and rows, with null for what is unknown', async () => {
    const test = new TestLab();
    test.lab('l', { arm: 'arm', far: 'arm@elsewhere' });
    test.protocol('p', [{ name: 'a', devices: { d: device('l.arm') } }]);
    await test.open();
    await test.run('r', 'p');
    const [elsewhere, here] = test.engine.views.agents();
    const heard = new Date(test.clock.now()).toISOString();
    expect(here).toEqual({
      computer: 'svc_computer',
      drain: null,
      labs: ['l'],
      state: 'online',
      reason: null,
      incarnation: 1,
      version: 'test',
      protocol: { min: 1, max: 1 },
      platform: null,
      address: '127.0.0.1',
      last_heard_at: heard,
      clock_offset_ms: null,
      ledger: null,
      devices: [{ lab: 'l', name: 'arm', state: 'idle', detail: null }],
      tasks: ['r/a'],
    });
    expect(elsewhere).toMatchObject({ computer: 'elsewhere', state: 'online', tasks: [] });

    test.agents.leave('elsewhere');
    test.engine.agents.heartbeat('svc_computer', {
      inc: 1,
      devices: [{ lab: 'l', name: 'arm', state: 'idle', detail: null, functions: [] }],
      attempts: [],
      wall_ms: test.clock.now() - 250,
      ledger_trouble: 'the disk is full',
    });
    await test.clock.settle();
    expect(test.engine.views.agents()).toMatchObject([
      { computer: 'elsewhere', state: 'offline', reason: 'it announced that it stops', incarnation: 1 },
      { clock_offset_ms: -250, ledger: { writable: false, detail: 'the disk is full' } },
    ]);
  });

  it('are shown with the time of their last message when they are silent, or as never registered', async () => {
    const test = new TestLab();
    test.lab('l', { arm: 'arm', far: 'arm@elsewhere' });
    await test.open();
    test.agents.crash('elsewhere');
    await test.clock.advance(4_000);
    expect(test.engine.views.agents()[0]).toMatchObject({ state: 'suspect' });
    await test.clock.advance(8_000);
    const [gone] = test.engine.views.agents();
    expect(gone).toMatchObject({ state: 'offline', devices: [{ state: 'unreachable' }] });
    expect(gone?.reason).toBe(`it has not been heard since ${String(gone?.last_heard_at)}`);

    test.lab('m', { new: 'arm@nowhere' });
    await test.engine.definitionsChanged();
    expect(test.engine.views.agents()).toContainEqual(
      expect.objectContaining({
        computer: 'nowhere',
        labs: ['m'],
        state: 'offline',
        reason: 'it has never registered',
        incarnation: null,
        version: null,
        protocol: null,
        last_heard_at: null,
      }),
    );
  });
});

describe('the functions of a device', () => {
  const heat = { name: 'heat', kind: 'effect' as const, timeout_s: 900 };

  it('are sent with the start of a task and the address of the device, and are not stored', async () => {
    const test = new TestLab();
    test.lab('l', { oven: 'oven' });
    test.protocol('p', [{ name: 'a', devices: { d: device('l.oven') } }]);
    await test.open();
    test.engine.agents.deviceChanged('svc_computer', 1, {
      lab: 'l',
      name: 'oven',
      state: 'idle',
      detail: null,
      functions: [heat],
    });
    await test.run('r', 'p');
    expect(test.engine.views.locate('l', 'oven').functions).toEqual([heat]);
    expect(test.agents.running()[0]?.start.devices['d']).toMatchObject({ name: 'oven', functions: [heat] });
    const attempts = [...test.store.rows.attempts.values()];
    expect(attempts[0]?.devices['d']).not.toHaveProperty('functions');
  });
});

describe('a hold', () => {
  function held(): TestLab {
    const test = new TestLab();
    test.lab('l', { m1: 'mixer', m2: 'mixer', arm: 'arm' });
    test.protocol('p', [
      { name: 'a', devices: { d: anyDevice('mixer', true) } },
      { name: 'b', needs: ['a'], devices: { d: device('l.arm') } },
      { name: 'c', needs: ['b'], devices: { d: same('a.d') } },
      { name: 'e', needs: ['c'], devices: { d: same('c.d') } },
      { name: 'f', needs: ['e'] },
    ]);
    test.protocol('other', [{ name: 'a', devices: { d: device('l.m1') } }]);
    return test;
  }

  it('keeps the device for the run until the last task that refers to it has ended', async () => {
    const test = held();
    await test.open();
    await test.run('r', 'p');
    await test.run('o', 'other', { priority: 9 });
    for (const name of ['a', 'b', 'c']) {
      await test.complete(`r/${name}`);
      expect(test.running()).not.toContain('o/a');
    }
    expect(test.task('r/e').devices['d']?.name).toBe('m1');
    await test.complete('r/e');
    expect(test.running()).toEqual(['o/a', 'r/f']);
  });

  it('passes the device on with a new fence, and the agent never sees an old one', async () => {
    const test = held();
    await test.open();
    await test.run('r', 'p');
    for (const name of ['a', 'b', 'c', 'e', 'f']) await test.complete(`r/${name}`);
    const fences = [...test.agents.executions.values()].flatMap((each) =>
      Object.values(each.start.devices)
        .filter((one) => one.name === 'm1')
        .map((one) => one.fence),
    );
    expect(fences).toEqual([1, 2, 3]);
    expect(test.runState('r')).toBe('completed');
    expect(test.allocated()).toEqual([]);
  });

  it('ends with the run', async () => {
    const test = held();
    await test.open();
    await test.run('r', 'p');
    await test.complete('r/a');
    expect(test.allocated()).toEqual(['l.arm', 'l.m1']);
    await test.fail('r/b');
    expect(test.runState('r')).toBe('failed');
    expect(test.allocated()).toEqual([]);
  });

  it('is not given to another slot of the same run while the pool has another device', async () => {
    const test = new TestLab();
    test.lab('l', { m1: 'mixer', m2: 'mixer' });
    test.protocol('p', [
      { name: 'a', devices: { d: anyDevice('mixer', true) } },
      { name: 'b', needs: ['a'], devices: { d: anyDevice('mixer') } },
      { name: 'c', needs: ['b'], devices: { d: same('a.d') } },
    ]);
    await test.open();
    await test.run('r', 'p');
    await test.complete('r/a');
    expect(test.task('r/b').devices['d']?.name).toBe('m2');
  });

  it('outlives a task of the run that uses the device in between without referring to it', async () => {
    const test = new TestLab();
    test.lab('l', { m1: 'mixer' });
    test.protocol('p', [
      { name: 'a', devices: { d: device('l.m1', true) } },
      { name: 'b', needs: ['a'], devices: { d: device('l.m1') } },
      { name: 'c', needs: ['b'], devices: { d: same('a.d') } },
    ]);
    test.protocol('other', [{ name: 'a', devices: { d: device('l.m1') } }]);
    await test.open();
    await test.run('r', 'p');
    await test.run('o', 'other', { priority: 9 });
    await test.complete('r/a');
    await test.complete('r/b');
    expect(test.running()).toEqual(['r/c']);
    await test.complete('r/c');
    expect(test.running()).toEqual(['o/a']);
  });

  it('is required to keep a device between two tasks', async () => {
    const test = new TestLab();
    test.lab('l', { m1: 'mixer', arm: 'arm' });
    test.protocol('p', [
      { name: 'a', devices: { d: device('l.m1') } },
      { name: 'b', needs: ['a'], devices: { d: device('l.arm') } },
      { name: 'c', needs: ['b'], devices: { d: same('a.d') } },
    ]);
    test.protocol('other', [{ name: 'a', devices: { d: device('l.m1') } }]);
    await test.open();
    await test.run('r', 'p');
    await test.complete('r/a');
    await test.run('o', 'other');
    await test.complete('r/b');
    expect(test.running()).toEqual(['o/a']);
    await test.complete('o/a');
    expect(test.running()).toEqual(['r/c']);
  });

  it('survives a refused start: the device stays with the run', async () => {
    const test = held();
    await test.open();
    await test.run('r', 'p');
    await test.complete('r/a');
    test.agents.onCall = (kind) => (kind === 'start' ? 'refused' : 'delivered');
    await test.complete('r/b');
    expect(test.task('r/c').state).toBe('queued');
    expect(test.allocated()).toEqual(['l.m1']);
    test.agents.onCall = () => 'delivered';
    await test.live(2000);
    expect(test.running()).toEqual(['r/c']);
  });

  /** Two protocols that each hold what the other needs next. */
  const crossing = (): TestLab => {
    const test = new TestLab();
    test.lab('l', { x: 'dev', y: 'dev' });
    const cross = (first: string, second: string): TaskSketch[] => [
      { name: 'a', devices: { d: device(first, true) } },
      { name: 'b', needs: ['a'], devices: { d: same('a.d'), e: device(second) } },
    ];
    test.protocol('p', cross('l.x', 'l.y'));
    test.protocol('q', cross('l.y', 'l.x'));
    return test;
  };

  it('does not begin if it would deadlock with another run', async () => {
    const test = crossing();
    await test.open();
    await test.run('r', 'p');
    await test.run('s', 'q');
    expect(test.running()).toEqual(['r/a']);
    await test.complete('r/a');
    expect(test.running()).toEqual(['r/b']);
    await test.complete('r/b');
    expect(test.running()).toEqual(['s/a']);
    await test.complete('s/a');
    await test.complete('s/b');
    expect([test.runState('r'), test.runState('s')]).toEqual(['completed', 'completed']);
  });

  it('of two runs in a deadlock is reported in the log', async () => {
    const test = crossing();
    const greedy = new GreedyPolicy();
    // A policy that ignores the needs of running work.
    const careless: Policy = {
      name: 'greedy',
      scope: 'ready',
      plan: ({ version, now, tasks, units }) => greedy.plan({ version, now, tasks, units }),
    };
    test.policy = () => careless;
    await test.open();
    await test.run('r', 'p');
    await test.run('s', 'q');
    await test.complete('r/a');
    await test.complete('s/a');
    expect(test.running()).toEqual([]);
    expect(
      test.lines.filter((line) => line.message.includes('wait for what the other one holds')),
    ).toHaveLength(1);
    await test.engine.work.cancelProtocolRun('r');
    await test.clock.settle();
    expect(test.running()).toEqual(['s/b']);
  });
});
