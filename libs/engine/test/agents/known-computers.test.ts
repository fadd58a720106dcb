import { describe, expect, it } from 'vitest';
import { device, TestLab } from '../test-lab.js';

/** A lab with a device on `bench_c` is loaded; another one on disk names `bench_d`. */
async function lab(onDisk: () => string[] | null = () => ['svc_computer', 'bench_d']): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm@bench_c' });
  test.taskType('use', { devices: { d: { type: 'arm' } } });
  test.protocol('p', [{ name: 'a', type: 'use', devices: { d: device('l.arm') } }]);
  await test.start({}, { computersOnDisk: async () => onDisk() });
  return test;
}

const registered = (test: TestLab): string[] => [...test.store.rows.agents.keys()].sort();

/** The laboratory is unloaded. */
async function unload(test: TestLab): Promise<void> {
  test.definitions.loadedLabs.clear();
  await test.engine.definitionsChanged();
}

describe('the registration of an agent', () => {
  it('is refused with the nearest name when no laboratory names its computer', async () => {
    const test = await lab();
    await expect(test.agents.boot('bench_x')).rejects.toMatchObject({
      code: 'not_found',
      message:
        'no laboratory names a computer bench_x; did you mean bench_c? (known: bench_c, bench_d, svc_computer)',
    });
    await expect(test.agents.boot('robot')).rejects.toThrow(
      'no laboratory names a computer robot (known: bench_c, bench_d, svc_computer)',
    );
    expect(registered(test)).toEqual([]);
  });

  it('is taken when a laboratory names its computer, loaded or on disk, and always on the computer of the service', async () => {
    const test = await lab();
    for (const computer of ['bench_c', 'bench_d', 'svc_computer']) await test.agents.boot(computer);
    expect(registered(test)).toEqual(['bench_c', 'bench_d', 'svc_computer']);
  });

  it('is taken when the laboratories on disk cannot all be read', async () => {
    const broken = await lab(() => null);
    await broken.agents.boot('bench_x');
    expect(registered(broken)).toEqual(['bench_x']);
    const unreadable = await lab(() => {
      throw new Error('EIO');
    });
    await unreadable.agents.boot('bench_x');
    expect(registered(unreadable)).toEqual(['bench_x']);
  });

  it('is taken again after its laboratory is gone, but not for a new process without attempts', async () => {
    const test = await lab();
    await test.agents.boot('bench_c');
    await unload(test);
    await test.agents.register('bench_c');
    await expect(test.agents.boot('bench_c')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is taken from a new process that can tell how an attempt ended, although its laboratory is gone', async () => {
    const test = await lab();
    await test.agents.boot('bench_c');
    await test.run('r', 'p');
    expect(test.task('r/a').state).toBe('running');
    await unload(test);
    await test.agents.boot('bench_c');
    await test.live(1_000);
    expect(test.task('r/a').state).toBe('needs_attention');
  });
});
