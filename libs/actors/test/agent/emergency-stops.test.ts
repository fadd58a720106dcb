import { ServiceError, type EmergencyStop } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { device, task, World } from '../world.js';
import type { DeviceScript, TaskScript } from '../../src/testing/index.js';

const fire: EmergencyStop = { id: 'halt-1', scope: 'device:lab.arm', by: 'ann', reason: 'fire' };

const move: TaskScript = async ({ call }) => {
  await call('arm', 'move');
  return {};
};
const wait: TaskScript = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('asked to stop'))));

/** A device that moves until it is stopped. */
function mover(): DeviceScript {
  let halt: (error: Error) => void = () => undefined;
  return {
    functions: [{ name: 'move', kind: 'effect' }],
    call: () => new Promise((_, reject) => (halt = reject)),
    stop: async () => halt(new Error('stopped')),
  };
}

async function moving(): Promise<World> {
  const world = await new World({
    devices: [device('arm'), device('leg')],
    device: mover,
    tasks: { move, wait },
  }).up();
  await world.agent.startTask(task('a', 'move', { devices: { arm: {} } }), {});
  await world.agent.startTask(task('b', 'wait', { devices: { leg: {} } }), {});
  await world.time.advance(0);
  expect(world.state('arm')).toBe('busy');
  return world;
}

