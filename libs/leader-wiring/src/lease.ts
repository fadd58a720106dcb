import { ServiceError } from '@lab/contracts';
import type { Store } from '@lab/engine';
import type { Clock } from '@lab/ports';
import { leaderTimings } from './timings.js';

/**
 * One leadership. It is held while the database has confirmed it lately, by a clock that goes on while the process is
 * stopped: who wakes up from a stop holds nothing, and finds that out before it acts.
 */
export class Lease {
  #confirmedAt: number;
  #lost = false;
  #onLost: () => void = () => undefined;

  /**
   * @param askedAt when it was asked for, by `clock`
   * @param clock milliseconds that pass evenly, whatever is done to the clock of the wall
   */
  constructor(
    readonly epoch: number,
    askedAt: number,
    private readonly clock: Clock,
  ) {
    this.#confirmedAt = askedAt;
  }

  get held(): boolean {
    return this.remainingMs > 0;
  }

  /** How long it is held without another confirmation, in milliseconds; 0 once it is not. */
  get remainingMs(): number {
    return this.#lost ? 0 : Math.max(0, this.#confirmedAt + leaderTimings.actsForMs - this.clock.now());
  }

  /** The database has confirmed it. @param askedAt when it was asked, by the clock of this lease */
  confirm(askedAt: number): void {
    this.#confirmedAt = askedAt;
  }

  /** Somebody else leads, or this process steps aside: it is never held again. */
  lose(): void {
    this.#lost = true;
    this.#onLost();
  }

  /** Calls back when it is lost, at once if it is. */
  onLost(callback: () => void): void {
    this.#onLost = callback;
    if (this.#lost) callback();
  }

  /** @throws ServiceError `service_unavailable`, effect none, when it is not held at this moment: ask whoever leads next */
  demand(): void {
    if (!this.held)
      throw new ServiceError('service_unavailable', 'this orchestrator does not know whether it leads');
  }
}

/** The store of one leadership: decides nothing while that is not held. Reading is always allowed. */
export function storeUnder(lease: Lease, store: Store): Store {
  return {
    lead: (instance, ms) => store.lead(instance, ms),
    renew: (epoch, ms) => store.renew(epoch, ms),
    resign: (epoch) => store.resign(epoch),
    load: () => store.load(),
    durations: (most) => store.durations(most),
    takenNames: (kind, names) => store.takenNames(kind, names),
    ended: (kind, name) => store.ended(kind, name),
    named: (kind, name) => store.named(kind, name),
    endedBefore: (kind, page) => store.endedBefore(kind, page),
    close: () => store.close(),
    async commit(epoch, changes) {
      lease.demand();
      await store.commit(epoch, changes);
    },
  };
}
