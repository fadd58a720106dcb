import { ServiceError } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { deferred, device, task, World } from '../world.js';
import { Unanswered } from '../../src/index.js';
import { VirtualTime, type TaskScript } from '../../src/testing/index.js';

const marks = {};
const returning: TaskScript = async ({ run }) => ({ output_parameters: { ran: run.attempt_id } });
const never: TaskScript = () => new Promise(() => undefined);
const obedient: TaskScript = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));

describe('an attempt', () => {
  it('is accepted, runs, and its result is reported and acknowledged', async () => {
    const world = await new World({ tasks: { add: returning } }).up();
    expect(await world.agent.startTask(task('a', 'add'), marks)).toBe('accepted');
    await world.time.advance(0);
    expect(world.orchestrator.results).toMatchObject([
      {
        attempt_id: 'a',
        computer: 'here',
        inc: 1,
        outcome: { kind: 'completed', output_parameters: { ran: 'a' } },
      },
    ]);
    expect(world.agent.attempts()).toEqual([]);
    expect(world.ledger.durable.map((record) => record.type)).toEqual([
      'session',
      'incarnation',
      'accept',
      'begin',
      'result',
      'acked',
    ]);
    expect(world.files.spools.size).toBe(0);
  });

  it('runs once even when it is started many times', async () => {
    const world = await new World({ tasks: { add: returning, hang: never } }).up();
    const answers = await Promise.all([1, 2, 3].map(() => world.agent.startTask(task('a', 'add'), marks)));
    expect(answers).toEqual(['accepted', 'accepted', 'accepted']);
    await world.time.advance(0);
    expect(await world.agent.startTask(task('a', 'add'), marks)).toBe('ended');
    await world.agent.startTask(task('b', 'hang'), marks);
    await world.time.advance(0);
    expect(await world.agent.startTask(task('b', 'hang'), marks)).toBe('running');
    expect(world.taskProcesses.runs).toEqual(['a', 'b']);
  });

  it('is refused after it was declared unknown', async () => {
    const world = await new World({ tasks: { add: returning } }).up();
    expect(await world.agent.taskStatus('a', marks)).toBe('unknown');
    expect(world.ledger.durable).toContainEqual({ type: 'tombstone', attemptId: 'a' });
    await expect(world.agent.startTask(task('a', 'add'), marks)).rejects.toMatchObject({
      code: 'stale_message',
      effect: 'none',
    });
    expect(world.taskProcesses.runs).toEqual([]);
  });

  it('is reported as unknown only after the ledger contains that', async () => {
    const world = await new World().up();
    const disk = deferred();
    const append = world.ledger.append.bind(world.ledger);
    world.ledger.append = (record) => disk.promise.then(() => append(record));
    const answers: string[] = [];
    const asking = [1, 2].map(async () => answers.push(await world.agent.taskStatus('a', marks)));
    await world.time.advance(0);
    expect(answers).toEqual([]);
    disk.resolve();
    await Promise.all(asking);
    expect(answers).toEqual(['unknown', 'unknown']);
    expect(world.ledger.durable).toEqual([
      { type: 'session', session: 'session-1' },
      { type: 'incarnation', inc: 1 },
      { type: 'tombstone', attemptId: 'a' },
    ]);
  });

  it('leaves no spool folder behind when it is refused', async () => {
    const world = await new World({ tasks: { add: returning } }).up();
    world.ledger.breakWith(new Error('disk full'));
    await expect(world.agent.startTask(task('a', 'add'), marks)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await world.time.advance(0);
    expect([...world.files.spools]).toEqual([]);
  });

  it('is refused when its cancel arrived first', async () => {
    const world = await new World({ tasks: { add: returning } }).up();
    expect(await world.agent.cancelTask('a', 'changed my mind', marks)).toBe('unknown');
    await expect(world.agent.startTask(task('a', 'add'), marks)).rejects.toMatchObject({
      code: 'stale_message',
    });
  });

  it('does not run when a copy arrives after its refusal', async () => {
    const world = await new World({ tasks: { add: returning } }).up();
    world.ledger.breakWith(new Error('no space left on device'));
    await expect(world.agent.startTask(task('a', 'add'), marks)).rejects.toMatchObject({ effect: 'none' });
    world.ledger.breakWith(undefined);
    await expect(world.agent.startTask(task('a', 'add'), marks)).rejects.toMatchObject({
      code: 'stale_message',
      effect: 'none',
    });
    await world.time.advance(1_000);
    expect(world.taskProcesses.runs).toEqual([]);
    expect(await world.agent.taskStatus('a', marks)).toBe('unknown');
  });

  it('that ends while the disk is full is settled in the ledger when space is available', async () => {
    const world = await new World({ tasks: { add: returning } }).up();
    const append = world.ledger.append.bind(world.ledger);
    world.ledger.append = (record) => {
      if (record.type === 'result') world.ledger.breakWith(new Error('no space left on device'));
      return append(record);
    };
    await world.agent.startTask(task('a', 'add'), marks);
    await world.time.advance(1_000);
    expect(world.orchestrator.results.map(({ attempt_id: id }) => id)).toEqual(['a']);
    expect(world.ledger.durable.map(({ type }) => type)).toEqual([
      'session',
      'incarnation',
      'accept',
      'begin',
    ]);
    world.ledger.breakWith(undefined);
    await world.agent.taskStatus('another', marks);
    expect(world.ledger.durable.map(({ type }) => type)).toEqual([
      'session',
      'incarnation',
      'accept',
      'begin',
      'result',
      'acked',
      'tombstone',
    ]);
  });

  it('is refused without effect when the ledger cannot be written', async () => {
    const world = await new World({ tasks: { add: returning } }).up();
    world.ledger.breakWith(new Error('no space left on device'));
    await expect(world.agent.startTask(task('a', 'add'), marks)).rejects.toMatchObject({
      code: 'service_unavailable',
      effect: 'none',
      message: expect.stringContaining('no space left') as string,
    });
    await world.time.advance(0);
    expect(world.taskProcesses.runs).toEqual([]);
    expect(world.agent.attempts()).toEqual([]);
  });

  it('is refused when its device is away, unknown, of another incarnation or allocated again', async () => {
    const world = await new World({ devices: [device('arm')], tasks: { add: returning } }).up();
    const start = (id: string, arm: { name?: string; inc?: number; fence?: number }): Promise<unknown> =>
      world.agent.startTask(task(id, 'add', { devices: { arm } }), marks);
    await expect(start('a', { name: 'leg' })).rejects.toMatchObject({ code: 'unknown_device' });
    await expect(start('b', { inc: 7 })).rejects.toMatchObject({ code: 'stale_message' });
    await start('c', { fence: 5 });
    await expect(start('d', { fence: 4 })).rejects.toMatchObject({ code: 'stale_message' });
    world.deviceProcesses.latest('lab', 'arm').kill('SIGKILL');
    await world.time.advance(0);
    await expect(start('e', { fence: 6 })).rejects.toMatchObject({
      code: 'device_unavailable',
      effect: 'none',
    });
  });

  it('fails with the message of the author when its code throws', async () => {
    const world = await new World({ tasks: { bad: () => Promise.reject(new Error('no beaker')) } }).up();
    await world.agent.startTask(task('a', 'bad'), marks);
    await world.time.advance(0);
    expect(world.orchestrator.results[0]?.outcome).toEqual({
      kind: 'failed',
      code: 'task_error',
      error: { message: 'no beaker' },
    });
  });

  it('fails with the exit and the last line of stderr when its process dies', async () => {
    const dying: TaskScript = ({ process }) => {
      process.exit({ code: 134, signal: null, lastStderr: 'heap out of memory' });
      return new Promise(() => undefined);
    };
    const world = await new World({ tasks: { dying } }).up();
    await world.agent.startTask(task('a', 'dying'), marks);
    await world.time.advance(0);
    expect(world.orchestrator.results[0]?.outcome).toMatchObject({
      kind: 'failed',
      code: 'task_process_died',
      error: { message: expect.stringContaining('exit code 134: heap out of memory') as string },
    });
  });

  it('fails before it begins when its code does not exist', async () => {
    const world = await new World({ tasks: {} }).up();
    world.modules.missing.add('ghost');
    await world.agent.startTask(task('a', 'ghost'), marks);
    await world.time.advance(0);
    expect(world.orchestrator.results[0]?.outcome).toMatchObject({ kind: 'failed', code: 'not_started' });
    expect(world.ledger.durable.map((record) => record.type)).not.toContain('begin');
  });

  it('that waits for its code takes no process from others', async () => {
    const world = await new World({
      tasks: { add: returning, late: returning },
      limits: { poolMax: 1 },
    }).up();
    const arrived = deferred();
    const path = world.modules.path.bind(world.modules);
    world.modules.path = async (module) => {
      if (module.hash === 'late') await arrived.promise;
      return path(module);
    };
    await world.agent.startTask(task('a', 'late'), marks);
    await world.agent.startTask(task('b', 'add'), marks);
    await world.time.advance(1_000);
    expect(world.outcome('b')).toBe('completed');
    arrived.resolve();
    await world.time.advance(1_000);
    expect(world.outcome('a')).toBe('completed');
  });

  it.each(['aborted', 'deadline_exceeded', 'disconnected', 'service_unavailable', 'internal'] as const)(
    'completes when the store finally accepts its file after %s',
    async (code) => {
      const report = { name: 'report.txt', size: 3, sha256: 'own', path: 'p' };
      const world = await new World({ tasks: { writes: async () => ({ files: [report] }) } }).up();
      world.orchestrator.away = new ServiceError(code, 'who was asked does not lead any more', {
        effect: 'maybe',
      });
      await world.agent.startTask(task('a', 'writes'), marks);
      await world.time.advance(10_000);
      expect(world.files.stored).toEqual([]);
      world.orchestrator.away = undefined;
      await world.time.advance(30_000);
      expect(world.outcome('a')).toBe('completed');
      expect(world.files.stored.map(({ name }) => name)).toEqual(['report.txt']);
    },
  );

  it('fails when its outputs are too large, and keeps them as an additional file', async () => {
    const report = { name: 'oversized_output.json', size: 3, sha256: 'own', path: 'p' };
    const large: TaskScript = async () => ({
      output_parameters: { text: 'x'.repeat(65_536) },
      files: [report],
    });
    const world = await new World({ tasks: { large } }).up();
    await world.agent.startTask(task('a', 'large'), marks);
    await world.time.advance(0);
    const kept = { name: 'oversized_output_2.json', size: 65_591 };
    expect(world.orchestrator.results[0]?.outcome).toMatchObject({
      kind: 'failed',
      code: 'invalid_output',
      files: [{ name: 'oversized_output.json', size: 3, sha256: 'own' }, kept],
      error: {
        message:
          'the outputs of the task are 65 KiB as JSON; at most 64 KiB are allowed: return large data as files; they are kept as its file oversized_output_2.json',
      },
    });
    expect(world.files.stored.map(({ name }) => name)).toEqual([report.name, kept.name]);
  });

  it('fails for too large outputs even when they cannot be stored', async () => {
    const large: TaskScript = async () => ({ output_parameters: { text: 'x'.repeat(65_536) } });
    const world = await new World({ tasks: { large } }).up();
    world.files.fault = new ServiceError('payload_too_large', 'no');
    await world.agent.startTask(task('a', 'large'), marks);
    await world.time.advance(0);
    const { outcome } = world.orchestrator.results[0] ?? {};
    expect(outcome).toMatchObject({ kind: 'failed', code: 'invalid_output' });
    expect(outcome).not.toHaveProperty('files');
  });

  it('reports a failure that is longer than a message', async () => {
    const verbose: TaskScript = () => Promise.reject(new Error('e'.repeat(300_000)));
    const world = await new World({ tasks: { verbose } }).up();
    await world.agent.startTask(task('a', 'verbose'), marks);
    await world.time.advance(0);
    expect(JSON.stringify(world.orchestrator.results[0]).length).toBeLessThan(10_000);
    expect(world.orchestrator.results[0]?.outcome).toMatchObject({ kind: 'failed', code: 'task_error' });
  });

  it('returns its process for reuse only after success', async () => {
    const world = await new World({
      tasks: { add: returning, bad: () => Promise.reject(new Error('bad')) },
      limits: { poolSize: 0 },
    }).up();
    const run = async (id: string, hash: string): Promise<void> => {
      await world.agent.startTask(task(id, hash, { isolation: 'reusable' }), marks);
      await world.time.advance(0);
    };
    await run('a', 'add');
    await run('b', 'add');
    expect(world.taskProcesses.started).toHaveLength(1);
    await run('c', 'bad');
    await run('d', 'add');
    expect(world.taskProcesses.started).toHaveLength(2);
    expect(world.outcome('d')).toBe('completed');
  });

  it('is refused when the agent has too many attempts', async () => {
    const world = await new World({ tasks: { hang: never }, limits: { attempts: 1 } }).up();
    await world.agent.startTask(task('a', 'hang'), marks);
    await expect(world.agent.startTask(task('b', 'hang'), marks)).rejects.toMatchObject({
      code: 'service_unavailable',
      effect: 'none',
    });
  });

  it('waits as accepted while all processes are busy', async () => {
    const world = await new World({ tasks: { hang: never }, limits: { poolMax: 1, poolSize: 1 } }).up();
    await world.agent.startTask(task('a', 'hang'), marks);
    await world.agent.startTask(task('b', 'hang'), marks);
    await world.time.advance(0);
    expect(await world.agent.taskStatus('a', marks)).toBe('running');
    expect(await world.agent.taskStatus('b', marks)).toBe('accepted');
    await world.agent.cancelTask('b', 'enough', marks);
    await world.time.advance(0);
    expect(world.outcome('b')).toBe('cancelled');
    expect(world.taskProcesses.runs).toEqual(['a']);
  });
});

describe('device calls of a task', () => {
  const mover: TaskScript = async ({ call }) => ({
    output_parameters: { said: (await call('arm', 'move')) ?? null },
  });

  it('reach the device on the same computer', async () => {
    const world = await new World({ devices: [device('arm')], tasks: { mover } }).up();
    await world.agent.startTask(task('a', 'mover', { devices: { arm: {} } }), marks);
    await world.time.advance(0);
    expect(world.orchestrator.results[0]?.outcome).toMatchObject({
      output_parameters: { said: 'move done' },
    });
  });

  it('reach the device of another agent with the fence of the allocation', async () => {
    const time = new VirtualTime();
    const there = await new World({ time, computer: 'there', devices: [device('arm')] }).up();
    const here = await new World({ time, tasks: { mover } }).up();
    here.peers.agents.set('there', there.agent);
    const remote = (fence: number): Record<string, { computer: string; fence: number }> => ({
      arm: { computer: 'there', fence },
    });
    await here.agent.startTask(task('a', 'mover', { devices: remote(3) }), marks);
    await time.advance(0);
    expect(here.orchestrator.results[0]?.outcome).toMatchObject({ output_parameters: { said: 'move done' } });
    await here.agent.startTask(task('b', 'mover', { devices: remote(2) }), marks);
    await time.advance(0);
    expect(here.orchestrator.results[1]?.outcome).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('allocated anew') as string },
    });
  });

  const far = { arm: { computer: 'there' } };

  it('on another computer wait five seconds longer than the declared timeout of the function', async () => {
    const world = await new World({ tasks: { mover } }).up();
    const start = task('a', 'mover', { devices: far });
    const known = task('b', 'mover', { devices: far });
    known.devices['arm']?.functions?.push({ name: 'move', kind: 'effect', timeout_s: 900 });
    await world.agent.startTask(start, marks);
    await world.agent.startTask(known, marks);
    await world.time.advance(0);
    expect(world.peers.waits).toEqual([65_000, 905_000]);
  });

  it('with a lost answer keep the attempt open until the other agent must have ended them', async () => {
    const world = await new World({ tasks: { mover } }).up();
    world.peers.away = new Unanswered('disconnected', 'the broker is gone');
    await world.agent.startTask(task('a', 'mover', { devices: far }), marks);
    // The call travels for 2 s, begins after 65 s at the latest, ends 60 s later, and its process needs 5 s to die.
    await world.time.advance(131_999);
    expect(world.outcome('a')).toBeUndefined();
    await world.time.advance(1);
    expect(world.outcome('a')).toBe('failed');
  });

  it.each([
    [
      'the other agent said how it ended',
      new ServiceError('deadline_exceeded', 'late', { effect: 'maybe' }),
      'failed',
    ],
    [
      'nothing of it is left',
      new Unanswered('agent_unreachable', 'it was started anew', { over: true }),
      'unknown',
    ],
  ])('stop delaying the end of the attempt when %s', async (_, error, outcome) => {
    const world = await new World({ tasks: { mover } }).up();
    world.peers.away = error;
    await world.agent.startTask(task('a', 'mover', { devices: far }), marks);
    await world.time.advance(0);
    expect(world.outcome('a')).toBe(outcome);
  });

  it('on another computer know its functions', async () => {
    const world = await new World({ tasks: { mover } }).up();
    const start = task('a', 'mover', { devices: { arm: { computer: 'there' }, leg: { computer: 'there' } } });
    start.devices['arm']?.functions?.push({ name: 'move', kind: 'effect' });
    await world.agent.startTask(start, marks);
    await world.time.advance(0);
    const run = world.taskProcesses.started.flatMap((p) => p.received).find((m) => m.type === 'run');
    expect(run).toMatchObject({
      devices: { arm: { functions: [{ name: 'move', kind: 'effect' }] }, leg: { functions: null } },
    });
  });

  it('delay the end of the attempt while they are in progress', async () => {
    const begun = deferred();
    const moving = deferred<string>();
    const careless: TaskScript = async ({ call }) => {
      void call('arm', 'move');
      await begun.promise;
      return {};
    };
    const world = await new World({
      devices: [device('arm')],
      tasks: { careless },
      device: () => ({
        functions: [{ name: 'move', kind: 'effect' }],
        call: () => {
          begun.resolve();
          return moving.promise;
        },
      }),
    }).up();
    await world.agent.startTask(task('a', 'careless', { devices: { arm: {} } }), marks);
    await world.time.advance(30_000);
    expect(world.outcome('a')).toBeUndefined();
    moving.resolve('there');
    await world.time.advance(0);
    expect(world.outcome('a')).toBe('completed');
  });

  it('to an unknown slot name the slots of the task', async () => {
    const wrong: TaskScript = async ({ call }) => ({
      output_parameters: { v: (await call('leg', 'move')) ?? null },
    });
    const world = await new World({ devices: [device('arm')], tasks: { wrong } }).up();
    await world.agent.startTask(task('a', 'wrong', { devices: { arm: {} } }), marks);
    await world.time.advance(0);
    expect(world.orchestrator.results[0]?.outcome).toMatchObject({
      error: { message: "the task has no device 'leg'; it has: arm" },
    });
  });
});

