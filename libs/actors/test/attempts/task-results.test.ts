import { ServiceError } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { task, World } from '../world.js';
import { MemoryOrchestrator, type TaskScript } from '../../src/testing/index.js';

const marks = {};
const returning: TaskScript = async ({ run }) => ({ output_parameters: { ran: run.attempt_id } });
const never: TaskScript = () => new Promise(() => undefined);

describe('results', () => {
  const away = new ServiceError('service_unavailable', 'nobody leads');

  it('are reported until they are acknowledged, with growing pauses', async () => {
    const world = await new World({ tasks: { add: returning } }).up();
    let tries = 0;
    const report = world.orchestrator.reportResult.bind(world.orchestrator);
    world.orchestrator.reportResult = (result) => {
      tries += 1;
      return tries < 6 ? Promise.reject(away) : report(result);
    };
    await world.agent.startTask(task('a', 'add'), marks);
    await world.time.advance(7_000);
    expect(tries).toBeGreaterThanOrEqual(4);
    expect(tries).toBeLessThan(6);
    expect(await world.agent.taskStatus('a', marks)).toBe('ended');
    await world.time.advance(16_000);
    expect(world.outcome('a')).toBe('completed');
  });

  it('are reported at once when the orchestrator returns', async () => {
    const world = await new World({ tasks: { add: returning } }).up();
    world.orchestrator.away = away;
    await world.agent.startTask(task('a', 'add'), marks);
    await world.time.advance(300_000);
    world.orchestrator.away = undefined;
    world.agent.reconnected();
    await world.time.advance(0);
    expect(world.outcome('a')).toBe('completed');
  });

  it('have the time at which the process ended, however late they are reported', async () => {
    const slow: TaskScript = () =>
      new Promise((resolve) => world.time.after(6_000, () => resolve({ output_parameters: {} })));
    const world = await new World({ tasks: { slow } }).up();
    const startedMs = world.time.now();
    await world.agent.startTask(task('a', 'slow'), marks);
    await world.time.advance(1_000);
    world.orchestrator.away = away;
    await world.time.advance(50_000);
    world.orchestrator.away = undefined;
    world.agent.reconnected();
    await world.time.advance(0);
    expect(world.orchestrator.results).toMatchObject([
      { outcome: { kind: 'completed' }, ended_ms: startedMs + 6_000, wall_ms: startedMs + 51_000 },
    ]);
  });

  it('follow after the files are stored', async () => {
    const photo: TaskScript = async () => ({ files: [{ name: 'p.png', size: 3, sha256: 'ab', path: '0' }] });
    const world = await new World({ tasks: { photo } }).up();
    world.files.fault = new ServiceError('service_unavailable', 'no store');
    await world.agent.startTask(task('a', 'photo'), marks);
    await world.time.advance(60_000);
    expect(world.outcome('a')).toBeUndefined();
    world.files.fault = undefined;
    await world.time.advance(60_000);
    expect(world.files.stored).toEqual([{ attemptId: 'a', name: 'p.png' }]);
    expect(world.orchestrator.results[0]?.outcome).toMatchObject({
      files: [{ name: 'p.png', size: 3, sha256: 'ab' }],
    });
  });

  it('report a file that the store refused permanently', async () => {
    const photo: TaskScript = async () => ({ files: [{ name: 'p.png', size: 3, sha256: 'ab', path: '0' }] });
    const world = await new World({ tasks: { photo } }).up();
    world.files.fault = new ServiceError('payload_too_large', 'at most 1 GB');
    await world.agent.startTask(task('a', 'photo'), marks);
    await world.time.advance(0);
    expect(world.orchestrator.results[0]?.outcome).toMatchObject({ kind: 'failed', code: 'file_error' });
  });
});

