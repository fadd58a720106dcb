import { Worker } from 'node:worker_threads';
import {
  isWithinLabs,
  ServiceError,
  type LabRights,
  type ProtocolRunSubmission,
  type SimulatedScheduler,
  type SimulationRecord,
  type SimulationScenario,
  type Submission,
  type WhatIfRecord,
} from '@lab/contracts';
import { rememberedDurations, type Engine, type Store } from '@lab/engine';
import { requirePlayable, type CurrentState } from '@lab/simulation';
import type { LoadedDefinitions, LoadedSet } from '../loaded/index.js';
import type { Found, SimulationAnswer, SimulationOrder } from './simulation-order.js';

/** Number of simulations at the same time; more are refused. */
const maxAtOnce = 2;
/** Number of tasks of a scenario at most: the report must fit into one message. */
const maxTasks = 2_000;
/** Milliseconds that a simulation may take; less than the caller of the request waits. */
const patienceMs = 30_000;

type Order<Kind> = Omit<Extract<SimulationOrder, { kind: Kind }>, 'loaded' | 'maxTasks' | 'rights'>;

/**
 * Simulations. Each runs in a thread of its own on a copy of the loaded definitions and of the unfinished work, so
 * that it can change nothing. The threads have a low priority: all other work of the machine goes first.
 */
export class Simulations {
  readonly #going = new Set<Worker>();

  /** @param program of the threads; by default the one beside this file */
  constructor(
    private readonly parts: {
      engine: Pick<Engine, 'workingRows'> & {
        submissions: Pick<Engine['submissions'], 'tryOut'>;
        views: Pick<Engine['views'], 'counts' | 'devices' | 'unfinishedWork'>;
      };
      store: Pick<Store, 'durations'>;
      definitions: LoadedDefinitions;
      scheduler: SimulatedScheduler;
      clock: { now(): number };
    },
    private readonly program = new URL('./simulation-thread.js', import.meta.url),
  ) {}

  /**
   * The simulation knows only the laboratories that the caller may use.
   *
   * @throws ServiceError `invalid` with every fault, also when the simulation takes too long; `backlog_full`
   */
  simulate(scenario: SimulationScenario, rights: LabRights): Promise<SimulationRecord> {
    const loaded = usable(this.parts.definitions.current, rights);
    return this.#run<'scenario'>({ kind: 'scenario', scenario }, rights, loaded);
  }

  /** As if it was submitted now. Throws as {@link simulate} and the submission itself; `store_unavailable` */
  async whatIf(submission: ProtocolRunSubmission, rights: LabRights): Promise<WhatIfRecord> {
    const { scheduler, engine } = this.parts;
    // The simulation itself checks no rights.
    if (rights.use !== 'all') await engine.submissions.tryOut({ kind: 'protocol_run', submission }, rights);
    const current = await this.#current();
    const seen = new Set(
      engine.views
        .unfinishedWork()
        .flatMap(({ kind, name, labs }) => (isWithinLabs(labs, rights.see) ? [`${kind}/${name}`] : [])),
    );
    const found = await this.#run<'what_if'>({ kind: 'what_if', submission, current, scheduler }, rights);
    return { ...found, others: found.others.filter(({ kind, name }) => seen.has(`${kind}/${name}`)) };
  }

  /** Estimates when work that the engine would accept would begin and end. Throws as {@link whatIf}. */
  async estimate(asked: Submission, rights: LabRights): Promise<Found['estimate']> {
    const { scheduler } = this.parts;
    const current = await this.#current();
    return this.#run<'estimate'>({ kind: 'estimate', asked, current, scheduler }, rights);
  }

  /** Ends all running simulations. */
  async stop(): Promise<void> {
    await Promise.all([...this.#going].map((thread) => thread.terminate()));
  }

  async #current(): Promise<CurrentState> {
    this.#refuseTooMany();
    const { engine, store, clock } = this.parts;
    requirePlayable(Object.values(engine.views.counts().tasks).reduce((sum, count) => sum + count, 0));
    const samples = await store.durations(rememberedDurations);
    const rows = await engine.workingRows();
    return { now: clock.now(), rows, samples, devices: engine.views.devices() };
  }

  async #run<Kind extends keyof Found>(
    asked: Order<Kind>,
    rights: LabRights,
    loaded = this.parts.definitions.current,
  ): Promise<Found[Kind]> {
    this.#refuseTooMany();
    const order = { ...asked, rights, loaded, maxTasks };
    const thread = new Worker(this.program, {
      workerData: order,
      // The thread does not get the settings of the service, because they hold secrets.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    this.#going.add(thread);
    let tooLong = false;
    const guard = setTimeout(() => {
      tooLong = true;
      void thread.terminate();
    }, patienceMs);
    try {
      const answer = await new Promise<SimulationAnswer>((resolve, reject) => {
        thread.once('message', resolve);
        thread.once('error', reject);
        thread.once('exit', () => reject(new Error('the thread of the simulation ended')));
      });
      if (answer.ok) return answer.record as Found[Kind];
      throw new ServiceError(answer.code, answer.message, { faults: answer.faults });
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (tooLong) throw tooLarge(`it takes longer than ${patienceMs / 1000} s`);
      if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY')
        throw tooLarge('it needs more memory than a simulation may have');
      throw new ServiceError('service_unavailable', 'The simulation was ended. Nothing was changed.', {
        cause: error,
      });
    } finally {
      clearTimeout(guard);
      this.#going.delete(thread);
      await thread.terminate();
    }
  }

  #refuseTooMany(): void {
    if (this.#going.size >= maxAtOnce)
      throw new ServiceError('backlog_full', `${maxAtOnce} simulations are going on already.`, {
        retryAfterS: 5,
      });
  }
}

/** As if only the laboratories that the caller may use were loaded, with the protocols that need no other. */
function usable(loaded: LoadedSet, { use }: LabRights): LoadedSet {
  if (use === 'all') return loaded;
  return {
    ...loaded,
    labs: new Map([...loaded.labs].filter(([name]) => use.includes(name))),
    protocols: new Map([...loaded.protocols].filter(([, { protocol }]) => isWithinLabs(protocol.labs, use))),
  };
}

function tooLarge(message: string): ServiceError {
  const hint = 'take fewer iterations, or svc sim, which has no such limits';
  return new ServiceError('invalid', 'The simulation is too large.', {
    faults: [{ path: '', code: 'too_large', message, hint }],
  });
}