describe('a cancel', () => {
  it('fires the abort signal, and a task that obeys ends as cancelled', async () => {
    const world = await new World({ tasks: { obedient } }).up();
    await world.agent.startTask(task('a', 'obedient'), marks);
    await world.time.advance(0);
    expect(await world.agent.cancelTask('a', 'not needed', marks)).toBe('cancelling');
    await world.time.advance(0);
    expect(world.outcome('a')).toBe('cancelled');
  });

  it('sends SIGTERM after 10 s and SIGKILL after 15 s to a task that does not obey', async () => {
    const world = await new World({ tasks: { never } }).up();
    await world.agent.startTask(task('a', 'never'), marks);
    await world.time.advance(0);
    const process = world.taskProcesses.started.find((p) => p.received.some((m) => m.type === 'run'));
    process?.onTerm(() => undefined);
    await world.agent.cancelTask('a', 'not needed', marks);
    await world.time.advance(9_999);
    expect(process?.signals).toEqual([]);
    await world.time.advance(1);
    expect(process?.signals).toEqual(['SIGTERM']);
    await world.time.advance(5_000);
    expect(process?.signals).toEqual(['SIGTERM', 'SIGKILL']);
    expect(world.outcome('a')).toBe('cancelled');
  });

  it('sent twice does not restart the ladder', async () => {
    const world = await new World({ tasks: { never } }).up();
    await world.agent.startTask(task('a', 'never'), marks);
    await world.time.advance(0);
    await world.agent.cancelTask('a', 'not needed', marks);
    await world.time.advance(9_000);
    await world.agent.cancelTask('a', 'still not needed', marks);
    await world.time.advance(1_000);
    expect(world.outcome('a')).toBe('cancelled');
  });

  it('ends an attempt only after its device is at rest', async () => {
    const moving = deferred<string>();
    const mover: TaskScript = async ({ call }) => {
      await call('arm', 'move');
      return {};
    };
    const world = await new World({
      devices: [device('arm')],
      tasks: { mover },
      device: () => ({ functions: [{ name: 'move', kind: 'effect' }], call: () => moving.promise }),
    }).up();
    await world.agent.startTask(task('a', 'mover', { devices: { arm: {} } }), marks);
    await world.time.advance(0);
    await world.agent.cancelTask('a', 'stop', marks);
    await world.time.advance(20_000);
    expect(world.taskProcesses.started.some((p) => p.signals.includes('SIGTERM'))).toBe(true);
    expect(world.outcome('a')).toBeUndefined();
    expect(world.state('arm')).toBe('busy');
    await world.time.advance(40_000);
    expect(world.state('arm')).not.toBe('busy');
    expect(world.outcome('a')).toBeUndefined();
    // Its driver cannot confirm that it stands still, so no other task may use it.
    await world.time.advance(20_000);
    expect(world.outcome('a')).toBe('unknown');
  });

  it('of a task that completes nevertheless reports the completion', async () => {
    const finish = deferred();
    const stubborn: TaskScript = async () => {
      await finish.promise;
      return {};
    };
    const world = await new World({ tasks: { stubborn } }).up();
    await world.agent.startTask(task('a', 'stubborn'), marks);
    await world.time.advance(0);
    await world.agent.cancelTask('a', 'stop', marks);
    finish.resolve();
    await world.time.advance(0);
    expect(world.outcome('a')).toBe('completed');
  });
});