describe('after a restart of the agent', () => {
  it('an unacknowledged result is reported again', async () => {
    const first = await new World({ tasks: { add: returning } }).up();
    first.orchestrator.away = new ServiceError('service_unavailable', 'nobody leads');
    await first.agent.startTask(task('a', 'add'), marks);
    await first.time.advance(0);
    const endedMs = first.time.now();
    await first.time.advance(9_000);
    const second = await new World({ ledger: first.crash(), session: 'later-' }).up();
    expect(second.outcome('a')).toBe('completed');
    expect(second.orchestrator.results[0]?.ended_ms).toBe(endedMs);
    expect(second.taskProcesses.runs).toEqual([]);
  });

  it('an attempt that began and has no end is unknown', async () => {
    const first = await new World({ tasks: { never } }).up();
    await first.agent.startTask(task('a', 'never'), marks);
    await first.time.advance(0);
    const orchestrator = new MemoryOrchestrator();
    const second = await new World({ ledger: first.crash(), orchestrator, tasks: { never } }).up();
    expect(orchestrator.results[0]?.outcome.kind).toBe('unknown');
    expect(await second.agent.startTask(task('a', 'never'), marks)).toBe('ended');
    expect(second.taskProcesses.runs).toEqual([]);
  });

  it('an attempt that was accepted and never began is reported as such and refused', async () => {
    const first = await new World({ tasks: { never }, limits: { poolSize: 0, poolMax: 0 } }).up();
    await first.agent.startTask(task('a', 'never'), marks);
    await first.time.advance(0);
    const second = await new World({ ledger: first.crash(), tasks: { never } }).up();
    expect(second.orchestrator.hellos[0]?.attempts).toEqual([{ attempt_id: 'a', status: 'unknown' }]);
    await expect(second.agent.startTask(task('a', 'never'), marks)).rejects.toMatchObject({
      code: 'stale_message',
    });
    expect(second.orchestrator.results).toEqual([]);
  });

  it('an attempt that never began is reported by every agent process until the leader acknowledges it', async () => {
    const first = await new World({ tasks: { never }, limits: { poolSize: 0, poolMax: 0 } }).up();
    await first.agent.startTask(task('a', 'never'), marks);
    await first.time.advance(0);
    const second = new World({ ledger: first.crash() });
    second.orchestrator.away = new ServiceError('service_unavailable', 'nobody leads');
    await second.up();
    const third = await new World({ ledger: second.crash() }).up();
    expect(third.orchestrator.hellos[0]?.attempts).toEqual([{ attempt_id: 'a', status: 'unknown' }]);
    const fourth = await new World({ ledger: third.crash() }).up();
    expect(fourth.orchestrator.hellos[0]?.attempts).toEqual([]);
    await expect(fourth.agent.startTask(task('a', 'never'), marks)).rejects.toMatchObject({
      code: 'stale_message',
    });
  });

  it('the files of an ended task are stored and its outcome is kept', async () => {
    const photo: TaskScript = async () => ({
      output_parameters: { n: 1 },
      files: [{ name: 'p.png', size: 3, sha256: 'ab', path: '0' }],
    });
    const first = await new World({ tasks: { photo } }).up();
    first.files.fault = new ServiceError('service_unavailable', 'no store');
    await first.agent.startTask(task('a', 'photo'), marks);
    await first.time.advance(1_000);
    const second = await new World({ ledger: first.crash() }).up();
    expect(second.files.stored).toHaveLength(1);
    expect(second.orchestrator.results[0]?.outcome).toMatchObject({
      kind: 'completed',
      output_parameters: { n: 1 },
    });
  });

  it('only the spool folders of attempts with unstored files remain', async () => {
    const photo: TaskScript = async () => ({ files: [{ name: 'p.png', size: 3, sha256: 'ab', path: '0' }] });
    const first = await new World({ tasks: { photo, never } }).up();
    first.files.fault = new ServiceError('service_unavailable', 'no store');
    await first.agent.startTask(task('a', 'photo'), marks);
    await first.agent.startTask(task('b', 'never'), marks);
    await first.time.advance(1_000);
    const later = new World({ ledger: first.crash() });
    later.files.fault = first.files.fault;
    for (const id of ['a', 'b', 'long ago']) later.files.spools.add(id);
    await later.up();
    expect([...later.files.spools]).toEqual(['a']);
  });

  it('the ledger contains only necessary records', async () => {
    const first = await new World({ tasks: { add: returning } }).up();
    for (const id of ['a', 'b', 'c']) {
      await first.agent.startTask(task(id, 'add'), marks);
      await first.time.advance(0);
    }
    const second = await new World({ ledger: first.crash(), limits: { remembered: 2 } }).up();
    expect(second.ledger.durable).toEqual([
      { type: 'acked', attemptId: 'b' },
      { type: 'acked', attemptId: 'c' },
      { type: 'incarnation', inc: 1 },
      { type: 'session', session: 'session-1' },
      { type: 'incarnation', inc: 1 },
    ]);
    expect(await second.agent.taskStatus('c', marks)).toBe('ended');
  });
});
