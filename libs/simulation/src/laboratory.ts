import { longestSimulationS, ServiceError, toServiceError, type TaskStart } from '@lab/contracts';
import { type Definitions, type DurationSamples, Engine, type WorkingRows } from '@lab/engine';
import { type Clock, type Log, VirtualClock } from '@lab/ports';
import type { Policy } from '@lab/scheduling';
import { History } from './history.js';
import { simulatedOptimizers } from './simulated-optimizers.js';
import { SimulatedAgents, type Course } from './simulated-agents.js';
import { SimulatedStore } from './simulated-store.js';
import { WatchedPolicy } from './watched-policy.js';

/** What a simulation takes from outside. */
export interface SimulationPorts {
  /** Real milliseconds from any beginning: for how long planning takes. */
  stopwatch: () => number;
  /** Asked again and again: true ends the simulation with an error. Absent: it is never ended. */
  shouldStop?: () => boolean;
}

export interface LaboratoryParts {
  definitions: Definitions;
  policy: (ports: { clock: Clock; log: Log }) => Policy;
  ports: SimulationPorts;
  /** What becomes of an attempt. */
  courseOf: (start: TaskStart) => Course;
  /** When it begins, in milliseconds since 1970. */
  now: number;
  /** What is going on when it begins. */
  rows?: WorkingRows;
  /** What tasks took before. */
  samples?: DurationSamples[];
  /** A protocol run is over. @param name of the run */
  onRunOver?: (name: string) => void;
}

/** Something out of the ordinary. */
export interface Happening {
  /** Milliseconds since 1970. */
  at: number;
  what: string;
  subject: string;
  detail: string;
}

/** After so many wake-ups of the engine in a row in which nothing starts or ends, nothing ever will. */
const maxIdleWakes = 1_000;
/** Longer than any simulation: computers of a simulation are never silent. */
const never = 10 * longestSimulationS * 1000;

/** A whole laboratory on a virtual clock: the engine and the policy that run the real one, and agents that only wait. */
export class Laboratory {
  readonly clock: VirtualClock;
  readonly store: SimulatedStore;
  readonly engine: Engine;
  readonly agents: SimulatedAgents;
  readonly history: History;
  readonly policy: WatchedPolicy;
  readonly happenings: Happening[] = [];
  /** What is still to come that is not of the engine: arrivals, ends of attempts, devices that come back. */
  #coming = 0;
  #activity = 0;
  #defect: ServiceError | undefined;
  readonly #shouldStop: () => boolean;

  constructor({ definitions, policy, ports, courseOf, now, rows, samples, onRunOver }: LaboratoryParts) {
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
        // After those of production in any order, for what is simulated comes after what is there.
        ids: { next: () => `sim-${(ids += 1).toString().padStart(9, '0')}` },
        store: this.store,
        agents: this.agents,
        optimizers: simulatedOptimizers(),
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

  /** Something is to happen after some time. */
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

  /** Something went wrong that must not: the simulation ends with it. */
  fail(error: unknown): void {
    this.#defect ??= toServiceError(error, 'none');
  }

  note(what: string, subject: string, detail: string): void {
    this.happenings.push({ at: this.clock.now(), what, subject, detail });
  }

  /** A device is out of order from now on, or not any more. @param device `<lab>.<device>` */
  setOutOfOrder(device: string, isOut: boolean): void {
    this.note(isOut ? 'device lost' : 'device back', device, '');
    if (isOut) this.agents.lose(device);
    else this.agents.restore(device);
    this.history.outOfOrder(device, isOut);
  }

  /**
   * Lets time pass until everything that was submitted is over.
   *
   * @param until in milliseconds since 1970
   * @returns `stuck`: nothing is to come, and what is left waits for ever
   * @throws ServiceError `aborted` when it was told to stop; `internal` for a defect
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

  /** Lets everything happen that needs no time. */
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
