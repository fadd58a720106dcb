import { optimizerEvents, serviceRequests, type ServiceHealth } from '@lab/contracts';
import type { Bus } from '@lab/messaging';

export interface WorkerParts {
  bus: Bus;
  clock: { now(): number };
  timers: { after(ms: number, callback: () => void): () => void };
  /** Tells this worker from others. */
  instance: string;
  version: string;
  addresses: () => string[];
}

/** An announcement is lossy, so it is made again and again; whoever misses three takes the worker for gone. */
const announceEveryMs = 5_000;

/** The optimizer worker as the rest of the service sees it: it says that it is there, and answers for its health. */
export class OptimizerWorker {
  readonly #startedAt: number;
  #stopAnnouncing: (() => void) | undefined;
  #leave: (() => Promise<void>)[] = [];

  constructor(private readonly parts: WorkerParts) {
    this.#startedAt = parts.clock.now();
  }

  /** Resolves when health requests are answered and the first announcement was made. */
  async start(): Promise<void> {
    const { bus } = this.parts;
    const health = await bus.serve(serviceRequests.health, { service: 'optimizer' }, () => this.#health());
    this.#leave.push(() => health.unsubscribe());
    const forget = bus.onStatus((status) => {
      if (status === 'connected') this.#announce();
    });
    this.#leave.push(() => Promise.resolve(forget()));
    this.#announceForEver();
  }

  async stop(): Promise<void> {
    this.#stopAnnouncing?.();
    for (const leave of this.#leave.splice(0).reverse()) await leave();
  }

  #announceForEver(): void {
    this.#announce();
    this.#stopAnnouncing = this.parts.timers.after(announceEveryMs, () => this.#announceForEver());
  }

  #announce(): void {
    const { bus, instance, version, addresses } = this.parts;
    bus.publish(optimizerEvents.announced, {}, { instance, version, addresses: addresses() });
  }

  #health(): ServiceHealth {
    const { clock, instance, version } = this.parts;
    return {
      service: 'optimizer',
      instance,
      version,
      status: 'ok',
      uptime_s: Math.max(0, clock.now() - this.#startedAt) / 1_000,
    };
  }
}
