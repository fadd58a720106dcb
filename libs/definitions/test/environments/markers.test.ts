import { describe, expect, it } from 'vitest';
import { markerHolds, satisfies } from '../../src/environments/index.js';

const values = {
  os_name: 'posix',
  sys_platform: 'linux',
  platform_machine: 'x86_64',
  python_version: '3.11',
  python_full_version: '3.11.7',
  implementation_name: 'cpython',
};

describe('a marker', () => {
  it.each([
    ['sys_platform == "linux"', true],
    ["sys_platform != 'linux'", false],
    ['sys_platform == "win32" or python_version < "3.12"', true],
    ['sys_platform == "win32" or python_version < "3.9" and os_name == "posix"', false],
    ['(sys_platform == "win32" or os_name == "posix") and python_version >= "3.9"', true],
    ['python_version < "3.2"', false],
    ['python_version == "3.11.*"', true],
    ['python_full_version >= "3.11.8"', false],
    ['python_version ~= "3.9"', true],
    ['python_version in "3.9 3.11"', true],
    ['platform_machine not in "arm64 aarch64"', true],
    ['"x86" in platform_machine', true],
    ['extra == "tests"', false],
    ['implementation_name=="cpython"', true],
  ])('%s holds: %s', (marker, holds) => {
    expect(markerHolds(marker, values)).toBe(holds);
  });

  it.each([
    ['sys_platform', 'it ends too early'],
    ['sys_platform == "a" b', '"b" is too much'],
    ['(sys_platform == "a"', 'a bracket is not closed'],
    ['system == "a"', '"system" is no variable'],
    ['sys_platform is "a"', '"is" is no operator'],
    ['sys_platform == "a" & x', 'it has " & x"'],
    ['constructor == "a"', '"constructor" is no variable'],
  ])('%s is refused: %s', (marker, why) => {
    expect(() => markerHolds(marker, values)).toThrow(why);
  });
});

it.each([
  ['3.11.7', '>=3.9', true],
  ['3.11.7', '>=3.9,<3.11', false],
  ['3.11.7', '== 3.11.*', true],
  ['3.11.7', '!=3.11.*', false],
  ['3.10', '>3.9', true],
  ['3.9', '', true],
])('Python %s satisfies "%s": %s', (version, wanted, is) => {
  expect(satisfies(version, wanted)).toBe(is);
});
