import type { ErrorCode } from '@lab/contracts';
import type { Problem } from './generated.js';

/** The service refused a request, and says why in a problem document (RFC 9457). */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';

  constructor(readonly problem: Problem) {
    const faults = problem.errors?.map((fault) => `\n  ${fault.path}: ${fault.message}`).join('') ?? '';
    super(`${problem.title}: ${problem.detail}${faults}`);
  }

  get code(): ErrorCode {
    return this.problem.code;
  }

  get status(): number {
    return this.problem.status;
  }
}

/** No answer of the service came, or not a whole one. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';

  /**
   * @param reason `refused`: nothing listens there, and nothing was sent; `lost`: the connection ended, and `timeout`: no
   *   answer in time, both after the request may have arrived; `foreign`: what answers is not the service
   */
  constructor(
    readonly reason: 'refused' | 'lost' | 'timeout' | 'foreign',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
