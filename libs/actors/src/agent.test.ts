import { ServiceError } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { device, task, World } from '../test/world.js';
import type { TaskScript } from './index.js';

const never: TaskScript = () => new Promise(() => undefined);

describe('registration', () => {
  it('goes on until it is answered, under the same session', async () => {
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

  it('tells what runs', async () => {
    const world = await new World({ tasks: { never } }).up();
    await world.agent.startTask(task('a', 'never'), {});
    await world.time.advance(0);
    world.agent.reconnected();
    await world.time.advance(0);
    expect(world.orchestrator.hellos.at(-1)?.attempts).toEqual([{ attempt_id: 'a', status: 'running' }]);
  });
});

describe('a message of a leader that was succeeded', () => {
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
  it('refuses new tasks, ends running ones by the short ladder, delivers and cleans up', async () => {
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

  it('leaves results in the journal when nobody takes them, and does not wait for ever', async () => {
    const world = await new World({ tasks: { never } }).up();
    await world.agent.startTask(task('a', 'never'), {});
    await world.time.advance(0);
    world.orchestrator.away = new ServiceError('service_unavailable', 'nobody leads');
    const stopped = world.agent.stop('SIGTERM');
    await world.time.advance(20_000);
    await stopped;
    expect(world.journal.durable.at(-1)).toMatchObject({ type: 'result', attemptId: 'a' });
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
    expect(world.outcome('a')).toBe('failed');
    expect(world.deviceProcesses.alive('lab', 'arm')).toBe(0);
  });
});
