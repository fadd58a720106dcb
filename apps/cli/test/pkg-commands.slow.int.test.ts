import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

/** `svc pkg` as an author types it, in an empty folder. */

const cli = fileURLToPath(new URL('../bin/svc.mjs', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-pkg-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function svc(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [cli, 'pkg', ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 30_000,
  });
}

it('check exits with 0 and a count without errors, and with 1 and the list of errors as text or JSON', () => {
  expect(svc('create', 'demo_pkg', '--dir', 'own')).toMatchObject({ status: 0, stderr: '' });
  expect(svc('add', 'device', 'demo_pkg', 'pump', '--dir', 'own')).toMatchObject({
    status: 0,
    stdout: 'wrote own/demo_pkg/devices/pump/device.yml\nwrote own/demo_pkg/devices/pump/device.ts\n',
  });
  expect(svc('check', 'own/demo_pkg')).toMatchObject({
    status: 0,
    stdout: 'no errors in 1 package, 1 definition, 1 source file\n',
  });
  expect(svc('types', 'own')).toMatchObject({ status: 0, stdout: 'wrote own/demo_pkg/svc-types.d.ts\n' });
  expect(JSON.parse(svc('check', '--json', 'own').stdout)).toEqual([]);

  writeFileSync(join(folder, 'own/demo_pkg/devices/pump/device.yml'), 'type: pump\ndescc: Pumps\n');
  const text = svc('check', 'own');
  expect(text.status).toBe(1);
  expect(text.stdout).toContain('demo_pkg/devices/pump/device.yml:2:1 unknown_key');
  expect(text.stdout).toContain('did you mean "desc"?');
  const json = svc('check', '--json', 'own');
  expect(json.status).toBe(1);
  expect(JSON.parse(json.stdout)).toContainEqual(
    expect.objectContaining({ severity: 'error', code: 'unknown_key', line: 2, column: 1 }),
  );
});

it('check exits with 0 after a warning, and shows its line', () => {
  svc('create', 'demo_pkg', '--dir', 'own');
  const task = join(folder, 'own/demo_pkg/tasks/look');
  mkdirSync(task, { recursive: true });
  writeFileSync(join(task, 'task.yml'), 'type: look\ndesc: Looks\ndevice_types: [camera]\n');
  writeFileSync(
    join(task, 'task.ts'),
    "import { BaseTask, type TaskResult } from '@lab/sdk';\nexport default class Look extends BaseTask {\n  _execute(): TaskResult { return [{}, {}, {}]; }\n}\n",
  );
  const { status, stdout } = svc('check', 'own');
  expect(stdout).toContain(
    [
      'warning: demo_pkg/tasks/look/task.yml:3:16 unknown_device_type',
      '  device_types[0]: there is no device type "camera"; work that needs one is refused',
      '    3 | device_types: [camera]',
      '      |                ^',
      '',
      '1 warning in 1 file',
      '',
      'no errors in 1 package',
    ].join('\n'),
  );
  expect(status).toBe(0);
  expect(JSON.parse(svc('check', '--json', 'own').stdout)).toEqual([
    expect.objectContaining({ severity: 'warning', code: 'unknown_device_type', line: 3, column: 16 }),
  ]);
});

it('every other failure is one sentence on standard error with exit code 1', () => {
  expect(svc('check', 'nowhere')).toMatchObject({ status: 1, stdout: '' });
  const refused = svc('add', 'lab', 'demo_pkg', 'a_lab', '--dir', '.');
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^there is no package "demo_pkg" in .*: svc pkg create demo_pkg\n$/);
});
