import {
  optimizerEvents,
  optimizerRequests as requests,
  serviceRequests,
  workerAnnouncedEveryMs,
  type AnyRequest,
  type JsonObject,
  type ReplyOf,
  type RequestOf,
  type ServiceHealth,
} from '@lab/contracts';
import { Repeats, type Bus, type MessageContext } from '@lab/messaging';
import type { Clock } from '@lab/ports';
import { Sessions, type SessionsParts } from './sessions.js';

export interface WorkerParts extends Omit<SessionsParts, 'lost'> {
  bus: Bus;
  clock: Clock;
  /** The name in the credentials. */
  worker: string;
  /** Unique name of this process. */
  instance: string;
  version: string;
  addresses: () => string[];
}

/** Number of optimizers that are made at the same time to be described. Further ones wait. */
const describedAtOnce = 2;

/** The optimizer worker on the broker: it announces itself and answers requests for its optimizers. */
export class OptimizerWorker {
  readonly #parts: WorkerParts;
  readonly #startedAt: number;
  readonly #sessions: Sessions;
  #stopAnnouncing: (() => void) | undefined;
  #leave: (() => Promise<void>)[] = [];

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
    const { bus, worker, instance } = parts;
    this.#sessions = new Sessions({
      ...parts,
      lost: (session, reason) =>
        bus.publish(optimizerEvents.lost, { worker }, { instance, ...session, reason }),
    });
  }

  async start(): Promise<void> {
    const { bus, worker, instance } = this.#parts;
    const sessions = this.#sessions;
    const me = { worker, instance };
    const repeats = new Repeats(this.#parts.timers);
    // The bus checks the answer of a process against the schema of the reply.
    const serve = <D extends AnyRequest>(
      request: D,
      answer: (body: RequestOf<D>, context: MessageContext<D>) => Promise<JsonObject>,
      options?: Parameters<Bus['serve']>[3],
    ) =>
      bus.serve(
        request,
        me as Parameters<typeof bus.serve<D>>[1],
        (body, context) =>
          repeats.join(context.envelope.id, () => answer(body, context) as Promise<ReplyOf<D>>),
        options,
      );
    const served = await Promise.all([
      bus.serve(serviceRequests.health, { service: 'optimizer' }, () => this.#health()),
      serve(requests.describe, (making) => sessions.describe(making), { maxInFlight: describedAtOnce }),
      serve(requests.open, (opening, { envelope }) => sessions.open(opening, envelope.epoch ?? 0)),
      serve(requests.tell, (body) =>
        sessions.compute(body, { type: 'tell', trials: body.trials }, requests.tell),
      ),
      serve(requests.propose, (body) => {
        const { runs, insights, schedule } = body;
        const question = { type: 'propose' as const, runs, insights };
        return sessions.compute(
          body,
          schedule === undefined ? question : { ...question, schedule },
          requests.propose,
        );
      }),
      serve(requests.configure, (body) => {
        const { runtime_params } = body;
        return sessions.inform(body, { type: 'configure', runtime_params }, requests.configure);
      }),
      serve(requests.best, (body) => sessions.compute(body, { type: 'best' }, requests.best)),
      serve(requests.explain, (body) => sessions.compute(body, { type: 'explain' }, requests.explain)),
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

  /** Announces the end, ends all optimizers and their computations, and stops listening. */
  async stop(): Promise<void> {
    this.#stopAnnouncing?.();
    const { bus, worker, instance } = this.#parts;
    if (this.#leave.length > 0) bus.publish(optimizerEvents.leaving, { worker }, { instance });
    this.#sessions.stop();
    for (const leave of this.#leave.splice(0).reverse()) await leave();
  }

  #announceForEver(): void {
    this.#announce();
    this.#stopAnnouncing = this.#parts.timers.after(workerAnnouncedEveryMs, () => this.#announceForEver());
  }

  #announce(): void {
    const { bus, worker, instance, version, addresses } = this.#parts;
    bus.publish(optimizerEvents.announced, { worker }, { instance, version, addresses: addresses() });
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