describe('an agent that receives an emergency stop', () => {
  it('stops the devices of its scope and the tasks that use them, and starts no others', async () => {
    const world = await moving();
    world.agent.emergencyStop(fire);
    await world.time.advance(100);
    expect([world.state('arm'), world.outcome('a'), world.outcome('b')]).toEqual([
      'idle',
      'cancelled',
      undefined,
    ]);
    const started = world.agent.startTask(task('c', 'move', { devices: { arm: { fence: 2 } } }), {});
    await expect(started).rejects.toMatchObject({ code: 'device_unavailable', effect: 'none' });
    expect(world.agent.emergencyStops()).toEqual([fire]);
  });

  it('stops although the ledger cannot be written, and records the stop later', async () => {
    const world = await moving();
    world.ledger.breakWith(new Error('no space left'));
    world.agent.emergencyStop(fire);
    await world.time.advance(100);
    expect([world.state('arm'), world.agent.emergencyStops()]).toEqual(['idle', [fire]]);
    world.ledger.breakWith(undefined);
    await world.agent.taskStatus('unknown', {});
    const next = await new World({ ledger: world.crash(), devices: [device('arm')] }).up();
    expect(next.agent.emergencyStops()).toEqual([fire]);
  });

  it('stays stopped after a restart until the leader releases this stop', async () => {
    const world = await moving();
    world.agent.emergencyStop(fire);
    await world.time.advance(0);
    const { time, orchestrator } = world;
    const next = await new World({ ledger: world.crash(), time, orchestrator, session: 'next-' }).up();
    expect(orchestrator.hellos.at(-1)?.halts).toEqual([fire]);
    expect([next.state('arm'), next.state('leg')]).toEqual(['disabled', 'idle']);
    next.agent.hearLeader(1, { halts: [], released: ['another'] });
    await time.advance(0);
    expect(next.state('arm')).toBe('disabled');
    next.agent.hearLeader(1, { halts: [], released: ['halt-1'] });
    await time.advance(0);
    expect([next.state('arm'), next.agent.emergencyStops()]).toEqual(['idle', []]);
    const last = await new World({ ledger: next.crash(), time, orchestrator, session: 'last-' }).up();
    expect(last.state('arm')).toBe('idle');
  });

  it('also obeys a stop from the leader, at registration before its devices start and later', async () => {
    const world = new World({ devices: [device('arm')] });
    world.orchestrator.halts = [fire];
    await world.up();
    expect([world.state('arm'), world.deviceProcesses.started.size]).toEqual(['disabled', 0]);
    world.orchestrator.halts = [];
    world.orchestrator.released = ['halt-1'];
    world.agent.reconnected();
    await world.time.advance(0);
    expect(world.state('arm')).toBe('idle');
    world.agent.hearLeader(1, { halts: [fire, { ...fire, id: 'halt-2' }], released: ['halt-1'] });
    expect(world.agent.emergencyStops().map(({ id }) => id)).toEqual(['halt-2']);
  });

  it('keeps a stop that it heard before it had read its ledger, and raises no false alarm', async () => {
    const world = new World({ devices: [device('arm')] });
    world.agent.hearLeader(1, { halts: [fire], released: [] });
    await world.up();
    expect(world.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    const next = await new World({ ledger: world.crash(), devices: [device('arm')] }).up();
    expect(next.agent.emergencyStops()).toEqual([fire]);
  });

  it('does not restore a stop whose release arrived before the agent had read its ledger', async () => {
    const world = await moving();
    world.agent.emergencyStop(fire);
    await world.time.advance(0);
    const next = new World({ ledger: world.crash(), time: world.time, devices: [device('arm')] });
    next.agent.hearLeader(1, { halts: [], released: [fire.id] });
    await next.up();
    expect([next.state('arm'), next.agent.emergencyStops()]).toEqual(['idle', []]);
    const later = await new World({ ledger: next.crash(), devices: [device('arm')] }).up();
    expect([later.state('arm'), later.agent.emergencyStops()]).toEqual(['idle', []]);
  });

  it('ignores an earlier leader', async () => {
    const world = await new World({ devices: [device('arm')] }).up();
    await world.agent.taskStatus('x', { epoch: 5 });
    world.agent.hearLeader(4, { halts: [fire], released: [] });
    expect(world.agent.emergencyStops()).toEqual([]);
  });
});

describe('a task that is cancelled during a device call', () => {
  it('stops its device at once', async () => {
    const world = await moving();
    await world.agent.cancelTask('a', 'not needed', {});
    await world.time.advance(100);
    expect([world.outcome('a'), world.state('arm')]).toEqual(['cancelled', 'idle']);
    expect(world.deviceProcesses.started.get('lab.arm')).toHaveLength(1);
  });
});

describe('a task that is cancelled while a device of another computer moves for it', () => {
  /** Two computers. The arm belongs to the other one. */
  async function apart(): Promise<{ here: World; there: World }> {
    const there = await new World({ computer: 'there', devices: [device('arm')], device: mover }).up();
    const here = await new World({ tasks: { move }, time: there.time }).up();
    here.peers.agents.set('there', there.agent);
    await here.agent.startTask(task('a', 'move', { devices: { arm: { computer: 'there' } } }), {});
    await here.time.advance(0);
    expect(there.state('arm')).toBe('busy');
    return { here, there };
  }

  it('stops that device at once', async () => {
    const { here, there } = await apart();
    await here.agent.cancelTask('a', 'not needed', {});
    await here.time.advance(100);
    expect([here.outcome('a'), there.state('arm')]).toEqual(['cancelled', 'idle']);
  });

  it('waits for that device when its computer is unreachable', async () => {
    const { here, there } = await apart();
    here.peers.away = new ServiceError('disconnected', 'no broker');
    await here.agent.cancelTask('a', 'not needed', {});
    await here.time.advance(50_000);
    expect([here.outcome('a'), there.state('arm')]).toEqual([undefined, 'busy']);
  });

  it('does not disturb the calls of other attempts', async () => {
    const { here, there } = await apart();
    there.agent.barCalls('b', 'elsewhere', 'not needed');
    there.agent.barCalls('a', 'another', 'not needed');
    await here.time.advance(100);
    expect(there.state('arm')).toBe('busy');
  });
});

describe('a person who resets a device', () => {
  it('settles its doubt, unless a later leader has registered', async () => {
    const world = await moving();
    world.deviceProcesses.latest('lab', 'arm').exit({ code: 1, signal: null, lastStderr: null });
    await world.time.advance(100);
    const doubt = world.agent.devices().find(({ name }) => name === 'arm')?.doubt;
    expect(doubt).toMatchObject({ id: 'a/1', in_doubt: [{ function: 'move', attempt_id: 'a' }] });
    const arm = { lab: 'lab', name: 'arm' };
    await world.agent.taskStatus('x', { epoch: 5 });
    const late = world.agent.resetDevice(arm, 'a/1', 'ann', { epoch: 4 });
    await expect(late).rejects.toMatchObject({ code: 'stale_message' });
    await world.agent.resetDevice(arm, 'a/1', 'ann', { epoch: 5 });
    await world.time.advance(0);
    expect(world.state('arm')).toBe('idle');
    const next = await new World({ ledger: world.crash(), devices: [device('arm')] }).up();
    expect(next.state('arm')).toBe('idle');
  });
});
