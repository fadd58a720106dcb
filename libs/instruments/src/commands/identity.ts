import { NotBegun } from '@lab/sdk';
import { NoAnswer, type Exchange, type Request } from '../link/index.js';

export interface IdentitySpec {
  /** The command whose answer says which instrument it is. */
  ask: string;
  /** A regular expression that the answer has to match. */
  expect: string;
}

/**
 * Which instrument is at the other end. The first answer that matches is the identity; every later line must lead to the same
 * instrument. Nothing else has this answer, so that it also marks the place in a stream of answers where old ones end.
 *
 * An instrument answers in the order of its questions. So the answer to the question for the identity comes after all old answers.
 * A serial port keeps old bytes when it is opened again, and older questions for the identity may still be open. So after a question
 * without an answer, an identity counts only when nothing follows it within the time for an answer, because it may be the old one.
 * This fails only if an instrument pauses for longer than the time for an answer between two answers that it owes.
 */
export class Identity {
  #text: string | undefined;
  /** An answer may still come to a question for the identity that was given up. */
  #isOwed = false;

  constructor(
    private readonly spec: IdentitySpec,
    private readonly requestOf: (command: string) => Omit<Request<never>, 'read'>,
  ) {}

  /** Whether the frame is the answer to the question for the identity, and not to this command. */
  marks(text: string, command: string): boolean {
    return text === this.#text && command !== this.spec.ask;
  }

  /** Asks, and passes over answers to older questions. @throws Error when another instrument answers, or none */
  async check(exchange: Exchange): Promise<void> {
    const { ask, expect } = this.spec;
    const wanted = new RegExp(expect);
    let other: string | undefined;
    const request = this.requestOf(ask);
    try {
      this.#text = await exchange({
        ...request,
        quietMs: this.#isOwed ? request.timeoutMs : undefined,
        read: (frame: Buffer) => {
          const came = frame.toString('utf8').trim();
          if (wanted.test(came) && came === (this.#text ?? came)) return { answer: came };
          other = came;
          return 'other';
        },
      });
      this.#isOwed = false;
    } catch (error) {
      this.#isOwed ||= !(error instanceof NotBegun);
      if (!(error instanceof NoAnswer) || other === undefined) throw error;
      const before = this.#text === undefined ? `${expect} was expected` : `it was ${this.#text} before`;
      throw new Error(`another instrument answers ${ask} with ${JSON.stringify(other)}; ${before}`, {
        cause: error,
      });
    }
  }
}
