import type { ErrorCode } from '@lab/contracts';
import type { Problem } from './generated.js';

/** The service refused a request and gave the reason in a problem document (RFC 9457). */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';

  constructor(readonly problem: Problem) {
    const faults = (problem.errors ?? []).map(({ path, message, hint }) => {
      const instead = hint === undefined ? '' : `\n    hint: ${hint}`;
      return `\n  ${path}: ${message}${instead}`;
    });
    super(`${problem.title}: ${problem.detail}${faults.join('')}`);
  }

  get code(): ErrorCode {
    return this.problem.code;
  }

  get status(): number {
    return this.problem.status;
  }
}

/** No complete answer of the service arrived. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';

  /**
   * @param reason `refused`: no server listens there, and nothing was sent. `untrusted`: the certificate of the server
   *   proves nothing to this computer, and nothing was sent. `lost`: the connection ended. `timeout`: no answer came in
   *   time. After both the request may have arrived. `foreign`: another server than the service answered.
   */
  constructor(
    readonly reason: 'refused' | 'untrusted' | 'lost' | 'timeout' | 'foreign',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
