import {
  optimizerEvents as events,
  optimizerRequests as requests,
  ServiceError,
  workerAnnouncedEveryMs,
  type AnyRequest,
  type OptimizerDescription,
  type ReplyOf,
  type RequestOf,
  type RuntimeParameterValues,
  type Trial,
} from '@lab/contracts';
import { searchedBy } from '../plan/laboratory.js';
import type { Life } from '../surroundings/life.js';
import { Repeats, type Bus } from '@lab/messaging';
import type { Surroundings } from '../surroundings/surroundings.js';
import { SimulatedProcess } from './process.js';

export const optimizerNode = 'optimizer';

const me = { worker: optimizerNode };

/** Duration of making an optimizer, and of one computation, in milliseconds. */
const makesMs = 60;
const computesMs = 25;
const leavesMs = 20;

type OptimizerRequest = AnyRequest & { readonly subject: `svc.v1.optimizer.{worker}.{instance}.${string}` };

/** The optimizer of one campaign. */
interface Session {
  session: string;
  input: string;
  told: Map<number, Trial['state']>;
  rows: Map<number, Trial>;
  runtimeParams: RuntimeParameterValues;
}

/** What the optimizer proposes for the n-th run. The values of two runs always differ. */
function rowOf(input: string, n: number): Trial['inputs'] {
  return { [input]: n * 3 };
}

/**
 * The optimizer worker, simulated. An optimizer keeps no state beyond its process. It reports a defect when a session
 * changes a trial that was already measured.
 */
export class SimulatedOptimizer extends SimulatedProcess {
  #bus: Bus | undefined;
  #sessions = new Map<string, Session>();

  constructor(world: Surroundings) {
    super(optimizerNode, world);
  }

  protected start(life: Life): void {
    void this.#serve(life, this.#instance);
  }

  protected stop(life: Life): void {
    this.#bus?.publish(events.leaving, me, { instance: this.#instance });
    life.after(leavesMs, () => life.end());
  }

  protected ended(): void {
    this.#sessions = new Map();
  }

  get #instance(): string {
    return `worker-${this.boots}`;
  }

  /** The process of every optimizer dies; the worker goes on. */
  killSessions(): void {
    for (const [campaignId, { session }] of this.#sessions) {
      this.#sessions.delete(campaignId);
      const body = { instance: this.#instance, campaign_id: campaignId, session, reason: 'it died' };
      this.#bus?.publish(events.lost, me, body);
    }
  }

  async #serve(life: Life, instance: string): Promise<void> {
    const bus = this.world.network.connect(life);
    this.#bus = bus;
    const repeats = new Repeats(life);
    const serve = <D extends OptimizerRequest>(
      definition: D,
      answer: (body: RequestOf<D>) => Promise<ReplyOf<D>>,
    ): Promise<unknown> =>
      bus.serve<OptimizerRequest>(definition, { ...me, instance }, (body, { envelope }) =>
        repeats.join(envelope.id, () => answer(body as RequestOf<D>)),
      );
    const after = <Value>(ms: number, answer: () => Value): Promise<Value> =>
      life.ask((resolve, reject) => {
        life.after(ms, () => {
          try {
            resolve(answer());
          } catch (error) {
            reject(error as Error);
          }
        });
      });
    const computed = <Value>(
      body: { campaign_id: string; session: string },
      answer: (session: Session) => Value,
    ): Promise<Value> => after(computesMs, () => answer(this.#session(body)));

    await Promise.all([
      serve(requests.describe, ({ protocol }) => after(makesMs, () => this.#describe(protocol))),
      serve(requests.open, ({ campaign_id: id, session, protocol, runtime_params: runtimeParams }) =>
        after(makesMs, () => {
          const description = this.#describe(protocol);
          const [input = ''] = description.input_names;
          this.#sessions.set(id, { session, input, told: new Map(), rows: new Map(), runtimeParams });
          return { ...description, runtime_params: runtimeParams };
        }),
      ),
      serve(requests.tell, (body) =>
        computed(body, (session) => {
          for (const trial of body.trials) this.#hear(session, trial);
          return { measured: [...session.told.values()].filter((state) => state === 'measured').length };
        }),
      ),
      serve(requests.propose, (body) =>
        computed(body, ({ input, rows }) => {
          for (const { number, run } of body.runs)
            rows.set(number, {
              number,
              run,
              source: 'optimizer',
              state: 'proposed',
              inputs: rowOf(input, number),
              outputs: null,
              additional: {},
              note: {},
            });
          const used = body.insights.map(({ id }) => id);
          return {
            trials: body.runs.flatMap(({ number }) => rows.get(number) ?? []),
            insights_used: used,
          };
        }),
      ),
      serve(requests.configure, (body) =>
        computed(body, (session) => {
          session.runtimeParams = { ...session.runtimeParams, ...body.runtime_params };
          return { runtime_params: session.runtimeParams };
        }),
      ),
      serve(requests.best, (body) =>
        computed(body, ({ told, input }) => ({
          rows: [...told].flatMap(([n, state]) => (state === 'measured' ? [rowOf(input, n)] : [])),
        })),
      ),
      serve(requests.explain, (body) => computed(body, ({ told }) => ({ belief: told.size }))),
      serve(requests.close, ({ campaign_id: id, session }) => {
        if (this.#sessions.get(id)?.session === session) this.#sessions.delete(id);
        return Promise.resolve({});
      }),
    ]);
    const announce = (): void =>
      bus.publish(events.announced, me, { instance, addresses: ['127.0.0.1'], version: 'simulated' });
    const announceAgain = (): void => {
      if (bus.connected) announce();
      life.after(workerAnnouncedEveryMs, announceAgain);
    };
    announceAgain();
    bus.onStatus((status) => {
      if (status === 'connected') announce();
    });
  }

  #session({ campaign_id: id, session }: { campaign_id: string; session: string }): Session {
    const known = this.#sessions.get(id);
    if (known?.session !== session)
      throw new ServiceError('stale_message', `session ${session} of campaign ${id} is over`);
    return known;
  }

  #hear(session: Session, { number, state, inputs, run }: Trial): void {
    const last = session.told.get(number);
    if (last === state) return;
    if (last === 'measured')
      this.world.history.defect('the optimizer', `${run} was measured and is now told as ${state}`);
    if (JSON.stringify(inputs) !== JSON.stringify(rowOf(session.input, number)))
      this.world.history.defect(
        'the optimizer',
        `${run} was told with another row: ${JSON.stringify(inputs)}`,
      );
    session.told.set(number, state);
  }

  /** @param text description of the protocol; it begins with the protocol's name */
  #describe(text: string): OptimizerDescription {
    const [protocol = ''] = text.split(':', 1);
    const searched = searchedBy(this.world.schedule.protocols, protocol);
    if (searched === undefined)
      throw new ServiceError('optimizer_error', `the protocol ${protocol} has no optimizer`);
    return {
      input_names: [searched.input],
      output_names: [searched.output],
      additional_names: [],
      fields: [],
      runtime_params: { p_ai: 0 },
      arguments: {},
    };
  }
}
