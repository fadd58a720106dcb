import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dependencyLine } from '@lab/definitions/model';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Lab } from './lab.js';
import type { TestModule } from './modules.js';

/** Code that imports npm packages, on a real agent with the npm registry. */

let lab: Lab;
beforeEach(async () => {
  lab = await Lab.open();
});
afterEach(async () => {
  await lab.close();
});

function importing(source: string, dependencies: string[], text: string): TestModule {
  const whole = `${dependencyLine(dependencies)}\n${text}`;
  const hash = createHash('sha256').update(whole).digest('hex');
  const module = { reference: { hash, package: 'agent_lab', source, dependencies }, text: whole };
  lab.modules.set(hash, module);
  return module;
}

const meter = (dependencies: string[]): TestModule =>
  importing(
    'devices/meter/device.ts',
    dependencies,
    `import isNumber from 'is-number';
export default class Meter {
  async _initialize() {
    console.log('a number: ' + isNumber('7'));
  }
  async _cleanup() {}
  async _report() {
    return {};
  }
}
`,
  );

const assignment = (name: string, module: TestModule) => ({ ...lab.device(name), module: module.reference });

it('devices and tasks that import the same npm packages start after one run of npm', async () => {
  const module = meter(['is-number@7.0.0']);
  const task = importing(
    'tasks/check/task.ts',
    ['is-number@7.0.0'],
    `import isNumber from 'is-number';
export default class Check {
  async _execute() {
    return [{ number: isNumber('7'), word: isNumber('seven') }, {}, {}];
  }
}
`,
  );
  lab.assigned.set('svc_computer', [assignment('left', module), assignment('right', module)]);
  // npm takes longer than the start timeout of a device, which begins when the code is available.
  const slowly = join(lab.dataDir, 'npm-cli.js');
  await writeFile(
    slowly,
    `const install = () =>
      require('node:child_process').spawn('npm', process.argv.slice(2), { stdio: 'inherit' });
    setTimeout(() => install().on('exit', (code) => process.exit(code)), 1_500);`,
  );
  const env = { npm_execpath: slowly, SVC_DEVICE_INIT_TIMEOUT_S: '1' };
  const agent = await lab.agent('svc_computer', env);
  const begun = { ...lab.task({}), module: task.reference };
  await lab.start(begun);
  expect(await lab.outcome(begun.attempt_id, 60_000)).toMatchObject({
    kind: 'completed',
    output_parameters: { number: true, word: false },
  });
  await lab.deviceIs('left', 'idle');
  await lab.deviceIs('right', 'idle');
  expect(lab.changes.filter(({ state }) => ['faulted', 'restarting'].includes(state))).toEqual([]);
  expect(agent.lines.filter((line) => line.includes('installing npm packages'))).toHaveLength(1);
  expect(agent.lines.filter((line) => line.includes('a number: true'))).toHaveLength(2);
});

it('a version that does not exist makes the device faulted and the task fail, and both errors name it', async () => {
  const wrong = ['is-number@7.0.999'];
  const said = 'npm could not install is-number@7.0.999: notarget No matching version found';
  lab.assigned.set('svc_computer', [assignment('left', meter(wrong))]);
  await lab.agent();
  await lab.deviceIs('left', 'faulted');
  const detail = lab.changes.filter(({ name }) => name === 'left').at(-1)?.detail;
  expect(detail).toContain(said);
  expect(detail).toContain('npm install --omit=dev is-number@7.0.999');
  const begun = { ...lab.task({}), module: meter(wrong).reference };
  await lab.start(begun);
  expect(await lab.outcome(begun.attempt_id, 60_000)).toMatchObject({
    kind: 'failed',
    code: 'not_started',
    error: { message: expect.stringContaining(said) as unknown },
  });
});
