import { ExchangeError } from '../errors/index.js';

/** What a frame is to the request that waits for its answer. */
export type Reading<Answer> = { answer: Answer } | { refused: Error } | 'other';

/** What a link sends, and how it knows the answer. */
export interface Request<Answer> {
  /** The request for people, such as `MEAS:VOLT?`. */
  name: string;
  bytes: Buffer;
  /** Milliseconds from the time at which the first byte may have left until the answer. Also the time to wait for a lost line. */
  timeoutMs: number;
  /**
   * Reads the next frame. Absent: the instrument does not answer, and the request is over when the operating system has its bytes.
   *
   * @returns the answer; or `refused`, when the instrument answers that it did not do it: the exchange fails with this error, and the line
   *   is in order; or `other` for a frame that belongs to another request, which the link passes over
   * @throws Error that says why the frame is no answer to this request; the exchange fails with it
   */
  read?: ((frame: Buffer) => Reading<Answer>) | undefined;
  /**
   * For a question that was asked before and whose old answer may still come: the latest answer counts, when no frame has come for so
   * many milliseconds. Absent: the first answer counts at once.
   */
  quietMs?: number | undefined;
  /** Id of the device call, for a recording. */
  call?: string | undefined;
  /**
   * Goes before everything that waits, and does not wait until a lost answer is found again. For a stop, which has no answer: a
   * request with `read` cannot be urgent.
   */
  urgent?: boolean;
}

/** Makes an exchange. See {@link Link.exchange}. */
export type Exchange = <Answer>(request: Request<Answer>) => Promise<Answer>;

/** No answer came in time. */
export class NoAnswer extends ExchangeError {
  override readonly name = 'NoAnswer';
}
