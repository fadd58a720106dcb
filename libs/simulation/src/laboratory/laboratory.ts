import { longestSimulationS, ServiceError, toServiceError, type TaskStart } from '@lab/contracts';
import {
  type Definitions,
  type DurationSamples,
  Engine,
  type Optimizers,
  type WorkingRows,
} from '@lab/engine';
import type { Policy } from '@lab/scheduling';
import { type Clock, type Log, VirtualClock } from '@lab/ports';
import { History } from './history.js';
import { type Course, SimulatedAgents } from './simulated-agents.js';
import { simulatedOptimizers } from './simulated-optimizers.js';
import { SimulatedStore } from './simulated-store.js';
import { WatchedPolicy } from './watched-policy.js';

/** What a simulation needs from its caller. */
export interface SimulationPorts {
  /** Real milliseconds from any start, to measure how long planning takes. */
  stopwatch: () => number;
  /** Polled during the simulation: true ends it with an error. Absent: nothing ends it early. */
  shouldStop?: () => boolean;
}

export interface LaboratoryParts {
  definitions: Definitions;
  policy: (ports: { clock: Clock; log: Log }) => Policy;
  ports: SimulationPorts;
  /** How an attempt ends. */
  courseOf: (start: TaskStart) => Course;
  /** Start of the simulation, in milliseconds since 1970. */
  now: number;
  /** Unfinished rows at the start. */
  rows?: WorkingRows;
  /** Observed durations of tasks before the start. */
  samples?: DurationSamples[];
  /** Optimizers of campaigns. Default: each proposes the row of the latest trial again. */
  optimizers?: Optimizers;
  /** Called with the name of each protocol run that ends. */
  onRunOver?: (name: string) => void;
}

/** An exceptional event in a simulation. */
export interface Happening {
  /** Milliseconds since 1970. */
  at: number;
  what: string;
  subject: string;
  detail: string;
}

/** After this many wake-ups of the engine in a row without a start or end, the remaining work is stuck. */
const maxIdleWakes = 1_000;
/** Longer than any simulation, because simulated computers are never silent. */
const never = 10 * longestSimulationS * 1000;

/**
 * A whole laboratory on a virtual clock: the engine and scheduling policy of the real laboratory, and simulated
 * agents.
 */
export class Laboratory {
  readonly clock: VirtualClock;
  readonly store: SimulatedStore;
  readonly engine: Engine;
  readonly agents: SimulatedAgents;
  readonly history: History;
  readonly policy: WatchedPolicy;
  readonly happenings: Happening[] = [];
  /** Number of pending events outside of the engine: arrivals, ends of attempts, devices that come back. */
  #coming = 0;
  #activity = 0;
  #defect: ServiceError | undefined;
  readonly #shouldStop: () => boolean;

  constructor({ definitions, policy, ports, courseOf, now, ...more }: LaboratoryParts) {
    const { rows, samples, optimizers = simulatedOptimizers(), onRunOver } = more;
    const active = (): void => void (this.#activity += 1);
    this.#shouldStop = ports.shouldStop ?? (() => false);
    this.clock = new VirtualClock(now);
    this.store = new SimulatedStore(rows, samples);
    this.history = new History(this.store.rows, () => this.clock.now(), onRunOver);
    this.store.onCommit = (changes) => {
      active();
      this.history.note(changes);
    };
    const log = this.#log();
    this.policy = new WatchedPolicy(policy({ clock: this.clock, log }), ports.stopwatch, active);
    this.agents = new SimulatedAgents({
      after: (ms, callback) => this.after(ms, callback),
      courseOf,
      registerAgent: (agent) => this.engine.agents.register(agent),
      deviceChanged: (computer, inc, device) => this.engine.agents.deviceChanged(computer, inc, device),
      attemptEnded: (result) => {
        active();
        this.engine.agents.attemptEnded(result).catch((error: unknown) => this.fail(error));
      },
    });
    let ids = 0;
    this.engine = new Engine(
      {
        clock: this.clock,
        timers: this.clock,
        // These ids sort after those of production, because simulated work comes after real work.
        ids: { next: () => `sim-${(ids += 1).toString().padStart(9, '0')}` },
        store: this.store,
        agents: this.agents,
        optimizers,
        definitions,
        policy: this.policy,
        log,
      },
      {
        suspectAfterMs: never,
        offlineAfterMs: never,
        lostAfterMs: never,
        maxQueued: Infinity,
        maxQueuedPerOwner: Infinity,
      },
    );
  }

  /** Runs `callback` after a simulated time. */
  after(ms: number, callback: () => void): () => void {
    this.#coming += 1;
    let isComing = true;
    const over = (): boolean => {
      if (!isComing) return false;
      isComing = false;
      this.#coming -= 1;
      return true;
    };
    const cancel = this.clock.after(ms, () => {
      if (over()) callback();
    });
    return () => {
      over();
      cancel();
    };
  }

  /** Ends the simulation because of an error that must not happen. */
  fail(error: unknown): void {
    this.#defect ??= toServiceError(error, 'none');
  }

  note(what: string, subject: string, detail: string): void {
    this.happenings.push({ at: this.clock.now(), what, subject, detail });
  }

  /** A device goes out of order, or comes back. @param device `<lab>.<device>` */
  setOutOfOrder(device: string, isOut: boolean): void {
    this.note(isOut ? 'device lost' : 'device back', device, '');
    if (isOut) this.agents.lose(device);
    else this.agents.restore(device);
    this.history.outOfOrder(device, isOut);
  }

  /**
   * Lets time pass until all work is over.
   *
   * @param until milliseconds since 1970
   * @returns `stuck` when no event is pending and the remaining work waits for ever
   * @throws ServiceError `aborted` when `shouldStop` returned true; `internal` for a defect
   */
  async run(until: number): Promise<'completed' | 'stuck' | 'horizon'> {
    let idle = 0;
    let progress = -1;
    for (;;) {
      await this.settle();
      if (this.#coming === 0 && this.history.open === 0) return 'completed';
      const next = this.clock.next;
      if (next === undefined || (this.#coming === 0 && idle >= maxIdleWakes)) return 'stuck';
      if (this.#coming === 0 && next - this.clock.now() > never / 2) return 'stuck';
      if (next > until) {
        await this.clock.advanceTo(until);
        return 'horizon';
      }
      idle = this.history.progress === progress ? idle + 1 : 0;
      progress = this.history.progress;
      await this.clock.advanceTo(next);
    }
  }

  /** Runs everything that needs no time. */
  async settle(): Promise<void> {
    let before: number;
    do {
      before = this.#activity;
      await this.clock.settle();
    } while (this.#activity !== before && this.#defect === undefined);
    if (this.#defect !== undefined) throw this.#defect;
    if (this.#shouldStop())
      throw new ServiceError('aborted', 'the simulation took longer than it may; nothing was changed');
  }

  async stop(): Promise<void> {
    await this.engine.stop();
  }

  #log(): Log {
    const write = (message: string, fields: Record<string, unknown> = {}): void =>
      this.note('warning', message, Object.keys(fields).length === 0 ? '' : JSON.stringify(fields));
    return {
      debug: () => undefined,
      info: () => undefined,
      warn: write,
      error: (message, fields) => {
        write(message, fields);
        if (message === 'defect') this.fail(new ServiceError('internal', String(fields?.['message'])));
      },
    };
  }
}
