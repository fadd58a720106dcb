import { optimizerEvents, ServiceError } from '@lab/contracts';
import type { Bus } from '@lab/messaging';
import type { Clock, Timers } from '@lab/ports';
import { leaderTimings } from './timings.js';

/** A worker that was heard recently. */
export interface OptimizerWorker {
  /** The name in its credentials. */
  readonly worker: string;
  /** Unique name of the process. */
  readonly instance: string;
  readonly addresses: readonly string[];
  /** Fires when the worker has left, or was not heard for {@link leaderTimings.workerGoneMs}. */
  readonly gone: AbortSignal;
}

interface Known extends OptimizerWorker {
  addresses: readonly string[];
  end: AbortController;
  cancel: () => void;
}

/** The optimizer workers, known by their announcements. */
export class OptimizerDirectory {
  readonly #workers = new Map<string, Known>();
  readonly #arrivals = new Set<(addresses: readonly string[]) => void>();
  /** Listeners for the loss of a session, by session. */
  readonly #sessions = new Map<string, { worker: string; listener: (reason: string) => void }>();
  readonly #since: number;
  #stop: (() => Promise<void>)[] = [];

  private constructor(private readonly ports: { clock: Clock; timers: Timers }) {
    this.#since = ports.clock.now();
  }

  /** @param ports with a monotonic clock */
  static async listen(bus: Bus, ports: { clock: Clock; timers: Timers }): Promise<OptimizerDirectory> {
    const directory = new OptimizerDirectory(ports);
    const subscriptions = await Promise.all([
      bus.subscribe(optimizerEvents.announced, {}, ({ instance, addresses }, { tokens }) =>
        directory.#heard(tokens.worker, instance, addresses),
      ),
      bus.subscribe(optimizerEvents.leaving, {}, ({ instance }, { tokens }) =>
        directory.#remove(keyOf(tokens.worker, instance)),
      ),
      bus.subscribe(optimizerEvents.lost, {}, ({ session, reason }, { tokens }) =>
        directory.#lose(tokens.worker, session, reason),
      ),
    ]);
    directory.#stop = subscriptions.map((each) => () => each.unsubscribe());
    return directory;
  }

  /**
   * The worker at an address, of several the one that appeared last. Shortly after the start the directory waits until
   * every worker can have been heard.
   *
   * @throws ServiceError `optimizer_unavailable`, with the known addresses
   */
  async at(address: string): Promise<OptimizerWorker> {
    const { clock, timers } = this.ports;
    const left = this.#since + leaderTimings.workersHeardMs - clock.now();
    if (this.#find(address) === undefined && left > 0)
      await new Promise<void>((resolve) => {
        const done = (): void => {
          cancel();
          stop();
          resolve();
        };
        const cancel = timers.after(left, done);
        const stop = this.onArrival((addresses) => {
          if (addresses.includes(address)) done();
        });
      });
    const worker = this.#find(address);
    if (worker !== undefined) return worker;
    const there = [...new Set([...this.#workers.values()].flatMap(({ addresses }) => addresses))].sort();
    throw new ServiceError(
      'optimizer_unavailable',
      `no optimizer worker is at ${address}; ${
        there.length === 0 ? 'none is there at all' : `there are workers at ${there.join(', ')}`
      }`,
    );
  }

  /** Calls back when a worker appears or changes its addresses. @returns ends the callbacks */
  onArrival(listener: (addresses: readonly string[]) => void): () => void {
    this.#arrivals.add(listener);
    return () => this.#arrivals.delete(listener);
  }

  /**
   * Calls back at most once, when the worker says that the process of a session has died.
   *
   * @param worker that has the session
   * @returns ends the callback
   */
  onLost(worker: string, session: string, listener: (reason: string) => void): () => void {
    this.#sessions.set(session, { worker, listener });
    return () => this.#sessions.delete(session);
  }

  async close(): Promise<void> {
    for (const key of [...this.#workers.keys()]) this.#remove(key);
    for (const stop of this.#stop.splice(0)) await stop();
  }

  #find(address: string): Known | undefined {
    return [...this.#workers.values()].findLast(({ addresses }) => addresses.includes(address));
  }

  #heard(worker: string, instance: string, addresses: readonly string[]): void {
    const key = keyOf(worker, instance);
    const known = this.#workers.get(key);
    const cancel = this.ports.timers.after(leaderTimings.workerGoneMs, () => this.#remove(key));
    if (known !== undefined) {
      known.cancel();
      known.cancel = cancel;
      if (known.addresses.join() === addresses.join()) return;
      known.addresses = addresses;
    } else {
      const end = new AbortController();
      this.#workers.set(key, { worker, instance, addresses, end, gone: end.signal, cancel });
    }
    for (const listener of [...this.#arrivals]) listener(addresses);
  }

  #remove(key: string): void {
    const worker = this.#workers.get(key);
    if (worker === undefined) return;
    this.#workers.delete(key);
    worker.cancel();
    worker.end.abort();
  }

  #lose(worker: string, session: string, reason: string): void {
    const known = this.#sessions.get(session);
    if (known?.worker !== worker) return;
    this.#sessions.delete(session);
    known.listener(reason);
  }
}

function keyOf(worker: string, instance: string): string {
  return `${worker}/${instance}`;
}
