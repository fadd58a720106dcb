import {
  ServiceError,
  type Fault,
  type Insight,
  type JsonObject,
  type JsonValue,
  type LabSchedule,
  type OptimizerDescription,
  type RuntimeParameterValues,
  type TaskParameters,
  type Trial,
} from '@lab/contracts';
import type { OptimizerMaking, OptimizerSession, Optimizers } from '../rows/index.js';

export interface OptimizerCall {
  kind: 'describe' | 'open' | 'tell' | 'propose' | 'configure' | 'best' | 'explain' | 'close';
  address: string;
  /** Null before the session is open. */
  session: string | null;
  /** Numbers of the runs or trials of the call. */
  numbers: readonly number[];
}

/** One session of an optimizer, with everything that was reported to it. */
export interface MemorySession extends OptimizerSession {
  readonly campaign: string;
  readonly making: OptimizerMaking;
  runtimeParams: RuntimeParameterValues;
  /** All reported trials, in order. */
  readonly told: Pick<Trial, 'number' | 'state' | 'inputs' | 'outputs'>[];
  /** The schedule of each request for proposals; undefined: it had none. */
  readonly schedules: (LabSchedule | undefined)[];
  /** Proposed rows, by number of the run. */
  readonly proposed: Map<number, Trial['inputs']>;
  /** False: the session was closed, replaced or lost. */
  alive: boolean;
}

/**
 * Optimizer workers, controlled by a test. The row that an optimizer proposes depends only on the number of the run.
 * It refuses what a real worker refuses.
 */
export class MemoryOptimizers implements Optimizers {
  description: OptimizerDescription = {
    input_names: ['a.n'],
    output_names: ['a.score'],
    additional_names: [],
    fields: [],
    runtime_params: { p_bayesian: 1, p_ai: 0, descending: false },
    arguments: { step: 1 },
  };
  /** Every session that was ever opened, oldest first. */
  readonly sessions: MemorySession[] = [];
  readonly calls: OptimizerCall[] = [];
  /** Repeated reports of the same state: must stay empty. */
  readonly toldTwice: string[] = [];
  /** Called before each call has an effect. An error that it throws is the answer; the call waits for its promise. */
  before: (call: OptimizerCall) => unknown = () => undefined;
  /** Called after each call had its effect. An error that it throws replaces the answer. */
  after: (call: OptimizerCall) => unknown = () => undefined;
  /** The row for a run. An error that it throws is an error of the author's code. */
  row: (n: number, overrides: JsonObject) => Trial['inputs'] = (n, { step }) => ({
    'a.n': n * (typeof step === 'number' ? step : 1),
  });
  /** Faults of a given row; paths are those of parameters. */
  refuses: (row: TaskParameters) => Fault[] = () => [];
  /** Identifiers of insights that the next proposals use. */
  uses: (insights: readonly Insight[]) => string[] = () => [];
  readonly #workers = new Map<string, string>();
  readonly #listeners = new Set<(addresses: readonly string[]) => void>();
  readonly #onLost = new Map<string, (reason: string) => void>();
  #count = 0;

