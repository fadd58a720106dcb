import { ServiceError, type TaskStart } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { task, World } from '../world.js';
import type { TaskScript } from '../../src/testing/index.js';

const marks = {};
const file = { name: 'a.csv', size: 3, sha256: 'ab', task_run_id: 't1', attempt: 1 };
const reading: TaskStart = { ...task('a', 'read'), files: { raw: file } };
/** Returns the place of its file. */
const read: TaskScript = async ({ run }) => ({
  output_parameters: { path: run.files?.['raw']?.path ?? null },
});

describe('a task with an input file', () => {
  it('begins when the file is on its computer', async () => {
    const world = await new World({ tasks: { read } }).up();
    await world.agent.startTask(reading, marks);
    await world.time.advance(0);
    expect(world.files.placed).toEqual([{ attemptId: 'a', handle: 'raw', url: 'memory:a/raw' }]);
    expect(world.orchestrator.results[0]?.outcome).toMatchObject({
      kind: 'completed',
      output_parameters: { path: '/spool/a/raw' },
    });
  });

  it('waits without a process for a store that does not answer', async () => {
    const world = await new World({ tasks: { read } }).up();
    world.files.fault = new ServiceError('service_unavailable', 'no store');
    await world.agent.startTask(reading, marks);
    await world.time.advance(60_000);
    expect(world.taskProcesses.runs).toEqual([]);
    expect(world.outcome('a')).toBeUndefined();
    world.files.fault = undefined;
    await world.time.advance(60_000);
    expect(world.outcome('a')).toBe('completed');
  });

  it('fails before it begins when the file does not exist, without an effect on any device', async () => {
    const world = await new World({ tasks: { read } }).up();
    world.files.fault = new ServiceError('not_found', 'the store does not have it');
    await world.agent.startTask(reading, marks);
    await world.time.advance(1_000);
    expect(world.taskProcesses.runs).toEqual([]);
    expect(world.orchestrator.results[0]).toMatchObject({
      outcome: {
        kind: 'failed',
        code: 'missing_input_file',
        error: {
          message: 'the file "a.csv" for "raw" cannot be had: the store does not have it',
        },
      },
      calls: { effects: 0, in_doubt: null },
    });
  });

  it('can be cancelled while it waits for the file', async () => {
    const world = await new World({ tasks: { read } }).up();
    world.files.fault = new ServiceError('service_unavailable', 'no store');
    await world.agent.startTask(reading, marks);
    await world.time.advance(10_000);
    await world.agent.cancelTask('a', 'not wanted', marks);
    await world.time.advance(1_000);
    expect(world.outcome('a')).toBe('cancelled');
    expect(world.taskProcesses.runs).toEqual([]);
  });

  it('has never run when its agent died before the file arrived', async () => {
    const world = await new World({ tasks: { read } }).up();
    world.files.fault = new ServiceError('service_unavailable', 'no store');
    await world.agent.startTask(reading, marks);
    await world.time.advance(10_000);
    const { orchestrator } = world;
    await new World({ orchestrator, ledger: world.crash(), session: 'second-' }).up();
    expect(orchestrator.hellos.at(-1)?.attempts).toEqual([{ attempt_id: 'a', status: 'unknown' }]);
  });
});
