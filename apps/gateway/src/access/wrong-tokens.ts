import { ServiceError } from '@lab/contracts';
import { networkOf, RateLimiter } from '../http/index.js';

/**
 * Bounds how many wrong tokens one network may send, whatever their routes. Beyond the bound, tokens that this gateway does
 * not know are refused before anybody looks for them. Tokens that it knows still count: the network may be a laboratory
 * behind one address, and a broken program or a thief in it must not lock out the others. A right token that this gateway has
 * not seen yet waits until the network may try again, which is some seconds.
 */
export class WrongTokens {
  readonly #limiter: RateLimiter;

  /** @param perMinute and as many at once after a pause */
  constructor(perMinute: number, now: () => number) {
    this.#limiter = new RateLimiter(perMinute / 60, perMinute, now);
  }

  /** @throws ServiceError `too_many_requests` when the network has sent too many wrong tokens */
  admit(address: string): void {
    const waitS = this.#limiter.wait(networkOf(address));
    if (waitS === 0) return;
    throw new ServiceError(
      'too_many_requests',
      'Too many wrong tokens came from your address. Tokens that were accepted here before still work. Others can be tried again later.',
      { retryAfterS: waitS },
    );
  }

  note(address: string): void {
    this.#limiter.take(networkOf(address));
  }
}
