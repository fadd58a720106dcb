import { describe, expect, it } from 'vitest';
import { TestLab } from '../test-lab.js';

const reset = { name: 'beaker', by: 'ada', reason: '', force: false };

/** A run whose task `a` uses the beaker and holds it for `b`. */
async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' }, { beaker: 'glass' });
  test.taskType('use', { input_resources: { r: { type: 'glass' } } });
  test.protocol('p', [
    { name: 'a', type: 'use', resources: { r: { kind: 'specific', name: 'beaker', hold: true } } },
    {
      name: 'b',
      type: 'use',
      needs: ['a'],
      resources: { r: { kind: 'reference', task: 'a', slot: 'r', hold: false } },
    },
  ]);
  await test.open();
  return test;
}

const metaOf = (test: TestLab): unknown => test.store.rows.resources.get('beaker')?.meta;

/** Ends a task with the given content of the beaker. */
async function leave(test: TestLab, label: string, ml: number): Promise<void> {
  const beaker = { name: 'beaker', type: 'glass', meta: { ml } };
  await test.agents.complete(label, { output_resources: { r: beaker } });
  await test.clock.settle();
}

describe('a reset of a resource', () => {
  it('restores the values of the lab file, with an event and an audit entry', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await leave(test, 'r/a', 3);
    await leave(test, 'r/b', 4);
    expect(metaOf(test)).toEqual({ ml: 4 });
    const told = (): number =>
      test.store.events.filter(({ aggregate }) => aggregate === 'resource/beaker').length;
    const before = told();
    expect(await test.engine.resources.reset({ ...reset, reason: 'washed' })).toEqual({ name: 'beaker' });
    expect(metaOf(test)).toEqual({ capacity: 10 });
    expect(told()).toBe(before + 1);
    expect(test.store.audit.at(-1)).toMatchObject({
      by: 'ada',
      action: 'resource.reset',
      subject: 'resource/beaker',
      detail: { before: { ml: 4 }, after: { capacity: 10 }, reason: 'washed' },
    });
  });

  it('is refused while a task or run, which the error names, has it, unless it is forced with a reason', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await expect(test.engine.resources.reset(reset)).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringContaining('the task r/a has the resource "beaker"') as string,
    });
    await test.engine.work.pauseProtocolRun('r', 'ada');
    await leave(test, 'r/a', 3);
    await expect(test.engine.resources.reset(reset)).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringContaining('the protocol run r has the resource') as string,
    });
    await expect(test.engine.resources.reset({ ...reset, force: true, reason: ' ' })).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ path: 'reason' }],
    });
    expect(metaOf(test)).toEqual({ ml: 3 });
    await test.engine.resources.reset({ ...reset, force: true, reason: 'it was emptied' });
    expect(metaOf(test)).toEqual({ capacity: 10 });
    expect(test.store.audit.at(-1)?.detail).toMatchObject({ held_by: 'the protocol run r' });
    await test.engine.work.resumeProtocolRun('r', 'ada');
    await test.clock.settle();
    expect(test.task('r/b')).toMatchObject({
      state: 'running',
      resources: { r: { name: 'beaker', meta: { capacity: 10 } } },
    });
  });

  it('of an unknown resource suggests a name, and reports when its laboratory is not loaded', async () => {
    const test = await lab();
    await expect(test.engine.resources.reset({ ...reset, name: 'baeker' })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('did you mean "beaker"?') as string,
    });
    test.definitions.loadedLabs.delete('l');
    await test.engine.definitionsChanged();
    await expect(test.engine.resources.reset(reset)).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringContaining('is not loaded') as string,
    });
  });
});

describe('a change of a resource by hand', () => {
  const set = { name: 'beaker', by: 'ada', reason: 'weighed', force: false };

  it('replaces the named values, removes those that are null and keeps the others', async () => {
    const test = await lab();
    await test.engine.resources.set({ ...set, meta: { ml: 3, label: 'a' } });
    expect(metaOf(test)).toEqual({ capacity: 10, ml: 3, label: 'a' });
    await test.engine.resources.set({ ...set, meta: { ml: 4, label: null } });
    expect(metaOf(test)).toEqual({ capacity: 10, ml: 4 });
    expect(test.store.audit.at(-1)).toMatchObject({
      by: 'ada',
      action: 'resource.set',
      subject: 'resource/beaker',
      detail: { before: { ml: 3, label: 'a' }, after: { capacity: 10, ml: 4 }, reason: 'weighed' },
    });
    expect(test.store.events.at(-1)).toMatchObject({
      aggregate: 'resource/beaker',
      type: 'resource.changed',
    });
  });

  it('is refused while a task has it unless it is forced, for an unknown resource, and beyond 64 KiB', async () => {
    const test = await lab();
    await test.run('r', 'p');
    const { resources } = test.engine;
    await expect(resources.set({ ...set, meta: { ml: 3 } })).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringContaining('the task r/a has the resource "beaker"') as string,
    });
    await resources.set({ ...set, force: true, meta: { ml: 3 } });
    expect(metaOf(test)).toEqual({ capacity: 10, ml: 3 });
    await expect(resources.set({ ...set, name: 'beakr', meta: {} })).rejects.toMatchObject({
      code: 'not_found',
    });
    const large = { ...set, force: true, meta: { text: 'x'.repeat(65_530) } };
    await expect(resources.set(large)).rejects.toMatchObject({ code: 'invalid', faults: [{ path: 'meta' }] });
  });
});
