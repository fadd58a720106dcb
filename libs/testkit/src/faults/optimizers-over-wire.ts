import {
  isServiceError,
  optimizerEvents as events,
  optimizerRequests as requests,
  ServiceError,
  type AnyRequest,
  type ReplyOf,
  type RequestOf,
} from '@lab/contracts';
import type { Ids } from '@lab/ports';
import type { Optimizers } from '@lab/engine';
import type { Life } from './surroundings/life.js';
import type { Wire } from './surroundings/network.js';

const goneAfterMs = 16_000;
const everyoneHeardMs = 6_000;
/** A message that is lost without anybody's connection being lost is missed after so long at most. */
const longestMs = 10_000;

type OptimizerRequest = AnyRequest & { readonly subject: `svc.v1.optimizer.{instance}.${string}` };

interface Worker {
  instance: string;
  addresses: readonly string[];
  heardAt: number;
  end: AbortController;
}

/** The engine's way to the optimizer workers. The wiring is that of `apps/orchestrator`. */
export function optimizersOverWire(
  wire: Wire,
  life: Life,
  demand: () => void,
  ids: Ids,
): { optimizers: Optimizers; stop: () => void } {
  const workers = new Map<string, Worker>();
  const arrivals = new Set<(addresses: readonly string[]) => void>();
  const lost = new Map<string, (reason: string) => void>();
  const since = life.now();
  const remove = (instance: string): void => {
    const worker = workers.get(instance);
    workers.delete(instance);
    worker?.end.abort();
  };
  const subscriptions = [
    wire.subscribe(events.announced, {}, ({ instance, addresses }) => {
      const known = workers.get(instance);
      if (known !== undefined) known.heardAt = life.now();
      else {
        workers.set(instance, { instance, addresses, heardAt: life.now(), end: new AbortController() });
        for (const listener of [...arrivals]) listener(addresses);
      }
      life.after(goneAfterMs, () => {
        if (life.now() - (workers.get(instance)?.heardAt ?? 0) >= goneAfterMs) remove(instance);
      });
    }),
    wire.subscribe(events.leaving, {}, ({ instance }) => remove(instance)),
    wire.subscribe(events.lost, {}, ({ session, reason }) => lost.get(session)?.(reason)),
  ];
  const find = (address: string): Worker | undefined =>
    [...workers.values()].findLast(({ addresses }) => addresses.includes(address));
  const at = async (address: string): Promise<Worker> => {
    const left = since + everyoneHeardMs - life.now();
    if (find(address) === undefined && left > 0)
      await new Promise<void>((resolve) => {
        const done = (): void => {
          arrivals.delete(done);
          cancel();
          resolve();
        };
        const cancel = life.after(left, done);
        arrivals.add(done);
      });
    const worker = find(address);
    if (worker === undefined)
      throw new ServiceError('optimizer_unavailable', `no optimizer worker is at ${address}`);
    return worker;
  };
  const ask = async <D extends OptimizerRequest>(
    definition: D,
    { instance, end }: Worker,
    body: RequestOf<D>,
  ): Promise<ReplyOf<D>> => {
    demand();
    const options = { timeoutMs: Math.min(definition.timeoutMs, longestMs), signal: end.signal };
    try {
      return (await wire.request<OptimizerRequest>(definition, { instance }, body, options)) as ReplyOf<D>;
    } catch (error) {
      const isGone = end.signal.aborted || (isServiceError(error) && error.code === 'service_unavailable');
      if (!isGone) throw error;
      throw new ServiceError('optimizer_unavailable', `the optimizer worker ${instance} does not answer`);
    }
  };
  const optimizers: Optimizers = {
    describe: async (address, making, given) =>
      ask(requests.describe, await at(address), {
        ...making,
        ...(given === undefined ? {} : { given: [...given] }),
      }),
    async open(address, campaign, making, runtimeParams) {
      const worker = await at(address);
      const id = ids.next();
      const session = { campaign_id: campaign.id, session: id };
      const opening = { ...session, campaign: campaign.name, ...making, runtime_params: runtimeParams };
      await ask(requests.open, worker, opening);
      return {
        id,
        worker: worker.instance,
        tell: async (trials) => void (await ask(requests.tell, worker, { ...session, trials: [...trials] })),
        propose: (runs, insights) =>
          ask(requests.propose, worker, { ...session, runs: [...runs], insights: [...insights] }),
        configure: async (params) =>
          (await ask(requests.configure, worker, { ...session, runtime_params: params })).runtime_params,
        best: async () => (await ask(requests.best, worker, session)).rows,
        explain: async () => (await ask(requests.explain, worker, session)).belief,
        close: async () => {
          lost.delete(id);
          await ask(requests.close, worker, session);
        },
        onLost: (listener) => {
          lost.set(id, listener);
          worker.end.signal.addEventListener('abort', () => lost.get(id)?.('the worker is gone'));
        },
      };
    },
    onArrival(listener) {
      arrivals.add(listener);
      return () => arrivals.delete(listener);
    },
  };
  return {
    optimizers,
    stop: () => {
      for (const end of subscriptions) end();
    },
  };
}
