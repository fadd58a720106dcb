import { ServiceError } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { deferred, device, task, World } from '../world.js';
import { MemoryOrchestrator, type TaskScript } from '../../src/testing/index.js';

const never: TaskScript = () => new Promise(() => undefined);

describe('registration', () => {
  it('continues under the same session until it is answered', async () => {
    const world = new World({ devices: [device('arm')] });
    world.orchestrator.away = new ServiceError('service_unavailable', 'nobody leads');
    await world.agent.start();
    await world.time.advance(20_000);
    expect(world.agent.inc).toBeUndefined();
    world.orchestrator.away = undefined;
    await world.time.advance(5_000);
    expect(world.agent.inc).toBe(1);
    expect(world.announcer.incs).toEqual([1]);
    expect(world.state('arm')).toBe('idle');
  });

  it('ends when a leader refuses the computer', async () => {
    const world = new World();
    const reason = new ServiceError('not_found', 'no laboratory names a computer pc');
    world.orchestrator.away = reason;
    await world.agent.start();
    await expect(world.agent.refused).resolves.toBe(reason);
    world.orchestrator.away = undefined;
    await world.time.advance(60_000);
    expect(world.orchestrator.hellos).toEqual([]);
  });

  it('ends when another agent of the computer stays connected, and waits for the end of one that has died', async () => {
    const reason = new ServiceError('wrong_state', 'another agent of computer pc is connected');
    const world = new World();
    world.orchestrator.away = reason;
    await world.agent.start();
    await world.time.advance(12_000);
    world.orchestrator.away = undefined;
    await world.time.advance(5_000);
    expect(world.agent.inc).toBe(1);

    const second = new World();
    second.orchestrator.away = reason;
    await second.agent.start();
    await second.time.advance(25_000);
    await expect(second.agent.refused).resolves.toBe(reason);
    second.orchestrator.away = undefined;
    await second.time.advance(60_000);
    expect(second.orchestrator.hellos).toEqual([]);
  });

  it('tries again when its release does not fit, and comes back when the service was updated', async () => {
    const world = new World({ devices: [device('arm')] });
    world.orchestrator.away = new ServiceError('upgrade_required', 'update the service first');
    await world.agent.start();
    await world.time.advance(60_000);
    expect(world.agent.inc).toBeUndefined();
    expect(world.agent.devices()).toEqual([]);
    world.orchestrator.away = undefined;
    await world.time.advance(30_000);
    expect(world.agent.inc).toBe(1);
    expect(world.orchestrator.hellos[0]).toMatchObject({ protocol: { min: 1, max: 1 } });
  });

  it('is repeated slowly by an agent whose release does not fit, and at once for a new leader', async () => {
    const world = new World({ devices: [device('arm')] });
    const { orchestrator, agent, time } = world;
    orchestrator.away = new ServiceError('upgrade_required', 'update the service first');
    await agent.start();
    const second = async (epoch: number): Promise<void> => {
      agent.hearLeader(epoch);
      await time.advance(1_000);
    };
    for (let passed = 0; passed < 60; passed += 1) await second(1);
    // Its first try, one for the leader that it heard first, and one every 15 to 30 s.
    expect(orchestrator.registrations).toBeLessThanOrEqual(6);
    expect(orchestrator.registrations).toBeGreaterThanOrEqual(3);
    await second(2);
    orchestrator.away = undefined;
    orchestrator.epoch = 3;
    await second(3);
    expect(agent.inc).toBe(1);
  });

  it('goes on when a later leader refuses the computer, because its devices may be in use', async () => {
    const world = await new World({ devices: [device('arm')] }).up();
    world.orchestrator.away = new ServiceError('not_found', 'no laboratory names a computer pc');
    world.agent.reconnected();
    await world.time.advance(1_000);
    world.orchestrator.away = undefined;
    await world.time.advance(5_000);
    expect(world.orchestrator.hellos).toHaveLength(2);
    expect(world.state('arm')).toBe('idle');
  });

  it('is repeated for a new leader and after a reconnect, and keeps incarnation and devices', async () => {
    const world = await new World({ devices: [device('arm')] }).up();
    world.agent.hearLeader(1);
    await world.time.advance(0);
    expect(world.orchestrator.hellos).toHaveLength(1);
    world.orchestrator.epoch = 2;
    world.agent.hearLeader(2);
    await world.time.advance(0);
    world.agent.reconnected();
    await world.time.advance(0);
    expect(world.orchestrator.hellos).toHaveLength(3);
    expect(new Set(world.orchestrator.hellos.map((hello) => hello.session)).size).toBe(1);
    expect(world.agent.inc).toBe(1);
    expect(world.announcer.incs).toEqual([1]);
    expect(world.deviceProcesses.started.get('lab.arm')).toHaveLength(1);
  });

  it('waits for the ledger, so that the first message already reports what an earlier process left', async () => {
    const before = await new World({ tasks: { never } }).up();
    await before.agent.startTask(task('a', 'never'), {});
    await before.time.advance(0);
    const ledger = before.crash();
    const world = new World({ ledger, session: 'later-' });
    const read = deferred();
    const open = ledger.open.bind(ledger);
    ledger.open = (memory) => read.promise.then(() => open(memory));
    const started = world.agent.start();
    world.agent.hearLeader(3);
    world.agent.reconnected();
    await world.time.advance(1_000);
    expect(world.orchestrator.hellos).toEqual([]);
    read.resolve();
    await started;
    await world.time.advance(0);
    expect(world.orchestrator.hellos.map(({ attempts }) => attempts)).toEqual([
      [{ attempt_id: 'a', status: 'ended' }],
    ]);
  });

  it('reports the incarnations in its ledger, and the secret sessions of its processes', async () => {
    const orchestrator = new MemoryOrchestrator();
    const first = await new World({ orchestrator }).up();
    await first.time.advance(100);
    const second = await new World({ orchestrator, ledger: first.crash(), session: 'second-' }).up();
    await second.time.advance(100);
    const third = await new World({ orchestrator, ledger: second.crash(), session: 'third-' }).up();
    await new World({ orchestrator, session: 'with an empty disk-' }).up();
    expect(third.agent.inc).toBe(3);
    expect(orchestrator.hellos.map(({ incarnations }) => incarnations)).toEqual([[], [1], [1, 2], []]);
    const [firstSession, secondSession] = orchestrator.hellos.map(({ session }) => session);
    expect(orchestrator.hellos.map(({ sessions }) => sessions)).toEqual([
      [],
      [firstSession],
      [firstSession, secondSession],
      [],
    ]);
  });

  it('reports the session of a process that ended before it was registered', async () => {
    const orchestrator = new MemoryOrchestrator();
    const first = new World({ orchestrator, session: 'first-' });
    orchestrator.away = new ServiceError('service_unavailable', 'nobody leads');
    await first.agent.start();
    const ledger = first.crash();
    orchestrator.away = undefined;
    await new World({ orchestrator, ledger, session: 'second-' }).up();
    expect(orchestrator.hellos.map(({ sessions }) => sessions)).toEqual([['first-1']]);
  });

  it('reports the running attempts', async () => {
    const world = await new World({ tasks: { never } }).up();
    await world.agent.startTask(task('a', 'never'), {});
    await world.time.advance(0);
    world.agent.reconnected();
    await world.time.advance(0);
    expect(world.orchestrator.hellos.at(-1)?.attempts).toEqual([{ attempt_id: 'a', status: 'running' }]);
  });
});

