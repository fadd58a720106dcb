import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockText } from '../src/environments/index.js';
import { createLoader, type Catalog, type DefinitionLoader } from '../src/index.js';
import { createUserDir, writeFiles } from './package-fixture.js';

const wheel = { name: 'greeter-1.0-py3-none-any.whl', sha256: 'a'.repeat(64), size: 5 };
const locked = (requirements: string[]): string =>
  lockText({
    ...{ environments: [], requiresPython: null },
    libraries: [{ name: 'greeter', version: '1.0', marker: null, wheels: [wheel] }],
    made: { requirements, targets: [] },
  });
const demanding = (...names: string[]): string =>
  `[project]\nname = "demo"\ndependencies = ${JSON.stringify(names)}\n`;
const files = {
  'demo/pyproject.toml': demanding('greeter'),
  'demo/pylock.toml': locked(['greeter']),
  'demo/wheels/greeter-1.0-py3-none-any.whl': 'wheel',
  'demo/devices/arm/device.yml': 'type: arm\ndesc: Moves\n',
  'demo/devices/arm/device.py': 'import greeter\n',
  'demo/devices/leg/device.yml': 'type: leg\ndesc: Walks\n',
  'demo/devices/leg/device.ts': 'export default class Leg {}\n',
};
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let folder: Awaited<ReturnType<typeof createUserDir>>;
let loader: DefinitionLoader;
beforeEach(async () => {
  folder = await createUserDir();
  loader = createLoader(folder);
  await writeFiles(folder.userDir, files, {});
});
afterEach(() => folder.dispose());

const put = (file: keyof typeof files, text: string): Promise<void> =>
  writeFile(join(folder.userDir, file), text);
const moduleOf = (catalog: Catalog, type = 'arm') => catalog.deviceType(type)?.module;
const codes = ({ diagnostics, warnings }: Catalog): string[] =>
  [...diagnostics, ...warnings].map(
    ({ code, file, message, hint }) => `${file} ${code} ${message} (${hint})`,
  );

describe('the libraries of a package', () => {
  it('are named by its code in Python alone, and are there for agents', async () => {
    const catalog = await loader.load();
    expect(codes(catalog)).toEqual([]);
    const lock = sha256(files['demo/pylock.toml']);
    expect(moduleOf(catalog)).toMatchObject({ runtime: 'python', environment: lock });
    expect(moduleOf(catalog, 'leg')).not.toHaveProperty('environment');
    expect(catalog.code[0]?.environment).toEqual([
      { sha256: lock, path: join(folder.userDir, 'demo/pylock.toml') },
      { sha256: wheel.sha256, path: join(folder.userDir, 'demo/wheels', wheel.name) },
    ]);
    const text = await catalog.module(moduleOf(catalog)?.hash ?? '');
    expect(JSON.parse(text)).toMatchObject({ environment: lock });
  });

  it('change the hash of the code in Python when its lock changes, and no other code', async () => {
    const before = await loader.load();
    await put('demo/pylock.toml', `${files['demo/pylock.toml']}\n`);
    const after = await loader.load();
    expect(moduleOf(after)?.hash).not.toBe(moduleOf(before)?.hash);
    expect(moduleOf(after, 'leg')).toEqual(moduleOf(before, 'leg'));
    await rm(join(folder.userDir, 'demo/pylock.toml'));
    await put('demo/pyproject.toml', demanding());
    expect(moduleOf(await loader.load())).not.toHaveProperty('environment');
  });

  it.each<[string, keyof typeof files, string, string]>([
    [
      'stale_lock',
      'demo/pyproject.toml',
      demanding('greeter>1'),
      'demo/pyproject.toml stale_lock added since the lock: greeter>1; removed since the lock: greeter (svc pkg lock demo)',
    ],
    [
      'damaged_lock',
      'demo/pylock.toml',
      'lock-version = "1.0"\n[[packages]]\nname = "greeter"\n',
      'demo/pylock.toml damaged_lock greeter has no version, and agents compile nothing (svc pkg lock demo)',
    ],
    [
      'damaged_project',
      'demo/pyproject.toml',
      '[project]\ndependencies = 1\n',
      'demo/pyproject.toml damaged_project project.dependencies: ',
    ],
  ])('stop the code in Python with %s', async (_, file, text, fault) => {
    await put(file, text);
    const catalog = await loader.load();
    expect(codes(catalog)).toEqual([expect.stringContaining(fault)]);
    expect(moduleOf(catalog)).toBeUndefined();
    expect(moduleOf(catalog, 'leg')).toBeDefined();
  });

  it('stop the code in Python when there is no lock', async () => {
    await rm(join(folder.userDir, 'demo/pylock.toml'));
    const catalog = await loader.load();
    expect(codes(catalog)).toEqual([
      'demo/pyproject.toml missing_lock it has dependencies, and there is no pylock.toml beside it (svc pkg lock demo)',
    ]);
    expect(moduleOf(catalog)).toBeUndefined();
  });

  it('may lie in a folder of the service, if the size is right', async () => {
    const wheelsDir = join(folder.userDir, '..', 'wheels');
    await rm(join(folder.userDir, 'demo/wheels', wheel.name));
    await mkdir(wheelsDir);
    const loaded = () => createLoader({ ...folder, wheelsDir }).load();
    await writeFile(join(wheelsDir, wheel.name), 'other wheel');
    expect(codes(await loaded())).toEqual([expect.stringContaining('missing_wheel')]);
    await writeFile(join(wheelsDir, wheel.name), 'wheel');
    const catalog = await loaded();
    expect(codes(catalog)).toEqual([]);
    expect(catalog.code[0]?.environment[1]).toEqual({
      ...{ sha256: wheel.sha256, path: join(wheelsDir, wheel.name) },
    });
  });

  it.each([
    ['is missing', () => rm(join(folder.userDir, 'demo/wheels', wheel.name))],
    ['has another size', () => put('demo/wheels/greeter-1.0-py3-none-any.whl', 'other wheel')],
  ])('are loaded with a warning when a wheel %s', async (_, change) => {
    await change();
    const catalog = await loader.load();
    expect(codes(catalog)).toEqual([
      `demo/pylock.toml missing_wheel wheels does not have ${wheel.name} (svc pkg lock demo --wheels)`,
    ]);
    expect(moduleOf(catalog)).toBeDefined();
  });
});
