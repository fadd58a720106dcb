import { processEnvironment } from '@lab/runtime';

/** On a computer without Python, this variable with the value 1 leaves the tests of code in Python out. */
export const withoutPythonVariable = 'SVC_TEST_WITHOUT_PYTHON';

/** Whether the tests of code in Python are left out. Otherwise they fail on a computer without Python, and say what is missing. */
export const withoutPython = (): boolean => processEnvironment()[withoutPythonVariable] === '1';
