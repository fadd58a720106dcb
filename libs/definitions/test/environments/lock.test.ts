import { describe, expect, it } from 'vitest';
import {
  differenceFrom,
  lockText,
  neededBy,
  readLock,
  readProject,
  type PythonKind,
  type PythonLock,
} from '../../src/environments/index.js';

const wheel = (name: string) => ({ name, sha256: 'a'.repeat(64), size: 10 });
const lock: PythonLock = {
  environments: ['python_version == "3.11"'],
  requiresPython: '>=3.9',
  libraries: [
    {
      name: 'numpy',
      version: '2.0',
      marker: null,
      wheels: [
        wheel('numpy-2.0-cp311-cp311-win_amd64.whl'),
        wheel('numpy-2.0-cp311-cp311-manylinux2014_x86_64.whl'),
      ],
    },
    {
      name: 'tomli',
      version: '2.2',
      marker: 'python_version < "3.11"',
      wheels: [wheel('tomli-2.2-py3-none-any.whl')],
    },
  ],
  made: { requirements: ['numpy>=2'], targets: ['linux-x64 with Python 3.11'] },
};
const kind: PythonKind = {
  ...{ version: '3.11.7', abi: 'cp311', platform: 'linux-x86_64' },
  ...{ libc: { name: 'glibc', version: '2.31' }, macos: null },
  markers: { python_version: '3.11', sys_platform: 'linux' },
};

describe('a lock', () => {
  it('is written as it is read', () => {
    expect(readLock(lockText(lock))).toEqual(lock);
  });

  it('of another tool is read, with names of wheels from addresses', () => {
    const text = `lock-version = "1.0"
created-by = "another"
[[packages]]
name = "Ruamel.Yaml"
version = "1.0"
sdist = { url = "https://example.org/r.tar.gz", hashes = { sha256 = "00" } }
wheels = [{ url = "https://example.org/files/ruamel_yaml-1.0-py3-none-any.whl?x#y", hashes = { sha256 = "${'B'.repeat(64)}" } }]
`;
    expect(readLock(text)).toEqual({
      ...{ environments: [], requiresPython: null, made: null },
      libraries: [
        {
          ...{ name: 'ruamel-yaml', version: '1.0', marker: null },
          wheels: [{ name: 'ruamel_yaml-1.0-py3-none-any.whl', sha256: 'b'.repeat(64), size: null }],
        },
      ],
    });
  });

  it('names for a Python the libraries that it needs, with the wheels that fit', () => {
    expect(neededBy(lock, kind)).toEqual([
      { name: 'numpy', version: '2.0', wheels: [wheel('numpy-2.0-cp311-cp311-manylinux2014_x86_64.whl')] },
    ]);
  });

  it.each<[string, Partial<PythonKind>, string]>([
    ['another version', { markers: { python_version: '3.12' } }, 'is for linux-x64 with Python 3.11 alone'],
    ['an old version', { version: '3.8.1' }, 'needs Python >=3.9, and there is Python 3.8.1'],
    [
      'another platform',
      { platform: 'linux-aarch64' },
      'has no wheel of numpy 2.0 that fits: numpy-2.0-cp311',
    ],
  ])('is refused for %s', (_, change, why) => {
    expect(() => neededBy(lock, { ...kind, ...change })).toThrow(why);
  });

  const text = lockText(lock);
  it.each([
    ['no TOML', 'it is no TOML'],
    [text.replace('lock-version = "1.0"', 'lock-version = "2.0"'), 'lock-version'],
    [text.replaceAll('numpy-2.0-cp311-cp311-win', '../numpy-2.0-cp311-cp311-win'), 'is no name of a wheel'],
    [text.replaceAll('numpy-2.0-cp311-cp311-win', 'other-2.0-cp311-cp311-win'), 'is no wheel of numpy 2.0'],
    [text.replace(`"${'a'.repeat(64)}"`, '"aa"'), 'has no SHA-256'],
    [text.replace('size = 10', 'size = 9000000000'), 'a wheel may have'],
    [
      text
        .replaceAll('tomli-2.2', 'numpy-2.0')
        .replace('"tomli"', '"numpy"')
        .replaceAll('py3-none-any', 'cp311-cp311-win_amd64'),
      'twice',
    ],
    ['lock-version = "1.0"\n[[packages]]\nname = "numpy"\nversion = "2.0"\n', 'numpy has no wheel'],
  ])('that is damaged is refused (%#)', (damaged, why) => {
    expect(() => readLock(damaged)).toThrow(why);
  });
});

describe('a pyproject.toml', () => {
  const project = (dependencies: string[], python = '>=3.9') =>
    readProject(`[project]\nrequires-python = "${python}"\ndependencies = ${JSON.stringify(dependencies)}\n`);

  it.each([
    [['numpy>=2'], '>=3.9', undefined],
    [[' numpy>=2'], '>=3.9', undefined],
    [
      ['numpy>=2.1', 'scipy'],
      '>=3.9',
      'added since the lock: numpy>=2.1, scipy; removed since the lock: numpy>=2',
    ],
    [['numpy>=2'], '>=3.10', 'locked for Python >=3.9, and it demands >=3.10'],
  ])('with %j for Python %s differs from its lock: %s', (dependencies, python, difference) => {
    expect(differenceFrom(lock, project(dependencies, python))).toBe(difference);
  });

  it('differs from the lock of another tool when that lacks a library', () => {
    const other = { ...lock, made: null };
    expect(differenceFrom(other, project(['NumPy[extra]>1 ; os_name == "nt"', 'tomli']))).toBeUndefined();
    expect(differenceFrom(other, project(['numpy', 'sci-py<2']))).toBe('the lock does not have sci-py<2');
  });

  it.each([
    ['[project', 'it is no TOML'],
    ['[project]\ndependencies = "numpy"\n', 'project.dependencies'],
  ])('that is damaged is refused (%#)', (text, why) => {
    expect(() => readProject(text)).toThrow(why);
  });
});
