import { ServiceError } from '@lab/contracts';
import type { Store } from '@lab/engine';
import type { Clock } from '@lab/ports';
import { leaderTimings } from './timings.js';

/**
 * One leadership. It is held for a limited time after each confirmation by the database. The clock goes on while the
 * process is suspended, so a process that resumes finds that its lease is over before it acts.
 */
export class Lease {
  #confirmedAt: number;
  #lost = false;
  #onLost: () => void = () => undefined;

  /** @param askedAt when this process asked for the lease, by the monotonic `clock`, in milliseconds */
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

  /** Remaining time without another confirmation, in milliseconds; 0 when the lease is not held. */
  get remainingMs(): number {
    return this.#lost ? 0 : Math.max(0, this.#confirmedAt + leaderTimings.actsForMs - this.clock.now());
  }

  /** The database has confirmed the lease. @param askedAt when it was asked, by the clock of this lease */
  confirm(askedAt: number): void {
    this.#confirmedAt = askedAt;
  }

  /** Ends the lease for good: another process leads, or this one steps aside. */
  lose(): void {
    this.#lost = true;
    this.#onLost();
  }

  /** Calls back when the lease is lost; at once if it already is. */
  onLost(callback: () => void): void {
    this.#onLost = callback;
    if (this.#lost) callback();
  }

  /** @throws ServiceError `service_unavailable` (effect none) when the lease is not held now; the next leader can be asked */
  demand(): void {
    if (!this.held)
      throw new ServiceError('service_unavailable', 'this orchestrator does not know whether it leads');
  }
}

/** The store of one leadership. It commits only while the lease is held; reading is always allowed. */
export function storeUnder(lease: Lease, store: Store): Store {
  return {
    lead: (instance, ms) => store.lead(instance, ms),
    renew: (epoch, ms) => store.renew(epoch, ms),
    resign: (epoch) => store.resign(epoch),
    load: () => store.load(),
    durations: (most) => store.durations(most),
    usage: () => store.usage(),
    takenNames: (kind, names) => store.takenNames(kind, names),
    ended: (kind, name) => store.ended(kind, name),
    named: (kind, name) => store.named(kind, name),
    endedBefore: (kind, page) => store.endedBefore(kind, page),
    deletableBefore: (kind, what, page) => store.deletableBefore(kind, what, page),
    close: () => store.close(),
    async commit(epoch, changes) {
      lease.demand();
      await store.commit(epoch, changes);
    },
  };
}
