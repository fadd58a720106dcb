import type { ModuleReference } from '@lab/contracts';
import { expect, it } from 'vitest';
import { device, TestLab } from '../test-lab.js';

it('the code of accepted work stays in use after its types are loaded anew, and that of devices is in use', async () => {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.taskType('use', { devices: { d: { type: 'arm' } } });
  test.protocol('p', [{ name: 'a', devices: { d: device('l.arm') } }], ['l']);
  const { tasks, deviceTypes, protocols } = test.definitions;
  const version = (name: string, hash: string): ModuleReference => ({
    hash,
    package: 'p',
    source: `${name}.ts`,
  });
  const load = (hash: string): void => {
    for (const [type, { task }] of tasks)
      tasks.set(type, { hash: `${type} ${hash}`, task: { ...task, module: version(type, hash) } });
    for (const [type, snapshot] of protocols) {
      const parts = Object.entries(snapshot.tasks).map(([name, task]) => [
        name,
        { ...task, module: version(`part-${name}`, hash) },
      ]);
      protocols.set(type, {
        ...snapshot,
        hash: `${type} ${hash}`,
        tasks: Object.fromEntries(parts) as never,
      });
    }
  };
  load('1');
  const arm = deviceTypes.get('arm');
  if (arm !== undefined) deviceTypes.set('arm', { ...arm, module: version('arm', '1') });
  await test.open();
  await test.run('r', 'p');
  await test.engine.submissions.task({
    ...{ name: 't', type: 'use' },
    devices: { d: { lab_name: 'l', name: 'arm' } },
  });
  load('2');
  await test.engine.definitionsChanged();
  const used = new Set(test.engine.views.codeInUse().map(({ source, hash }) => `${source} ${hash}`));
  expect([...used].filter((each) => each.endsWith(' 2'))).toEqual([]);
  expect([...used]).toEqual(expect.arrayContaining(['use.ts 1', 'arm.ts 1']));
  expect([...used].some((each) => each.startsWith('part-'))).toBe(true);
});
