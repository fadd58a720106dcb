/** What the exit code of a command means; 0 is done. */
export const exitCodes = {
  /** The work that was watched did not complete, what was checked has errors, or the command failed here. */
  failed: 1,
  /** The command was not understood: an unknown word, a file that cannot be read, a setting that is wrong. */
  usage: 2,
  /** The service refused. */
  refused: 3,
  /** No answer of the service. */
  unreachable: 4,
} as const;

/** Of what a person typed, something is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The service refused, and the message says why. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}
