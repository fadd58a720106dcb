import { isServiceError, toServiceError } from '@lab/contracts';
import type { Store } from '@lab/engine';
import type { Clock, Log, Timers } from '@lab/ports';
import { Lease } from './lease.js';
import { leaderTimings } from './timings.js';

const { failedMs, leaseMs, lookMs, renewMs } = leaderTimings;

/** The work of one leadership. */
export interface Term {
  /** Takes no more requests and stops deciding. It ends within a bounded time and never rejects. */
  end(reason: string): Promise<void>;
}

export interface LeadershipPorts {
  store: Pick<Store, 'lead' | 'renew' | 'resign'>;
  /** A monotonic clock, in milliseconds. */
  clock: Clock;
  timers: Timers;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
}

type Ending = 'stopped' | 'deposed' | 'unconfirmed';

const words: Record<Ending, string> = {
  stopped: 'the orchestrator is stopping',
  deposed: 'another orchestrator leads',
  unconfirmed: 'the database has not confirmed the leadership',
};

/**
 * Leads while the database allows it, and stands by otherwise. Each leadership has its own epoch and {@link Term}. A lost
 * leadership never resumes: the next one begins with what is stored.
 */
export class Leadership {
  readonly #settled: Promise<void>;
  #tellSettled: () => void = () => undefined;
  #state: 'starting' | 'standby' | 'taking over' | 'leading' = 'starting';
  #refused = false;
  #heard: { instance: string; at: number } | undefined;
  #stopping = false;
  #wake: () => void = () => undefined;
  #running: Promise<void> | undefined;

  /**
   * @param instance unique name of this process; the database renews a lease for the same name even before the lease has ended
   * @param begin takes over; after a ServiceError the takeover is tried again, after any other error it is not
   */
  constructor(
    private readonly ports: LeadershipPorts,
    private readonly instance: string,
    private readonly begin: (lease: Lease) => Promise<Term>,
  ) {
    this.#settled = new Promise((resolve) => (this.#tellSettled = resolve));
  }

  get leading(): boolean {
    return this.#state === 'leading';
  }

  /** Name of another process that announced its leadership within the duration of a lease. */
  get leader(): string | undefined {
    const { clock } = this.ports;
    return this.#heard !== undefined && clock.now() - this.#heard.at < leaseMs
      ? this.#heard.instance
      : undefined;
  }

  /** Resolves when this process leads, or stands by for another leader. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /** A process announces that it leads. */
  hear(instance: string): void {
    if (instance === this.instance) return;
    this.#heard = { instance, at: this.ports.clock.now() };
    this.#standBy();
  }

  /**
   * Leads and stands by in turn until {@link stop}.
   *
   * @throws the Error of a takeover that cannot succeed, after it gave the leadership back
   */
  run(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Ends the term, if there is one, and lets the next orchestrator lead at once. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake();
    await this.#running?.catch((_error: unknown) => undefined /* told to whoever runs it */);
  }

  async #run(): Promise<void> {
    for (;;) {
      const lease = await this.#acquire();
      if (lease === undefined) return;
      await this.#lead(lease);
    }
  }

  async #acquire(): Promise<Lease | undefined> {
    const { store, clock, log } = this.ports;
    let unreachable = false;
    while (!this.#stopping) {
      const askedAt = clock.now();
      try {
        const epoch = await store.lead(this.instance, leaseMs);
        if (epoch !== null) return new Lease(epoch, askedAt, clock);
        unreachable = false;
        this.#refused = true;
        this.#standBy();
      } catch (error) {
        if (!unreachable)
          log.error('cannot ask whether this orchestrator may lead', {
            message: toServiceError(error).message,
          });
        unreachable = true;
      }
      await this.#sleep(lookMs);
    }
    return undefined;
  }

  /** One leadership from its beginning to its end. */
  async #lead(lease: Lease): Promise<void> {
    const { store, log } = this.ports;
    this.#state = 'taking over';
    const kept = this.#keep(lease);
    let failure: unknown;
    try {
      const term = await this.begin(lease);
      this.#state = 'leading';
      this.#tellSettled();
      const ending = await kept;
      // A leader that stops may still finish its turn; one that lost its leadership may not.
      if (ending !== 'stopped') lease.lose();
      log.info('leads no more', { epoch: lease.epoch, reason: words[ending] });
      await term.end(words[ending]);
    } catch (error) {
      failure = error;
    }
    lease.lose();
    await kept;
    this.#state = 'starting';
    if (failure !== undefined || this.#stopping) await this.#resign(store, lease.epoch);
    if (failure === undefined) return;
    if (!isServiceError(failure)) throw failure;
    log.error('could not take over; trying again', { epoch: lease.epoch, message: failure.message });
    await this.#sleep(failedMs);
  }

  /** Renews the lease until that is no longer possible. */
  async #keep(lease: Lease): Promise<Ending> {
    const { store, clock } = this.ports;
    let lost = false;
    lease.onLost(() => {
      lost = true;
      this.#wake();
    });
    for (let pause: number = renewMs; ;) {
      await this.#sleep(Math.min(pause, lease.remainingMs));
      if (this.#stopping) return 'stopped';
      if (lost) return 'deposed';
      if (!lease.held) return 'unconfirmed';
      const askedAt = clock.now();
      const answer = await this.#within(lease.remainingMs, store.renew(lease.epoch, leaseMs));
      if (answer === false) return 'deposed';
      if (answer === true) lease.confirm(askedAt);
      pause = answer === true ? renewMs : lookMs;
    }
  }

  async #resign(store: LeadershipPorts['store'], epoch: number): Promise<void> {
    try {
      await store.resign(epoch);
    } catch (error) {
      this.ports.log.warn('the leadership could not be given back; it ends by itself', {
        message: toServiceError(error).message,
      });
    }
  }

  /** This process stands by once the database refused the leadership and the leader was heard. */
  #standBy(): void {
    if (this.#state !== 'starting' || !this.#refused || this.leader === undefined) return;
    this.#state = 'standby';
    this.ports.log.info('standby', { leader: this.leader });
    this.#tellSettled();
  }

  /** The answer; undefined after a timeout or an error. */
  #within(ms: number, answer: Promise<boolean>): Promise<boolean | undefined> {
    return new Promise((resolve) => {
      const cancel = this.ports.timers.after(ms, () => resolve(undefined));
      const settle = (value?: boolean): void => {
        cancel();
        resolve(value);
      };
      answer.then(settle, (_error: unknown) => settle());
    });
  }

  /** Sleeps until the time is over or `#wake` is called. */
  #sleep(ms: number): Promise<void> {
    if (this.#stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.ports.timers.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
