import {
  isServiceError,
  optimizerRequests as requests,
  ServiceError,
  type AnyRequest,
  type ReplyOf,
  type RequestOf,
} from '@lab/contracts';
import type { Optimizers, OptimizerSession } from '@lab/engine';
import type { Bus } from '@lab/messaging';
import type { Clock, Ids, Timers } from '@lab/ports';
import type { Lease } from './lease.js';
import type { OptimizerDirectory, OptimizerWorker } from './optimizer-directory.js';
import { leaderTimings } from './timings.js';

type OptimizerRequest = AnyRequest & { readonly subject: `svc.v1.optimizer.{worker}.{instance}.${string}` };

/**
 * Sends the engine's requests to optimizer workers. It checks the lease immediately before each request. When the worker
 * disappears, the request fails at once.
 *
 * A computation may take minutes, and its request or reply may be lost. A request without an answer is therefore sent
 * again under its id until its timeout. The worker lets the repeat join the running computation.
 */
export function optimizersOverBus(
  bus: Bus,
  lease: Pick<Lease, 'demand' | 'epoch'>,
  directory: OptimizerDirectory,
  { ids, clock, timers }: { ids: Ids; clock: Clock; timers: Timers },
): Optimizers {
  const ask = async <D extends OptimizerRequest>(
    definition: D,
    { worker, instance, gone }: OptimizerWorker,
    body: RequestOf<D>,
  ): Promise<ReplyOf<D>> => {
    const id = ids.next();
    const until = clock.now() + definition.timeoutMs;
    for (;;) {
      lease.demand();
      const silence = new AbortController();
      const cancel = timers.after(leaderTimings.askWorkerAgainMs, () => silence.abort());
      const signal = AbortSignal.any([gone, silence.signal]);
      const options = { epoch: lease.epoch, id, signal, timeoutMs: until - clock.now() };
      try {
        return await (bus.request<OptimizerRequest>(
          definition,
          { worker, instance },
          body,
          options,
        ) as Promise<ReplyOf<D>>);
      } catch (error) {
        const isGone = gone.aborted || (isServiceError(error) && error.code === 'service_unavailable');
        if (isGone)
          throw new ServiceError(
            'optimizer_unavailable',
            `the optimizer worker ${instance} does not answer`,
            {
              effect: isServiceError(error) ? error.effect : 'maybe',
              cause: error,
            },
          );
        if (!silence.signal.aborted || clock.now() >= until) throw error;
      } finally {
        cancel();
      }
    }
  };
  return {
    describe: async (address, making, given) =>
      ask(requests.describe, await directory.at(address), {
        ...making,
        ...(given === undefined ? {} : { given: [...given] }),
      }),
    async open(address, campaign, making, runtimeParams): Promise<OptimizerSession> {
      const worker = await directory.at(address);
      const session = { campaign_id: campaign.id, session: ids.next() };
      const opening = { ...session, campaign: campaign.name, ...making, runtime_params: runtimeParams };
      const { runtime } = await ask(requests.open, worker, opening);
      return { ...sessionOver(ask, worker, session, directory), runtime };
    },
    onArrival: (listener) => directory.onArrival(listener),
  };
}

function sessionOver(
  ask: <D extends OptimizerRequest>(
    definition: D,
    worker: OptimizerWorker,
    body: RequestOf<D>,
  ) => Promise<ReplyOf<D>>,
  worker: OptimizerWorker,
  session: { campaign_id: string; session: string },
  directory: OptimizerDirectory,
): OptimizerSession {
  let forget = (): void => undefined;
  return {
    id: session.session,
    worker: worker.instance,
    tell: async (trials) => void (await ask(requests.tell, worker, { ...session, trials: [...trials] })),
    propose: (runs, insights, schedule) =>
      ask(requests.propose, worker, {
        ...session,
        runs: [...runs],
        insights: [...insights],
        ...(schedule === undefined ? {} : { schedule }),
      }),
    configure: async (params) =>
      (await ask(requests.configure, worker, { ...session, runtime_params: params })).runtime_params,
    best: async () => (await ask(requests.best, worker, session)).rows,
    explain: async () => (await ask(requests.explain, worker, session)).belief,
    async close(): Promise<void> {
      forget();
      await ask(requests.close, worker, session);
    },
    onLost(listener): void {
      let told = false;
      const tell = (reason: string): void => {
        if (!told) listener(reason);
        told = true;
        forget();
      };
      const gone = (): void => tell(`the optimizer worker ${worker.instance} is gone`);
      const stop = directory.onLost(worker.worker, session.session, tell);
      forget = () => {
        stop();
        worker.gone.removeEventListener('abort', gone);
      };
      worker.gone.addEventListener('abort', gone);
      if (worker.gone.aborted) gone();
    },
  };
}