  /** A worker connects at an address. */
  boot(address: string): void {
    this.#workers.set(address, `worker-${(this.#count += 1)}`);
    for (const listener of [...this.#listeners]) listener([address]);
  }

  /** The worker of an address disappears with all its sessions. */
  crash(address: string): void {
    const worker = this.#workers.get(address);
    this.#workers.delete(address);
    for (const session of this.sessions) if (session.worker === worker) session.alive = false;
  }

  /** The process of a session dies, and its worker reports it. */
  lose(session: MemorySession): void {
    session.alive = false;
    this.#onLost.get(session.id)?.('its process has died');
  }

  /** The latest session of a campaign. */
  session(campaign: string): MemorySession {
    const session = this.sessions.findLast((each) => each.campaign === campaign);
    if (session === undefined) throw new Error(`there was no session of ${campaign}`);
    return session;
  }

  describe(
    address: string,
    making: OptimizerMaking,
    given: readonly TaskParameters[] = [],
  ): Promise<OptimizerDescription> {
    return this.#call({ kind: 'describe', address, session: null, numbers: [] }, () => {
      this.#workerAt(address);
      const faults = given.flatMap((row, index) =>
        this.refuses(row).map((fault) => ({ ...fault, path: `given[${index}].${fault.path}` })),
      );
      if (faults.length > 0) throw new ServiceError('invalid', 'a row is outside of the domain', { faults });
      return { ...this.description, runtime_params: this.#checked(making.overrides) };
    });
  }

  open(
    address: string,
    campaign: { id: string; name: string },
    making: OptimizerMaking,
    runtimeParams: RuntimeParameterValues,
  ): Promise<OptimizerSession> {
    return this.#call({ kind: 'open', address, session: null, numbers: [] }, () => {
      const worker = this.#workerAt(address);
      for (const other of this.sessions)
        if (other.campaign === campaign.name && other.worker === worker) other.alive = false;
      this.#checked(making.overrides);
      const session = this.#sessionOf(address, worker, campaign.name, making);
      session.runtimeParams = { ...this.description.runtime_params, ...runtimeParams };
      this.sessions.push(session);
      return session;
    });
  }

  onArrival(listener: (addresses: readonly string[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #sessionOf(address: string, worker: string, campaign: string, making: OptimizerMaking): MemorySession {
    const id = `session-${this.sessions.length + 1}`;
    const call = <Value>(
      kind: OptimizerCall['kind'],
      numbers: readonly number[],
      act: () => Value,
    ): Promise<Value> =>
      this.#call({ kind, address, session: id, numbers }, () => {
        if (this.#workers.get(address) !== worker) throw this.#noWorker(address);
        if (!session.alive) throw new ServiceError('stale_message', `${id} is over`);
        return act();
      });
    const session: MemorySession = {
      id,
      worker,
      campaign,
      making,
      runtimeParams: {},
      told: [],
      schedules: [],
      proposed: new Map(),
      alive: true,
      tell: (trials) =>
        call(
          'tell',
          trials.map(({ number }) => number),
          () => {
            for (const { number, state, inputs, outputs } of trials) {
              const last = session.told.findLast((each) => each.number === number);
              if (last?.state === state || last?.state === 'measured')
                this.toldTwice.push(`${id} was told ${number} is ${state}`);
              session.told.push({ number, state, inputs, outputs });
            }
          },
        ),
      propose: (runs, insights, schedule) =>
        call(
          'propose',
          runs.map(({ number }) => number),
          () => {
            session.schedules.push(schedule);
            const trials = runs.map(({ number, run }): Trial => {
              const inputs = session.proposed.get(number) ?? this.row(number, making.overrides);
              session.proposed.set(number, inputs);
              return {
                number,
                run,
                source: 'optimizer',
                state: 'proposed',
                inputs,
                outputs: null,
                additional: {},
                note: {},
              };
            });
            return { trials, insights_used: this.uses(insights) };
          },
        ),
      configure: (params) =>
        call('configure', [], () => {
          session.runtimeParams = this.#checked({ ...session.runtimeParams, ...params }, Object.keys(params));
          return session.runtimeParams;
        }),
      best: () =>
        call('best', [], () => {
          const measured = session.told.filter(({ state }) => state === 'measured');
          const score = ({ outputs }: (typeof measured)[number]): number =>
            Object.values(outputs ?? {})[0] ?? Infinity;
          return measured
            .sort((a, b) => score(a) - score(b))
            .slice(0, 1)
            .map(({ outputs }) => ({ ...outputs }));
        }),
      explain: () => call('explain', [], (): JsonValue => ({ known: session.told.length })),
      close: () =>
        call('close', [], () => {
          session.alive = false;
        }),
      onLost: (listener) => void this.#onLost.set(id, listener),
    };
    return session;
  }

  async #call<Value>(call: OptimizerCall, act: () => Value): Promise<Value> {
    this.calls.push(call);
    await this.before(call);
    const value = authored(act);
    await this.after(call);
    return value;
  }

  #workerAt(address: string): string {
    const worker = this.#workers.get(address);
    if (worker === undefined) throw this.#noWorker(address);
    return worker;
  }

  #noWorker(address: string): ServiceError {
    const there = [...this.#workers.keys()].join(', ');
    return new ServiceError(
      'optimizer_unavailable',
      `no optimizer worker is at ${address}; there are workers at: ${there === '' ? 'no address' : there}`,
    );
  }

  /** Merges runtime parameters. @param said names that were set in this call; others give way to them */
  #checked(overrides: JsonObject, said: readonly string[] = Object.keys(overrides)): RuntimeParameterValues {
    const { runtime_params: begun, arguments: known } = this.description;
    const faults = Object.keys(overrides)
      .filter((key) => !Object.hasOwn(begun, key) && !Object.hasOwn(known, key))
      .map((key) => ({
        path: `optimizer_overrides.${key}`,
        code: 'unknown',
        message: `there is no "${key}"`,
      }));
    const values: RuntimeParameterValues = { ...begun };
    for (const [key, value] of Object.entries(overrides))
      if (Object.hasOwn(begun, key) && (typeof value !== 'object' || value === null)) values[key] = value;
    const { p_ai: ai, p_bayesian: bayesian } = values;
    if (said.includes('p_ai') && !said.includes('p_bayesian')) values['p_bayesian'] = 1 - Number(ai);
    else if (said.includes('p_bayesian') && !said.includes('p_ai')) values['p_ai'] = 1 - Number(bayesian);
    if (Number(values['p_ai']) + Number(values['p_bayesian']) !== 1)
      faults.push({ path: 'optimizer_overrides.p_ai', code: 'sum', message: 'p_bayesian + p_ai must be 1' });
    if (typeof values['descending'] !== 'boolean')
      faults.push({ path: 'optimizer_overrides.descending', code: 'type', message: 'must be true or false' });
    if (faults.length > 0) throw new ServiceError('invalid', faults[0]?.message ?? 'invalid', { faults });
    return values;
  }
}

/** Turns an error of author code into an error of the optimizer. */
function authored<Value>(act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('optimizer_error', error instanceof Error ? error.message : String(error));
  }
}
