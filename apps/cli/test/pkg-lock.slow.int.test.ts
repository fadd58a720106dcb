import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLock } from '@lab/definitions/environments';
import { makeWheel, withoutPip, type TestLibrary } from '@lab/testkit/python';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { targetsOf } from '../src/pkg/lock/targets.js';
import { lockPackage, type Locked, type LockWishes } from '../src/pkg/lock/lock-package.js';
import { createPackage } from '../src/pkg/scaffold.js';

/** Libraries that the test makes, in a folder that stands for PyPI. */

let userDir: string;
let root: string;
let index: string;
beforeEach(async () => {
  userDir = mkdtempSync(join(tmpdir(), 'svc-lock-test-'));
  index = join(userDir, 'index');
  await createPackage(userDir, 'demo', true);
  root = join(userDir, 'demo');
  vi.stubEnv('PIP_NO_INDEX', '1');
  vi.stubEnv('PIP_FIND_LINKS', index);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(userDir, { recursive: true, force: true });
});

const offer = (name: string, version: string, change: Partial<TestLibrary> = {}): void =>
  void makeWheel(index, { name, version, files: { [`${name}.py`]: '' }, ...change });
const demand = (...names: string[]): void =>
  writeFileSync(
    join(root, 'pyproject.toml'),
    `[project]\nname = "demo"\ndependencies = ${JSON.stringify(names)}\n`,
  );
const lock = (wishes: Partial<LockWishes> = {}): Promise<Locked | null> =>
  lockPackage(
    { userDir, packageDir: root },
    { platforms: [], pythons: [], ...wishes },
    new AbortController().signal,
  );
const text = (): string => readFileSync(join(root, 'pylock.toml'), 'utf8');
const locked = (): string[] =>
  readLock(text()).libraries.map(
    ({ name, version, marker }) => `${name} ${version}${marker === null ? '' : ` ${marker}`}`,
  );
const wheels = (): string[] => readdirSync(join(root, 'wheels')).sort();

const both: Partial<LockWishes> = { platforms: ['linux-x64', 'win32-x64'], pythons: ['3.11'] };
const onWindows = '(sys_platform == "win32" and platform_machine == "AMD64" and python_version == "3.11")';

describe.skipIf(withoutPip())('svc pkg lock', () => {
  it('locks what each platform needs, keeps versions until they are to be raised, and fetches the same wheels again', async () => {
    offer('greeter', '1.0', {
      requires: ['polite>=1', 'winner; sys_platform == "win32"', 'loud; extra == "tests"'],
    });
    offer('polite', '1.0');
    offer('winner', '2.0', { tags: 'cp311-cp311-win_amd64' });
    demand('greeter');
    expect(await lock(both)).toMatchObject({
      ...{ libraries: 3, wheels: 3 },
      targets: ['linux-x64 with Python 3.11', 'win32-x64 with Python 3.11'],
    });
    expect(locked()).toEqual(['greeter 1.0', 'polite 1.0', `winner 2.0 ${onWindows}`]);

    offer('polite', '1.1');
    demand('greeter>=1');
    await lock();
    expect(locked()).toContain('polite 1.0');
    const before = text();
    rmSync(join(root, 'wheels'), { recursive: true });
    await lock({ wheels: true });
    expect([text(), wheels()]).toEqual([
      before,
      ['greeter-1.0-py3-none-any.whl', 'polite-1.0-py3-none-any.whl', 'winner-2.0-cp311-cp311-win_amd64.whl'],
    ]);
    await lock({ upgrade: true });
    expect(wheels()).toContain('polite-1.1-py3-none-any.whl');
    expect(wheels()).not.toContain('polite-1.0-py3-none-any.whl');

    offer('greeter', '2.0', { requires: ['polite<1'] });
    offer('polite', '0.9');
    demand('greeter>=2');
    await expect(lock()).rejects.toThrow(
      'without the versions of the present lock there is a way: add --upgrade',
    );

    demand();
    expect(await lock()).toBeNull();
    expect([existsSync(join(root, 'pylock.toml')), wheels()]).toEqual([false, []]);
  });

  it('changes nothing when a library has no wheel for a platform, or another file is in its place', async () => {
    offer('winner', '2.0', { tags: 'cp311-cp311-win_amd64' });
    demand('winner');
    await lock({ ...both, platforms: ['win32-x64'] });
    const before = text();
    await expect(lock(both)).rejects.toThrow(
      'pip failed for linux-x64 with Python 3.11: ERROR: Could not find a version that satisfies the requirement winner',
    );
    expect(text()).toBe(before);
    rmSync(join(root, 'wheels'), { recursive: true });
    offer('winner', '2.0', { tags: 'cp311-cp311-win_amd64', files: { 'winner.py': 'other = 1\n' } });
    await expect(lock({ wheels: true })).rejects.toThrow('THESE PACKAGES DO NOT MATCH THE HASHES');
    expect([text(), existsSync(join(root, 'wheels'))]).toEqual([before, false]);
  });
});

describe('svc pkg lock refuses in one sentence', () => {
  it.each<[string, () => void, Partial<LockWishes>, string]>([
    [
      'a package without dependencies',
      () => undefined,
      {},
      'has no dependencies, so there is nothing to lock',
    ],
    ['a package without lock, for its wheels', () => undefined, { wheels: true }, 'has no pylock.toml'],
    [
      'a package without pyproject.toml',
      () => rmSync(join(root, 'pyproject.toml')),
      {},
      'has no pyproject.toml: write one with [project]',
    ],
    ['a damaged lock', () => writeFileSync(join(root, 'pylock.toml'), 'x'), {}, 'is damaged: it is no TOML'],
  ])('%s', async (_, prepare, wishes, why) => {
    prepare();
    await expect(lock(wishes)).rejects.toThrow(why);
  });

  it.each([
    [['plan9-x64'], ['3.11'], '"plan9-x64" is no platform: name one of linux-x64,'],
    [['linux-x64'], ['3.8'], '"3.8" is no version of Python that runs code'],
    [['linux-x64'], ['3.11.2'], '"3.11.2" is no version of Python that runs code'],
  ])('%j with Python %j', (platforms, pythons, why) => {
    expect(() => targetsOf(platforms, pythons)).toThrow(why);
  });
});
