import { Inject, Injectable } from '@nestjs/common';
import { ServiceError } from '@lab/contracts';

/** Settings of feeds; a class, because Nest injects by it. */
export class FeedOptions {
  /** Maximum number of open streams of all feeds together. */
  clients = 200;
  /** Maximum number of open streams of one person, or of one address without authentication. */
  perPerson = 20;
  /** Interval of heartbeats, in milliseconds. */
  heartbeatMs = 15_000;
  /** Longest duration of a stream. Then the client reconnects and is authenticated again. */
  lifeMs = 3_600_000;
}

/**
 * The configured limits of streams.
 *
 * @param local true: only people at this machine reach the server, without a token. Then a share holds only if it is configured
 */
export function feedsFrom(
  limits: { event_clients: number; event_clients_per_person?: number | undefined },
  local: boolean,
): Pick<FeedOptions, 'clients' | 'perPerson'> {
  const usual = local ? Infinity : Math.max(1, Math.floor(limits.event_clients / 10));
  return { clients: limits.event_clients, perPerson: limits.event_clients_per_person ?? usual };
}

/** Who asks for a stream. */
export interface StreamGuest {
  /** Names the person, or the address. */
  key: string;
  /** True for operators and higher roles, of any lab. */
  operates: boolean;
}

/** A guest whose token or session may end while the stream lasts. */
export interface AdmittedGuest extends StreamGuest {
  /** Whether the guest may still read. Asked with every heartbeat. */
  isAdmitted: () => Promise<boolean>;
}

/** Part of all places that only operators get. */
const reservedPart = 0.2;
/** Pause after which a refused client may ask again, in seconds. */
const retryAfterS = 10;

/**
 * Counts the open streams of all feeds together. Nobody has more than their share, and viewers together leave the last fifth
 * of the places to operators: those must see what their devices do, however many screens show the laboratory.
 */
@Injectable()
export class StreamPlaces {
  readonly #most: number;
  readonly #mostPerPerson: number;
  readonly #reserved: number;
  readonly #taken = new Map<string, number>();
  #allTaken = 0;

  constructor(@Inject(FeedOptions) { clients, perPerson }: FeedOptions) {
    this.#most = clients;
    this.#mostPerPerson = perPerson;
    this.#reserved = Math.floor(clients * reservedPart);
  }

  /**
   * @returns a function to call once when the stream has ended
   * @throws ServiceError `too_many_requests` when the guest has its share, `service_unavailable` when no place is free
   */
  take({ key, operates }: StreamGuest): () => void {
    const own = this.#taken.get(key) ?? 0;
    if (own >= this.#mostPerPerson)
      throw new ServiceError(
        'too_many_requests',
        `You have ${own} streams open, as many as one person may have: close one of them.`,
        { retryAfterS },
      );
    const most = operates ? this.#most : this.#most - this.#reserved;
    if (this.#allTaken >= most)
      throw new ServiceError(
        'service_unavailable',
        operates
          ? `There are ${this.#most} streams open here, and no more are served.`
          : `There are ${this.#allTaken} streams open here, and the other ${this.#most - this.#allTaken} are for operators.`,
        { retryAfterS },
      );
    this.#taken.set(key, own + 1);
    this.#allTaken += 1;
    return () => this.#leave(key);
  }

  #leave(key: string): void {
    this.#allTaken -= 1;
    const left = (this.#taken.get(key) ?? 1) - 1;
    if (left === 0) this.#taken.delete(key);
    else this.#taken.set(key, left);
  }
}
