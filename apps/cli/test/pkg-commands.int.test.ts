import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** `svc pkg` as an author types it, in an empty folder. */

const cli = fileURLToPath(new URL('../bin/svc.mjs', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-pkg-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command. The limit only ends one that hangs: a check takes seconds of computing, and more on a busy machine. */
function svc(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [cli, 'pkg', ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 110_000,
  });
}

const put = (file: string, text: string): void => {
  const path = join(folder, 'own/demo_pkg', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

it('create, add and types say what they wrote', () => {
  expect(svc('create', 'demo_pkg', '--dir', 'own')).toMatchObject({ status: 0, stderr: '' });
  expect(svc('add', 'device', 'demo_pkg', 'pump', '--dir', 'own')).toMatchObject({
    status: 0,
    stdout: 'wrote own/demo_pkg/devices/pump/device.yml\nwrote own/demo_pkg/devices/pump/device.ts\n',
  });
  expect(svc('types', 'own')).toMatchObject({ status: 0, stdout: 'wrote own/demo_pkg/svc-types.d.ts\n' });
});

it('check exits with 0 and a count without errors', () => {
  put('package.json', '{ "name": "demo_pkg", "type": "module" }');
  put('laboratories/lab/lab.yml', 'name: lab\ndesc: Empty\ndevices: {}\n');
  expect(svc('check', 'own/demo_pkg')).toMatchObject({
    status: 0,
    stdout: 'no errors in 1 package, 1 definition, 0 source files\n',
  });
  expect(JSON.parse(svc('check', '--json', 'own').stdout)).toEqual([]);
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

  it('are shown by check with their lines, and only the error makes it exit with 1', () => {
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
    expect(svc('check', 'own')).toMatchObject({
      status: 0,
      stdout: `${warning}no errors in 1 package, 1 definition, 1 source file\n`,
    });
    put('tasks/look/task.yml', `${look}input_parameter: {}\n`);
    const { status, stdout } = svc('check', 'own');
    expect(status).toBe(1);
    expect(stdout).toContain(`${warning}demo_pkg/tasks/look/task.yml:4:1 unknown_key`);
    expect(stdout).toContain('did you mean "input_parameters"?');
  });

  it('are one list as JSON, each with its severity', () => {
    put('tasks/look/task.yml', `${look}input_parameter: {}\n`);
    const { status, stdout } = svc('check', '--json', 'own');
    expect(status).toBe(1);
    const finding = (severity: string, code: string, line: number, column: number) =>
      expect.objectContaining({ severity, code, line, column }) as object;
    expect(JSON.parse(stdout)).toEqual([
      finding('error', 'unknown_key', 4, 1),
      finding('warning', 'unknown_device_type', 3, 16),
    ]);
  });
});

it('every other failure is one sentence on standard error with exit code 1', () => {
  expect(svc('check', 'nowhere')).toMatchObject({ status: 1, stdout: '' });
  const refused = svc('add', 'lab', 'demo_pkg', 'a_lab', '--dir', '.');
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^there is no package "demo_pkg" in .*: svc pkg create demo_pkg\n$/);
});
