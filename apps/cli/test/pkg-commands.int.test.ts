import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { svcHere, type Ran } from './in-process.js';
import './loaded-here.js';

/** `svc pkg` as an author types it, in an empty folder. */

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-pkg-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const svc = (...args: string[]): Promise<Ran> => svcHere(['pkg', ...args], { folder });

const put = (file: string, text: string): void => {
  const path = join(folder, 'own/demo_pkg', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

it('create, add and types say what they wrote', async () => {
  expect(await svc('create', 'demo_pkg', '--dir', 'own')).toMatchObject({ code: 0, err: '' });
  expect(await svc('add', 'device', 'demo_pkg', 'pump', '--dir', 'own')).toMatchObject({
    code: 0,
    out: 'wrote own/demo_pkg/devices/pump/device.yml\nwrote own/demo_pkg/devices/pump/device.ts\n',
  });
  expect(await svc('types', 'own')).toMatchObject({ code: 0, out: 'wrote own/demo_pkg/svc-types.d.ts\n' });
});

it('check exits with 0 and a count without errors', async () => {
  put('package.json', '{ "name": "demo_pkg", "type": "module" }');
  put('laboratories/lab/lab.yml', 'name: lab\ndesc: Empty\ndevices: {}\n');
  expect(await svc('check', 'own/demo_pkg')).toMatchObject({
    code: 0,
    out: 'no errors in 1 package, 1 definition, 0 source files\n',
  });
  expect(JSON.parse((await svc('check', '--json', 'own')).out)).toEqual([]);
});

describe('a warning and an error', () => {
  const look = 'type: look\ndesc: Looks\ndevice_types: [camera]\n';
  beforeEach(() => {
    put('tasks/look/task.yml', look);
    put(
      'tasks/look/task.ts',
      `import { BaseTask, type TaskResult } from '@lab/sdk';
export default class Look extends BaseTask {
  _execute(): TaskResult {
    return [{}, {}, {}];
  }
}
`,
    );
  });

  it('are shown by check with their lines, and only the error makes it exit with 1', async () => {
    const warning = [
      'warning: demo_pkg/tasks/look/task.yml:3:16 unknown_device_type',
      '  device_types[0]: there is no device type "camera"; work that needs one is refused',
      '    3 | device_types: [camera]',
      '      |                ^',
      '',
      '1 warning in 1 file',
      '',
      '',
    ].join('\n');
    expect(await svc('check', 'own')).toMatchObject({
      code: 0,
      out: `${warning}no errors in 1 package, 1 definition, 1 source file\n`,
    });
    put('tasks/look/task.yml', `${look}input_parameter: {}\n`);
    const { code, out } = await svc('check', 'own');
    expect(code).toBe(1);
    expect(out).toContain(`${warning}demo_pkg/tasks/look/task.yml:4:1 unknown_key`);
    expect(out).toContain('did you mean "input_parameters"?');
  });

  it('are one list as JSON, each with its severity', async () => {
    put('tasks/look/task.yml', `${look}input_parameter: {}\n`);
    const { code, out } = await svc('check', '--json', 'own');
    expect(code).toBe(1);
    const finding = (severity: string, code: string, line: number, column: number) =>
      expect.objectContaining({ severity, code, line, column }) as object;
    expect(JSON.parse(out)).toEqual([
      finding('error', 'unknown_key', 4, 1),
      finding('warning', 'unknown_device_type', 3, 16),
    ]);
  });
});

it('every other failure is one sentence on standard error with exit code 1', async () => {
  expect(await svc('check', 'nowhere')).toMatchObject({ code: 1, out: '' });
  const refused = await svc('add', 'lab', 'demo_pkg', 'a_lab', '--dir', '.');
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(/^there is no package "demo_pkg" in .*: svc pkg create demo_pkg\n$/);
});
