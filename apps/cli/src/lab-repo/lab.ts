import {
  deviceFiles,
  labFiles,
  ownClass,
  packageFiles,
  protocolFiles,
  taskFiles,
  type Files,
} from '../pkg/templates.js';

/** The names in a new lab. Those of types have the name of the lab in front, because all packages of a service share them. */
export const namesIn = (lab: string) => ({
  device: `${lab}_instrument`,
  task: `${lab}_measure`,
  protocol: `${lab}_measurement`,
});

/** A package with one lab that works: a simulated device, a task with a test, a protocol, and a scenario to simulate. */
export function labPackage(lab: string): Files {
  const { device, task, protocol } = namesIn(lab);
  return {
    ...packageFiles(lab),
    ...labFiles(lab, [device]),
    ...deviceFiles(device),
    ...taskFiles(task, { type: device, module: `../../devices/${device}/device.js` }),
    [`tasks/${task}/task.test.ts`]: taskTest(device, task),
    ...protocolFiles(protocol, {
      ...{ lab, task, devices: { [device]: `${device}_1` }, resources: {}, parameters: ['seconds'] },
    }),
    'scenario.yml': `# Three measurements on one instrument, with durations that vary by 10 %
labs: [${lab}]
jitter: 0.1
seed: 1
protocols:
  - type: ${protocol}
    iterations: 3
`,
  };
}

function taskTest(device: string, task: string): string {
  const [Device, Task] = [ownClass(device, 'Device'), ownClass(task, 'Task')];
  return `import type { Handle } from '@lab/sdk';
import { expect, it } from 'vitest';
import ${Device} from '../../devices/${device}/device.js';
import ${Task} from './task.js';

it('works with the device for as long as it should', async () => {
  const device = new ${Device}();
  await device._initialize({ port: 'simulated' });
  const handle: Handle<${Device}> = {
    name: 'instrument',
    lab: 'test',
    run: () => device.run(),
    status: async () => device.status(),
  };
  const [outputs] = await new ${Task}()._execute({ ${device}: handle }, { seconds: 0.05 });
  expect(outputs.summary).toBe('worked with instrument for 0.05 s');
  expect(outputs.took).toBeGreaterThan(0.04);
});
`;
}