describe('an agent is ready', () => {
  /** The result of a wait, if it has one. */
  function wait(world: World): { answer: boolean | undefined } {
    const state: { answer: boolean | undefined } = { answer: undefined };
    void world.agent.ready(10_000).then((answer) => (state.answer = answer));
    return state;
  }

  it('when it is registered and each of its devices is usable or faulted', async () => {
    const slow = deferred();
    const world = new World({
      devices: [device('arm'), device('leg')],
      device: ({ name }) => ({
        functions: [],
        initialize: () => (name === 'arm' ? slow.promise : Promise.reject(new Error('no such port'))),
      }),
    });
    world.orchestrator.away = new ServiceError('service_unavailable', 'nobody leads');
    await world.agent.start();
    const ready = wait(world);
    await world.time.advance(2_000);
    expect(ready.answer).toBeUndefined();
    world.orchestrator.away = undefined;
    world.agent.reconnected();
    await world.time.advance(1_000);
    expect([world.state('arm'), world.state('leg'), ready.answer]).toEqual([
      'initializing',
      'faulted',
      undefined,
    ]);
    slow.resolve();
    await world.time.advance(0);
    expect(ready.answer).toBe(true);
  });

  it('at once when it is registered and has no devices', async () => {
    const world = await new World().up();
    const ready = wait(world);
    await world.time.advance(0);
    expect(ready.answer).toBe(true);
  });

  it('after a time limit although a device restarts again and again', async () => {
    const world = new World({ devices: [device('arm')] });
    world.modules.path = () => Promise.reject(new ServiceError('service_unavailable', 'not now'));
    await world.up();
    const ready = wait(world);
    await world.time.advance(9_999);
    expect(ready.answer).toBeUndefined();
    await world.time.advance(1);
    expect([world.state('arm'), ready.answer]).toEqual(['restarting', false]);
  });

  it('never after it was stopped', async () => {
    const world = new World();
    world.orchestrator.away = new ServiceError('service_unavailable', 'nobody leads');
    await world.up();
    const ready = wait(world);
    const stopped = world.agent.stop('test');
    await world.time.advance(0);
    expect(ready.answer).toBe(false);
    await stopped;
  });
});

