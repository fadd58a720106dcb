import { describe, expect, it } from 'vitest';
import { anyDevice, device, from, ints, literal, open, same, TestLab } from '../test-lab.js';

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm', mixer1: 'mixer', mixer2: 'mixer' }, { beaker1: 'beaker', beaker2: 'beaker' });
  test.taskType('count', { input_parameters: ints('n'), output_parameters: ints('sum') });
  test.taskType('pour', { input_resources: { cup: { type: 'beaker' } } });
  await test.open();
  return test;
}

describe('a protocol run', () => {
  it('starts a task only when all of its dependencies have completed', async () => {
    const test = await lab();
    test.protocol('p', [{ name: 'a' }, { name: 'b' }, { name: 'c', needs: ['a', 'b'] }]);
    await test.run('r', 'p');
    expect(test.running()).toEqual(['r/a', 'r/b']);
    await test.complete('r/a');
    expect(test.running()).toEqual(['r/b']);
    await test.complete('r/b');
    expect(test.running()).toEqual(['r/c']);
    await test.complete('r/c');
    expect(test.runState('r')).toBe('completed');
    expect(test.runRow('r').endedAt).toBe(test.clock.now());
  });

  it('passes literals, submitted values, and outputs and inputs of earlier tasks as parameters', async () => {
    const test = await lab();
    test.protocol('p', [
      { name: 'a', type: 'count', parameters: { n: open } },
      { name: 'b', type: 'count', needs: ['a'], parameters: { n: from('a.sum') } },
      { name: 'c', type: 'count', needs: ['a', 'b'], parameters: { n: from('a.n') } },
    ]);
    await test.run('r', 'p', { parameters: { a: { n: 3 } } });
    await test.complete('r/a', { sum: 7 });
    expect(test.task('r/b').inputParameters).toEqual({ n: 7 });
    await test.complete('r/b', { sum: 1 });
    expect(test.task('r/c').inputParameters).toEqual({ n: 3 });
  });

  it('refuses missing, unknown and wrong parameters in one error that names each path', async () => {
    const test = await lab();
    test.protocol('p', [
      { name: 'a', type: 'count', parameters: { n: open } },
      { name: 'b', type: 'count', parameters: { n: open } },
    ]);
    await expect(
      test.run('r', 'p', { parameters: { a: { n: 'three', m: 1 }, z: {} } }),
    ).rejects.toMatchObject({
      code: 'invalid',
      effect: 'none',
      faults: expect.arrayContaining([
        expect.objectContaining({ path: 'parameters.a.n', code: 'type' }),
        expect.objectContaining({ path: 'parameters.a.m' }),
        expect.objectContaining({ path: 'parameters.z', code: 'unknown_task' }),
        expect.objectContaining({ path: 'parameters.b.n', code: 'missing_parameter' }),
      ]),
    });
    expect(test.store.rows.protocolRuns.size).toBe(0);
  });

  it('refuses a protocol that is not loaded, lists the loaded ones, and says how to load one', async () => {
    const test = await lab();
    test.protocol('p', [{ name: 'a' }]);
    await expect(test.run('r', 'q')).rejects.toMatchObject({
      code: 'unknown_protocol',
      faults: [
        expect.objectContaining({
          path: 'type',
          hint: 'use one of p; load a new one from its package with: svc protocols load q',
        }),
      ],
    });
  });

  it('refuses slots that the loaded laboratories cannot fill', async () => {
    const test = await lab();
    test.protocol('p', [
      { name: 'a', devices: { x: device('l.none') } },
      { name: 'b', devices: { x: anyDevice('arm'), y: anyDevice('arm') } },
    ]);
    await expect(test.run('r', 'p')).rejects.toMatchObject({
      code: 'invalid',
      faults: [
        expect.objectContaining({ path: 'tasks.a.devices.x', code: 'unknown_device' }),
        expect.objectContaining({ path: 'tasks.b', code: 'too_few_units' }),
      ],
    });
  });

  it('needs a name that was never used', async () => {
    const test = await lab();
    test.protocol('p', [{ name: 'a' }]);
    await test.run('r', 'p');
    await expect(test.run('r', 'p')).rejects.toMatchObject({ code: 'duplicate_name' });
    await test.complete('r/a');
    await expect(test.run('r', 'p')).rejects.toMatchObject({ code: 'duplicate_name' });
  });

  it('fails when a task fails, after stopping running tasks and skipping the others', async () => {
    const test = await lab();
    test.protocol('p', [
      { name: 'a', devices: { d: device('l.mixer1') } },
      { name: 'b', devices: { d: device('l.arm') } },
      { name: 'c', needs: ['a', 'b'] },
    ]);
    test.agents.onCancel = () => undefined;
    await test.run('r', 'p');
    await test.fail('r/a', 'no more dye');
    expect(test.tasks('r')).toEqual({ a: 'failed', b: 'running', c: 'skipped' });
    expect(test.runState('r')).toBe('running');
    expect(test.allocated()).toEqual(['l.arm']);
    await test.agents.end('r/b', { kind: 'cancelled' });
    await test.clock.settle();
    expect(test.runRow('r')).toMatchObject({
      state: 'failed',
      reason: { code: 'task_failed', message: 'task a failed: no more dye' },
    });
    expect(test.task('r/b').state).toBe('cancelled');
    expect(test.allocated()).toEqual([]);
  });

  it('keeps the files of a failed task', async () => {
    const test = await lab();
    test.protocol('p', [{ name: 'a' }]);
    await test.run('r', 'p');
    const file = { name: 'oversized_output.json', size: 70_000, sha256: 'ab' };
    const error = { message: 'too large' };
    await test.agents.end('r/a', { kind: 'failed', code: 'invalid_output', error, files: [file] });
    await test.clock.settle();
    expect(test.task('r/a')).toMatchObject({ state: 'failed', outputFiles: [file] });
  });

  it('fails a task whose outputs do not match its definition, and keeps the data', async () => {
    const test = await lab();
    test.protocol('p', [{ name: 'a', type: 'count', parameters: { n: literal(1) } }]);
    await test.run('r', 'p');
    await test.complete('r/a', { sum: 'many' });
    expect(test.task('r/a')).toMatchObject({
      state: 'failed',
      reason: { code: 'invalid_output' },
      outputParameters: { sum: 'many' },
    });
    expect(test.runState('r')).toBe('failed');
  });

  it('fails a task whose referenced value does not fit', async () => {
    const test = await lab();
    test.taskType('small', {
      input_parameters: { n: { type: 'int', desc: '', unit: 'n/a', max: 5 } },
    });
    test.protocol('p', [
      { name: 'a', type: 'count', parameters: { n: literal(1) } },
      { name: 'b', type: 'small', needs: ['a'], parameters: { n: from('a.sum') } },
    ]);
    await test.run('r', 'p');
    await test.complete('r/a', { sum: 9 });
    expect(test.task('r/b')).toMatchObject({ state: 'failed', reason: { code: 'unresolved_parameters' } });
    expect(test.task('r/b').reason?.message).toContain('tasks.b.parameters.n');
    expect(test.runState('r')).toBe('failed');
  });

  it('keeps its original definitions', async () => {
    const test = await lab();
    test.protocol('p', [{ name: 'a' }, { name: 'b', needs: ['a'] }]);
    await test.run('r', 'p');
    test.definitions.protocols.clear();
    await test.engine.definitionsChanged();
    await test.complete('r/a');
    await test.complete('r/b');
    expect(test.runState('r')).toBe('completed');
  });

  it('passes resources on as the earlier task returned them', async () => {
    const test = await lab();
    test.protocol('p', [
      {
        name: 'a',
        type: 'pour',
        resources: { cup: { kind: 'dynamic', resource_type: 'beaker', hold: false } },
      },
      { name: 'b', type: 'pour', needs: ['a'], resources: { cup: same('a.cup') } },
    ]);
    await test.run('r', 'p');
    expect(test.task('r/a').resources).toEqual({
      cup: { name: 'beaker1', type: 'beaker', meta: { capacity: 10 } },
    });
    await test.agents.complete('r/a', {
      output_resources: { cup: { name: 'beaker1', type: 'beaker', meta: { dirty: true } } },
    });
    await test.clock.settle();
    expect(test.task('r/b').resources['cup']?.meta).toEqual({ dirty: true });
    expect(test.store.rows.resources.get('beaker1')?.meta).toEqual({ dirty: true });
  });

  it('refuses an output resource that the task did not have', async () => {
    const test = await lab();
    test.protocol('p', [
      { name: 'a', type: 'pour', resources: { cup: { kind: 'specific', name: 'beaker1', hold: false } } },
    ]);
    await test.run('r', 'p');
    await test.agents.complete('r/a', {
      output_resources: { cup: { name: 'beaker2', type: 'beaker', meta: {} } },
    });
    await test.clock.settle();
    expect(test.task('r/a').reason).toMatchObject({ code: 'invalid_output' });
    expect(test.store.rows.resources.get('beaker2')?.meta).toEqual({ capacity: 10 });
  });

  it('keeps what a task did report, and names what is missing, when its result is not whole', async () => {
    const test = await lab();
    test.taskType('measure', {
      input_resources: { cup: { type: 'beaker' } },
      output_parameters: ints('sum', 'count'),
    });
    test.protocol('p', [
      { name: 'a', type: 'measure', resources: { cup: { kind: 'specific', name: 'beaker1', hold: false } } },
    ]);
    await test.run('r', 'p');
    const file = { name: 'a.csv', size: 3, sha256: 'ab' };
    await test.agents.complete('r/a', {
      output_parameters: { sum: 7 },
      output_resources: { cup: { name: 'beaker1', type: 'beaker', meta: { capacity: 10, volume: 4 } } },
      files: [file],
      problem: { code: 'invalid_output', message: '_execute returned a list of 2' },
    });
    await test.clock.settle();
    expect(test.task('r/a')).toMatchObject({
      state: 'failed',
      reason: {
        code: 'invalid_output',
        message:
          'the task ended, but its result is not whole: _execute returned a list of 2; output_parameters.count: the parameter "count" is required',
      },
      outputParameters: { sum: 7 },
      outputFiles: [file],
      outputResources: { cup: { meta: { volume: 4 } } },
    });
    expect(test.store.rows.resources.get('beaker1')?.meta).toEqual({ capacity: 10, volume: 4 });
  });

  it('applies the annotations of its protocol to a resource until a task has returned it', async () => {
    const test = await lab();
    test.protocol('p', [
      { name: 'a', type: 'pour', resources: { cup: { kind: 'specific', name: 'beaker1', hold: false } } },
      { name: 'b', type: 'pour', needs: ['a'], resources: { cup: same('a.cup') } },
    ]);
    const snapshot = test.definitions.protocols.get('p');
    if (snapshot !== undefined) snapshot.protocol.resources = { beaker1: { meta: { volume: 5 } } };
    await test.run('r', 'p');
    expect(test.task('r/a').resources['cup']?.meta).toEqual({ capacity: 10, volume: 5 });
    await test.agents.complete('r/a', {
      output_resources: { cup: { name: 'beaker1', type: 'beaker', meta: { volume: 2 } } },
    });
    await test.clock.settle();
    expect(test.task('r/b').resources['cup']?.meta).toEqual({ volume: 2 });
  });

  it('publishes every change of state, in order and without gaps', async () => {
    const test = await lab();
    test.protocol('p', [{ name: 'a' }]);
    await test.run('r', 'p');
    await test.complete('r/a');
    const of = (aggregate: string) => test.store.events.filter((event) => event.aggregate === aggregate);
    const task = of(`task_run/${test.task('r/a').id}`);
    expect(task.map((event) => event.type)).toEqual([
      'task_run.created',
      'task_run.queued',
      'task_run.running',
      'task_run.completed',
    ]);
    expect(task.map((event) => event.seq)).toEqual([1, 2, 3, 4]);
    expect(of(`protocol_run/${test.runRow('r').id}`).map((event) => event.type)).toEqual([
      'protocol_run.created',
      'protocol_run.running',
      'protocol_run.completed',
    ]);
  });
});

