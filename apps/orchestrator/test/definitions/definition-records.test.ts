import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { definitionSummaries, packageRecords } from '../../src/definitions/definition-records.js';
import { PackageIndex } from '../../src/definitions/package-index.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'definition-records-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const none = { labs: new Map(), protocols: new Map(), tasks: new Map(), draining: new Map() };

it('lists a task type with a warning as sound, and the warning in the record of its package only', async () => {
  const files = {
    'optics/tasks/look/task.yml': 'type: look\ndesc: x\ndevices: {eye: {type: camera}}\n',
    'optics/tasks/look/task.ts': 'export default class Look {}\n',
    'other/laboratories/other/lab.yml': 'name: other\ndesc: x\ndevices: {}\n',
  };
  const userDir = join(root, 'user');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(userDir, path)), { recursive: true });
    await writeFile(join(userDir, path), text);
  }
  const { catalog } = await PackageIndex.read({ userDir, dataDir: join(root, 'data') });
  const warning = {
    path: 'devices.eye.type',
    code: 'unknown_device_type',
    message: 'there is no device type "camera"; work that needs one is refused',
    file: 'optics/tasks/look/task.yml',
    line: 3,
    column: 23,
  };
  expect(packageRecords(catalog)).toMatchObject([
    { name: 'optics', tasks: ['look'], errors: [], warnings: [warning] },
    { name: 'other', errors: [], warnings: [] },
  ]);
  expect(definitionSummaries(catalog, none, 'task')).toMatchObject([{ name: 'look', sound: true }]);
});
