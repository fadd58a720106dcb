import {
  optimizerEvents,
  optimizerRequests as requests,
  serviceRequests,
  type JsonObject,
  type ServiceHealth,
} from '@lab/contracts';
import type { Bus } from '@lab/messaging';
import { Sessions, type SessionsParts } from './sessions.js';

export interface WorkerParts extends Omit<SessionsParts, 'lost'> {
  bus: Bus;
  clock: { now(): number };
  /** Tells this worker from others. */
  instance: string;
  version: string;
  addresses: () => string[];
}

/** An announcement is lossy, so it is made again and again; whoever misses three takes the worker for gone. */
const announceEveryMs = 5_000;
/** Optimizers that are made at once to be described; more of them wait. */
const describedAtOnce = 2;

/** The optimizer worker as the rest of the service sees it: it says that it is there, and answers for its optimizers. */
export class OptimizerWorker {
  readonly #parts: WorkerParts;
  readonly #startedAt: number;
  readonly #sessions: Sessions;
  #stopAnnouncing: (() => void) | undefined;
  #leave: (() => Promise<void>)[] = [];

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
    const { bus, instance } = parts;
    this.#sessions = new Sessions({
      ...parts,
      lost: (session, reason) => bus.publish(optimizerEvents.lost, {}, { instance, ...session, reason }),
    });
  }

  /** Resolves when requests are answered and the first announcement was made. */
  async start(): Promise<void> {
    const { bus, instance } = this.#parts;
    const sessions = this.#sessions;
    const me = { instance };
    const served = await Promise.all([
      bus.serve(serviceRequests.health, { service: 'optimizer' }, () => this.#health()),
      bus.serve(requests.describe, me, async (making) => checkedBy(sessions.describe(making)), {
        maxInFlight: describedAtOnce,
      }),
      bus.serve(requests.open, me, (opening, { envelope }) =>
        checkedBy(sessions.open(opening, envelope.epoch ?? 0)),
      ),
      bus.serve(requests.tell, me, (body) =>
        checkedBy(sessions.compute(body, { type: 'tell', trials: body.trials }, requests.tell)),
      ),
      bus.serve(requests.propose, me, (body) => {
        const { runs, insights } = body;
        return checkedBy(sessions.compute(body, { type: 'propose', runs, insights }, requests.propose));
      }),
      bus.serve(requests.configure, me, (body) => {
        const { runtime_params } = body;
        return checkedBy(sessions.inform(body, { type: 'configure', runtime_params }, requests.configure));
      }),
      bus.serve(requests.best, me, (body) =>
        checkedBy(sessions.compute(body, { type: 'best' }, requests.best)),
      ),
      bus.serve(requests.explain, me, (body) =>
        checkedBy(sessions.compute(body, { type: 'explain' }, requests.explain)),
      ),
      bus.serve(requests.close, me, (name) => {
        sessions.close(name);
        return {};
      }),
    ]);
    this.#leave.push(...served.map((each) => () => each.unsubscribe()));
    const forget = bus.onStatus((status) => {
      if (status === 'connected') this.#announce();
    });
    this.#leave.push(() => Promise.resolve(forget()));
    this.#announceForEver();
  }

  /** Tells the others, ends all optimizers and what they compute, and stops listening. */
  async stop(): Promise<void> {
    this.#stopAnnouncing?.();
    if (this.#leave.length > 0) {
      this.#parts.bus.publish(optimizerEvents.leaving, {}, { instance: this.#parts.instance });
    }
    this.#sessions.stop();
    for (const leave of this.#leave.splice(0).reverse()) await leave();
  }

  #announceForEver(): void {
    this.#announce();
    this.#stopAnnouncing = this.#parts.timers.after(announceEveryMs, () => this.#announceForEver());
  }

  #announce(): void {
    const { bus, instance, version, addresses } = this.#parts;
    bus.publish(optimizerEvents.announced, {}, { instance, version, addresses: addresses() });
  }

  #health(): ServiceHealth {
    const { clock, instance, version } = this.#parts;
    return {
      service: 'optimizer',
      instance,
      version,
      status: 'ok',
      uptime_s: Math.max(0, clock.now() - this.#startedAt) / 1_000,
    };
  }
}

/** What a process answered, as the bus will find it to be: it holds every reply against its schema. */
function checkedBy<Reply>(answer: Promise<JsonObject>): Promise<Reply> {
  return answer as Promise<Reply>;
}