describe('cancelling a run', () => {
  it('stops running tasks before their devices go to others', async () => {
    const test = await lab();
    test.protocol('p', [{ name: 'a', devices: { d: device('l.arm') } }]);
    test.agents.onCancel = () => undefined;
    await test.run('r', 'p');
    await test.run('s', 'p');
    await test.engine.work.cancelProtocolRun('r');
    await test.clock.settle();
    expect(test.task('r/a')).toMatchObject({ state: 'running', cancelRequestedAt: test.clock.now() });
    expect(test.running()).toEqual(['r/a']);
    await test.agents.end('r/a', { kind: 'cancelled' });
    await test.clock.settle();
    expect(test.runRow('r')).toMatchObject({ state: 'cancelled', reason: { code: 'cancelled_by_request' } });
    expect(test.running()).toEqual(['s/a']);
  });

  it('of one task fails the run', async () => {
    const test = await lab();
    test.protocol('p', [{ name: 'a' }, { name: 'b', needs: ['a'] }]);
    await test.run('r', 'p');
    await test.engine.work.cancelTask('b', 'r');
    await test.clock.settle();
    expect(test.tasks('r')).toEqual({ a: 'cancelled', b: 'cancelled' });
    expect(test.runRow('r')).toMatchObject({ state: 'failed', reason: { code: 'task_cancelled' } });
  });

  it('is not possible after its end, or for an unknown run', async () => {
    const test = await lab();
    test.protocol('p', [{ name: 'a' }]);
    await test.run('r', 'p');
    await expect(test.engine.work.cancelTask('b', 'r')).rejects.toMatchObject({ code: 'not_found' });
    await test.complete('r/a');
    await expect(test.engine.work.cancelProtocolRun('r')).rejects.toMatchObject({ code: 'wrong_state' });
    await expect(test.engine.work.cancelTask('a', 'r')).rejects.toMatchObject({ code: 'wrong_state' });
    await expect(test.engine.work.cancelProtocolRun('nobody')).rejects.toMatchObject({ code: 'not_found' });
    await expect(test.engine.work.cancelTask('nobody')).rejects.toMatchObject({ code: 'not_found' });
    await expect(test.engine.work.cancelCampaign('nobody')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is repeated until the agent has acknowledged it', async () => {
    const test = await lab();
    test.protocol('p', [{ name: 'a' }]);
    await test.run('r', 'p');
    let lost = 3;
    test.agents.onCall = (kind) => (kind === 'cancel' && (lost -= 1) >= 0 ? 'lost' : 'delivered');
    await test.engine.work.cancelProtocolRun('r');
    await test.live(5000);
    expect(test.runState('r')).toBe('cancelled');
  });
});
