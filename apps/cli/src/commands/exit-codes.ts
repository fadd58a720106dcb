/** Exit codes of commands. 0 means success. */
export const exitCodes = {
  /** The watched work did not complete, the checked packages have errors, or the command failed on this computer. */
  failed: 1,
  /** Wrong use: an unknown word, a file that cannot be read, or a wrong setting. */
  usage: 2,
  /** The service refused the request. */
  refused: 3,
  /** The service did not answer. */
  unreachable: 4,
} as const;

/** A person typed something wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The service refused the request. The message gives the reason. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}
