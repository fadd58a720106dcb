import { describe, expect, it } from 'vitest';
import { fits, wheelOf, type PythonKind } from '../../src/environments/index.js';

const kind = (change: Partial<PythonKind> = {}): PythonKind => ({
  ...{ version: '3.11.7', abi: 'cp311', platform: 'linux-x86_64' },
  ...{ libc: { name: 'glibc', version: '2.31' }, macos: null, markers: { platform_machine: 'x86_64' } },
  ...change,
});
const linux = kind();
const alpine = kind({ libc: { name: 'musl', version: '1.2' } });
const windows = kind({ platform: 'win-amd64', libc: null });
const mac = kind({
  ...{ platform: 'macosx-11.0-arm64', libc: null, macos: '14.5' },
  markers: { platform_machine: 'arm64' },
});
const free = kind({ version: '3.13.1', abi: 'cp313t' });

describe('a wheel', () => {
  it.each<[string, string, PythonKind, boolean]>([
    ['py3-none-any', 'each Python', linux, true],
    ['py2.py3-none-any', 'each Python', windows, true],
    ['py2-none-any', 'Python 2', linux, false],
    ['py312-none-any', 'a later Python', linux, false],
    ['cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64', 'an earlier glibc', linux, true],
    ['cp311-cp311-manylinux_2_34_x86_64', 'a later glibc', linux, false],
    ['cp311-cp311-manylinux2014_aarch64', 'another processor', linux, false],
    ['cp311-cp311-manylinux1_x86_64', 'an old tag', linux, true],
    ['cp310-cp310-manylinux2014_x86_64', 'an earlier Python', linux, false],
    ['cp39-abi3-manylinux2014_x86_64', 'the stable interface', linux, true],
    ['cp312-abi3-manylinux2014_x86_64', 'a later stable interface', linux, false],
    ['cp311-cp311-linux_x86_64', 'this Linux', linux, true],
    ['cp311-cp311-musllinux_1_1_x86_64', 'musl', linux, false],
    ['cp311-cp311-musllinux_1_1_x86_64', 'musl', alpine, true],
    ['cp311-cp311-manylinux2014_x86_64', 'glibc', alpine, false],
    ['cp311-cp311-win_amd64', 'Windows', windows, true],
    ['cp311-cp311-win32', 'a Windows of 32 bits', windows, false],
    ['cp311-cp311-macosx_11_0_arm64', 'an earlier macOS', mac, true],
    ['cp311-cp311-macosx_15_0_arm64', 'a later macOS', mac, false],
    ['cp311-cp311-macosx_10_9_universal2', 'both processors', mac, true],
    ['cp311-cp311-macosx_10_9_x86_64', 'the other processor', mac, false],
    ['cp313-cp313t-manylinux2014_x86_64', 'a Python without the global lock', free, true],
    ['cp313-cp313-manylinux2014_x86_64', 'a Python with the global lock', free, false],
    ['cp39-abi3-manylinux2014_x86_64', 'the stable interface', free, false],
  ])('%s, for %s', (tags, _, python, is) => {
    const parts = wheelOf(`some_lib-1.0-${tags}.whl`);
    expect(parts && fits(parts, python)).toBe(is);
  });

  it('is named by its library, with or without a build number', () => {
    expect(wheelOf('Ruamel.YAML_x-0.18.6+local-1abc-cp311-cp311-win_amd64.whl')).toMatchObject({
      ...{ distribution: 'ruamel-yaml-x', version: '0.18.6+local', platforms: ['win_amd64'] },
    });
  });

  it.each([
    '../a-1-py3-none-any.whl',
    'a/b-1-py3-none-any.whl',
    'a\\b-1-py3-none-any.whl',
    '.a-1-py3-none-any.whl',
    'a-1-py3-none-any.tar.gz',
    'a-1-py3-any.whl',
    '-r-1-py3-none-any.whl',
    'a b-1-py3-none-any.whl',
    `${'a'.repeat(200)}-1-py3-none-any.whl`,
  ])('cannot be called %j', (name) => {
    expect(wheelOf(name)).toBeUndefined();
  });
});
