import { createHash } from 'node:crypto';
import { ServiceError } from '@lab/contracts';
import type { Limits } from './limits.js';
import { networkOf } from './client-network.js';
import { RateLimiter } from './rate-limiter.js';

export interface Asking {
  method: string;
  /** Address of the client; undefined when it has left. */
  address: string | undefined;
  /** The header `Authorization`. */
  authorization: string | undefined;
  /** Pattern of the route; undefined when there is none. */
  route: string | undefined;
}

/** The route without limits: no load may keep people from stopping a machine. */
export function isNeverRefused(method: string, route: string | undefined): boolean {
  return route === '/api/estop' && method === 'POST';
}

/** Streams, which have limits of their own. */
const endless = /\/(events|logs\/stream)$/;

/**
 * Limits the requests of one client and of all clients together. A client is a token, or an address without a token. The
 * token is not verified here: a client that invents tokens is bound by the limit of its network, which all tokens share.
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
   * Admits a request.
   *
   * @returns a function to call once when the request is answered or the client has left
   * @throws ServiceError `too_many_requests`; `service_unavailable` when all clients together ask too much
   */
  enter({ method, address, authorization, route }: Asking): () => void {
    if (isNeverRefused(method, route)) return () => undefined;
    const network = networkOf(address);
    const client = authorization === undefined ? network : tokenKey(authorization);
    const reads = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    const waitS = Math.max(this.#addresses.take(network), (reads ? this.#reads : this.#changes).take(client));
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

/** A hash that distinguishes tokens, so that none is kept. */
function tokenKey(authorization: string): string {
  return createHash('sha256').update(authorization).digest('base64url');
}
