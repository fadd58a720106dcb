import { createHash } from 'node:crypto';
import { ServiceError } from '@lab/contracts';
import type { Limits } from './limits.js';
import { RateLimiter } from './rate-limiter.js';

export interface Asking {
  method: string;
  /** Address that the connection comes from. */
  address: string;
  /** The header of that name. */
  authorization: string | undefined;
  /** Pattern of the route; undefined when there is none. */
  route: string | undefined;
}

/** Nothing that anybody asks too much may keep people from stopping a machine. */
const neverRefused = 'POST /api/estop';

/** Answers that go on for as long as the client listens: they have limits of their own. */
const endless = /\/(events|logs\/stream)$/;

/**
 * How much one client, and all of them together, may ask. A client is a token, or an address without one. The token is
 * not looked up for it: who invents tokens is held by the limit of the address, which all its tokens share.
 */
export class Traffic {
  readonly #changes: RateLimiter;
  readonly #reads: RateLimiter;
  readonly #addresses: RateLimiter;
  /** Requests under way, by client. */
  readonly #underWay = new Map<string, number>();
  #allUnderWay = 0;

  /** @param now milliseconds that never go back */
  constructor(
    private readonly limits: Limits,
    now: () => number,
  ) {
    const limiter = (perSecond: number): RateLimiter => new RateLimiter(perSecond, perSecond * 2, now);
    this.#changes = limiter(limits.changesPerSecond);
    this.#reads = limiter(limits.readsPerSecond);
    this.#addresses = limiter(limits.requestsPerSecond);
  }

  /**
   * Lets a request in.
   *
   * @returns to be called once when it has been answered or has gone
   * @throws ServiceError `too_many_requests`; `service_unavailable` when it is not this client who asks too much
   */
  enter({ method, address, authorization, route }: Asking): () => void {
    if (route !== undefined && `${method} ${route}` === neverRefused) return () => undefined;
    const client = authorization === undefined ? address : tokenKey(authorization);
    const reads = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    const waitS = Math.max(this.#addresses.take(address), (reads ? this.#reads : this.#changes).take(client));
    if (waitS > 0) {
      throw new ServiceError('too_many_requests', 'These are more requests than one client may make.', {
        retryAfterS: waitS,
      });
    }
    return route !== undefined && endless.test(route) ? () => undefined : this.#begin(client);
  }

  #begin(client: string): () => void {
    const ofClient = this.#underWay.get(client) ?? 0;
    if (ofClient >= this.limits.underWayPerClient) {
      throw new ServiceError(
        'too_many_requests',
        `${ofClient} requests of this client are under way, as many as may be at once.`,
      );
    }
    if (this.#allUnderWay >= this.limits.underWay) {
      throw new ServiceError('service_unavailable', 'More requests are under way than can be at once.');
    }
    this.#underWay.set(client, ofClient + 1);
    this.#allUnderWay += 1;
    return () => {
      this.#allUnderWay -= 1;
      const left = (this.#underWay.get(client) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(client);
      else this.#underWay.set(client, left);
    };
  }
}

/** Tells tokens apart without keeping any. */
function tokenKey(authorization: string): string {
  return createHash('sha256').update(authorization).digest('base64url');
}
