import { Worker } from 'node:worker_threads';
import {
  ServiceError,
  type ProtocolRunSubmission,
  type SimulatedScheduler,
  type SimulationRecord,
  type SimulationScenario,
  type Submission,
  type WhatIfRecord,
} from '@lab/contracts';
import { rememberedDurations, type Engine, type Store } from '@lab/engine';
import { requirePlayable, type CurrentState } from '@lab/simulation';
import type { LoadedDefinitions } from '../definitions/index.js';
import type { Found, SimulationAnswer, SimulationOrder } from './simulation-order.js';

/** Simulations that go on at the same time; more are refused. */
const maxAtOnce = 2;
/** Tasks of a scenario: its report must fit into one message. */
const maxTasks = 2_000;
/** How long one may take, in milliseconds: less than the request that asks for it waits. */
const patienceMs = 30_000;

type Order<Kind> = Omit<Extract<SimulationOrder, { kind: Kind }>, 'loaded' | 'maxTasks'>;

/**
 * Simulations asked for by people: each in a thread of its own with a copy of what is loaded and of what goes on, so
 * that it can change nothing. The threads have a low priority: whatever else the machine has to do comes first.
 */
export class Simulations {
  readonly #going = new Set<Worker>();
  readonly #program: URL;

  /** @param program of the threads; the one beside this file */
  constructor(
    private readonly parts: {
      engine: Pick<Engine, 'workingRows'> & { views: Pick<Engine['views'], 'counts' | 'devices'> };
      store: Pick<Store, 'durations'>;
      definitions: LoadedDefinitions;
      scheduler: SimulatedScheduler;
      clock: { now(): number };
    },
    program = new URL('./simulation-thread.js', import.meta.url),
  ) {
    this.#program = program;
  }

  /** @throws ServiceError `invalid` with every fault, also when it takes too long; `backlog_full` */
  simulate(scenario: SimulationScenario): Promise<SimulationRecord> {
    return this.#run<'scenario'>({ kind: 'scenario', scenario });
  }

  /** @throws ServiceError as {@link simulate}, what the submission would be answered, and `store_unavailable` */
  async whatIf(submission: ProtocolRunSubmission): Promise<WhatIfRecord> {
    const { scheduler } = this.parts;
    return this.#run<'what_if'>({ kind: 'what_if', submission, current: await this.#current(), scheduler });
  }

  /**
   * When something would begin and end if it was submitted now.
   *
   * @param asked what the engine would accept
   * @throws ServiceError as {@link whatIf}
   */
  async estimate(asked: Submission): Promise<Found['estimate']> {
    const { scheduler } = this.parts;
    return this.#run<'estimate'>({ kind: 'estimate', asked, current: await this.#current(), scheduler });
  }

  /** Ends those that go on. */
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

  async #run<Kind extends keyof Found>(asked: Order<Kind>): Promise<Found[Kind]> {
    this.#refuseTooMany();
    const order = { ...asked, loaded: this.parts.definitions.current, maxTasks };
    const thread = new Worker(this.#program, {
      workerData: order,
      // Without the settings of the service, among which are secrets.
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

function tooLarge(message: string): ServiceError {
  const hint = 'take fewer iterations, or svc sim, which has no such limits';
  return new ServiceError('invalid', 'The simulation is too large.', {
    faults: [{ path: '', code: 'too_large', message, hint }],
  });
}
