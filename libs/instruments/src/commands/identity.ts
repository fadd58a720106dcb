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
 * An instrument answers in the order of its questions. So the answer to the last question for the identity comes after all old
 * answers. If earlier such questions are still open, for example because a serial port was opened again, their answers come first and
 * are counted.
 */
export class Identity {
  #text: string | undefined;
  /** Questions without an answer so far. */
  #owed = 0;

  constructor(
    private readonly spec: IdentitySpec,
    private readonly requestOf: (command: string) => Omit<Request<never>, 'read'>,
  ) {}

  /** The answer; undefined: not known yet. */
  get text(): string | undefined {
    return this.#text;
  }

  /** A new line begins that carries no bytes of the one before. */
  forgetOwed(): void {
    this.#owed = 0;
  }

  /** Whether the frame answers an earlier question for the identity, and not this command. */
  marks(text: string, command: string): boolean {
    if (text !== this.#text || command === this.spec.ask) return false;
    this.#owed = Math.max(0, this.#owed - 1);
    return true;
  }

  /**
   * Asks, and passes over answers to older questions. If fewer answers come than questions are open, the missing ones are taken to be
   * lost after a silence as long as the time for an answer.
   *
   * @throws Error when another instrument answers, or none
   */
  async check(exchange: Exchange): Promise<void> {
    const { ask, expect } = this.spec;
    const wanted = new RegExp(expect);
    let last: string | undefined;
    let found: string | undefined;
    this.#owed += 1;
    try {
      await exchange({
        ...this.requestOf(ask),
        read: (frame: Buffer) => {
          const came = frame.toString('utf8').trim();
          if (!wanted.test(came) || came !== (this.#text ?? came)) {
            last = came;
            return 'other';
          }
          found = came;
          this.#owed -= 1;
          return this.#owed <= 0 ? { answer: undefined } : 'other';
        },
      });
    } catch (error) {
      if (error instanceof NotBegun) this.#owed -= 1;
      if (!(error instanceof NoAnswer) || (found ?? last) === undefined) throw error;
      if (found === undefined) {
        const before = this.#text === undefined ? `${expect} was expected` : `it was ${this.#text} before`;
        throw new Error(`another instrument answers ${ask} with ${JSON.stringify(last)}; ${before}`, {
          cause: error,
        });
      }
    }
    this.#owed = 0;
    this.#text = found;
  }
}
