import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLoader, loadPackages, type Catalog } from '../src/index.js';
import { createUserDir, writeFiles } from './package-fixture.js';

const arm = {
  'demo/pyproject.toml': '[project]\nname = "demo"\n',
  'demo/laboratories/lab/lab.yml':
    'name: lab\ndesc: A lab\ndevices:\n  arm1: {type: arm, computer: svc_computer}\n',
  'demo/devices/arm/device.yml': 'type: arm\ndesc: Moves\n',
  'demo/devices/arm/device.py': 'from ..port import Port\nfrom demo.tools import units\nimport serial\n',
  'demo/devices/port.py': 'import time\n',
  'demo/tools/__init__.py': '',
  'demo/tools/units.py': 'from . import parts\n',
  'demo/tools/parts.py': '',
  'demo/tools/unused.py': '',
};

let folder: Awaited<ReturnType<typeof createUserDir>>;
const load = (): Promise<Catalog> => loadPackages(folder);
const moduleOf = (catalog: Catalog) => catalog.deviceType('arm')?.module;

beforeEach(async () => {
  folder = await createUserDir();
  await writeFiles(folder.userDir, arm, {});
});
afterEach(() => folder.dispose());

describe('code in Python', () => {
  it('is one text with the files of the package that it imports, and no others', async () => {
    const catalog = await load();
    expect(catalog.diagnostics).toEqual([]);
    const module = moduleOf(catalog);
    expect(module).toMatchObject({ package: 'demo', source: 'devices/arm/device.py', runtime: 'python' });
    const text = JSON.parse(await catalog.module(module?.hash ?? '')) as { files: object };
    expect(text).toMatchObject({ svc_python: 1, package: 'demo' });
    expect(Object.keys(text.files)).toEqual([
      'devices/arm/device.py',
      'devices/port.py',
      'tools/__init__.py',
      'tools/parts.py',
      'tools/units.py',
    ]);
  });

  it('gets another hash when a file that it imports changes, also one that did not exist before', async () => {
    const loader = createLoader(folder);
    const hash = async (): Promise<string | undefined> => moduleOf(await loader.load())?.hash;
    const first = await hash();
    await writeFile(join(folder.userDir, 'demo/tools/unused.py'), 'x = 1\n');
    expect(await hash()).toBe(first);
    await writeFile(join(folder.userDir, 'demo/tools/parts.py'), 'x = 1\n');
    const second = await hash();
    expect(second).not.toBe(first);
    await writeFile(join(folder.userDir, 'demo/devices/__init__.py'), '');
    expect(await hash()).not.toBe(second);
  });

  it('with an import that leads nowhere in the package has a fault at its place', async () => {
    await writeFile(
      join(folder.userDir, 'demo/devices/port.py'),
      'import time\n\nfrom .cable import Cable\n',
    );
    const [fault] = (await load()).diagnostics;
    expect(fault).toEqual({
      ...{ file: 'demo/devices/port.py', line: 3, column: 1, path: '', code: 'code' },
      message: 'cannot find the import ".cable" in the package',
      hint: 'is there such a file?',
    });
  });

  it('beside code in TypeScript is refused', async () => {
    await writeFile(join(folder.userDir, 'demo/devices/arm/device.ts'), 'export default class Arm {}\n');
    const { diagnostics } = await load();
    expect(diagnostics).toMatchObject([
      { code: 'two_definitions', message: 'the folder holds device.ts and device.py', hint: 'keep one' },
    ]);
  });

  it('that is not UTF-8 has a fault', async () => {
    await writeFile(join(folder.userDir, 'demo/devices/port.py'), Buffer.from([0xff, 0xfe]));
    const [fault] = (await load()).diagnostics;
    expect(fault).toMatchObject({ file: 'demo/devices/port.py', message: 'the file is not valid UTF-8' });
  });
});
