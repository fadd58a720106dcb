import { spawnSync } from 'node:child_process';
import { processEnvironment } from '@lab/runtime';

/** With the value 1, the tests of code in Python are left out; with 0 they run, and fail on a computer without Python. */
export const withoutPythonVariable = 'SVC_TEST_WITHOUT_PYTHON';

let isAbsent: boolean | undefined;

/** Whether the tests of code in Python are left out: without another wish, where there is no Python 3.9 or later. */
export function withoutPython(): boolean {
  const wish = processEnvironment()[withoutPythonVariable];
  if (wish === '1' || wish === '0') return wish === '1';
  if (isAbsent === undefined) {
    const program = 'import sys; sys.exit(sys.version_info < (3, 9))';
    isAbsent = !['python3', 'python'].some((each) => spawnSync(each, ['-I', '-c', program]).status === 0);
    if (isAbsent)
      process.stderr.write('There is no Python 3.9 or later, so the tests of code in Python DO NOT RUN.\n');
  }
  return isAbsent;
}
let hasNoPip: boolean | undefined;

/** Whether the tests that install libraries for Python are left out: with the others, or where Python has no pip 22.3 or later. */
export function withoutPip(): boolean {
  if (withoutPython()) return true;
  if (processEnvironment()[withoutPythonVariable] === '0') return false;
  if (hasNoPip === undefined) {
    const program = 'import pip, sys; sys.exit(tuple(map(int, pip.__version__.split(".")[:2])) < (22, 3))';
    hasNoPip = !['python3', 'python'].some((each) => spawnSync(each, ['-I', '-c', program]).status === 0);
    if (hasNoPip)
      process.stderr.write(
        'There is no pip 22.3 or later, so the tests that install libraries for Python DO NOT RUN.\n',
      );
  }
  return hasNoPip;
}

export { makeWheel, type TestLibrary, type TestWheel } from './python-wheel.js';
