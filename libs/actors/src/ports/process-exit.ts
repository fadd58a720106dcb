import type { ProcessExit } from '../ports.js';

/** One line about how a process ended, for people: `exit code 1: <last line of stderr>`. */
export function describeExit(exit: ProcessExit): string {
  const how =
    exit.signal !== null
      ? `signal ${exit.signal}`
      : exit.code !== null
        ? `exit code ${exit.code}`
        : 'it could not be started';
  return exit.lastStderr === null || exit.lastStderr === '' ? how : `${how}: ${exit.lastStderr}`;
}