it('a stopping agent ignores a registration that was already on its way', async () => {
  const world = new World({ devices: [device('arm')] });
  const answer = deferred();
  const register = world.orchestrator.register.bind(world.orchestrator);
  world.orchestrator.register = async (hello) => {
    await answer.promise;
    return register(hello);
  };
  await world.up();
  const stopped = world.agent.stop('test');
  answer.resolve();
  await world.time.advance(20_000);
  await stopped;
  expect(world.announcer.incs).toEqual([]);
  expect(world.deviceProcesses.started.size).toBe(0);
});

it('a stopping agent starts no device again whose process ends meanwhile', async () => {
  const world = await new World({ devices: [device('arm')], tasks: { wait: never } }).up();
  await world.agent.startTask(task('a', 'wait'), {});
  await world.time.advance(0);
  const stopped = world.agent.stop('the agent is stopping');
  world.deviceProcesses.latest('lab', 'arm').exit({ code: 0, signal: null, lastStderr: null });
  await world.time.advance(1_500);
  expect(world.state('arm')).toBe('disabled');
  await world.time.advance(60_000);
  await stopped;
  expect(world.deviceProcesses.started.get('lab.arm')).toHaveLength(1);
});

describe('a message of a deposed leader', () => {
  it('is refused without effect', async () => {
    const world = await new World({ tasks: { never } }).up();
    await world.agent.taskStatus('x', { epoch: 5 });
    const stale = { code: 'stale_message', effect: 'none' };
    await expect(world.agent.startTask(task('a', 'never'), { epoch: 4 })).rejects.toMatchObject(stale);
    await expect(world.agent.cancelTask('a', 'r', { epoch: 4 })).rejects.toMatchObject(stale);
    await expect(world.agent.taskStatus('a', { epoch: 4 })).rejects.toMatchObject(stale);
    expect(() => world.agent.assignDevices([], { epoch: 4 })).toThrow(ServiceError);
  });
});

describe('a stopping agent', () => {
  it('refuses new tasks, ends running ones by the short ladder, delivers results and cleans up', async () => {
    const cleaned: string[] = [];
    const world = await new World({
      devices: [device('arm')],
      tasks: { never },
      device: () => ({
        functions: [],
        cleanUp: async () => {
          cleaned.push('arm');
        },
      }),
    }).up();
    await world.agent.startTask(task('a', 'never'), {});
    await world.time.advance(0);
    const stopped = world.agent.stop('SIGTERM');
    await expect(world.agent.startTask(task('b', 'never'), {})).rejects.toMatchObject({
      code: 'service_unavailable',
      effect: 'none',
    });
    await world.time.advance(5_000);
    await stopped;
    expect(world.orchestrator.results[0]?.outcome).toMatchObject({ kind: 'failed', code: 'agent_stopped' });
    expect(cleaned).toEqual(['arm']);
    expect(world.taskProcesses.alive).toBe(0);
    expect(world.deviceProcesses.alive('lab', 'arm')).toBe(0);
  });

  it('leaves unacknowledged results in the ledger and waits only for a limited time', async () => {
    const world = await new World({ tasks: { never } }).up();
    await world.agent.startTask(task('a', 'never'), {});
    await world.time.advance(0);
    world.orchestrator.away = new ServiceError('service_unavailable', 'nobody leads');
    const stopped = world.agent.stop('SIGTERM');
    await world.time.advance(20_000);
    await stopped;
    expect(world.ledger.durable.at(-1)).toMatchObject({ type: 'result', attemptId: 'a' });
  });

  it('aborts a device that a task keeps moving', async () => {
    const mover: TaskScript = async ({ call }) => {
      await call('arm', 'move');
      return {};
    };
    const world = await new World({
      devices: [device('arm')],
      tasks: { mover },
      device: () => ({
        functions: [{ name: 'move', kind: 'effect' }],
        call: () => new Promise(() => undefined),
      }),
    }).up();
    await world.agent.startTask(task('a', 'mover', { devices: { arm: {} } }), {});
    await world.time.advance(0);
    const stopped = world.agent.stop('SIGTERM');
    await world.time.advance(30_000);
    await stopped;
    expect(world.outcome('a')).toBe('unknown');
    expect(world.orchestrator.results[0]?.calls?.in_doubt).toMatchObject({
      device: 'lab.arm',
      function: 'move',
    });
    expect(world.deviceProcesses.alive('lab', 'arm')).toBe(0);
  });
});
