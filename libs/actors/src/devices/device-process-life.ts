import type { AuthorError, DeviceAssignment, DeviceDoubt, FromDevice, ToDevice } from '@lab/contracts';
import type { Clock, Timers } from '@lab/ports';
import {
  describeExit,
  type AgentLimits,
  type AgentLog,
  type DeviceProcess,
  type ProcessExit,
} from '../ports/index.js';

/** The messages of a process that {@link DeviceProcessLife} does not handle itself. */
export type LifeMessage = Exclude<FromDevice, { type: 'reconciled' | 'stopped' | 'pong' }>;

export interface LifeListener {
  receive(message: LifeMessage): void;
  /** The event loop of the process has stopped to turn, or turns again. */
  responds(does: boolean): void;
  /** Called exactly once, after the last message. */
  exited(exit: ProcessExit): void;
}

export interface LifePorts {
  clock: Clock;
  timers: Timers;
  log: AgentLog;
}

/**
 * The outcome of a `_stop`: it ran, it threw, the class has none, no answer came in time, or the process ended meanwhile.
 */
export type StopOutcome = 'stopped' | 'failed' | 'unsupported' | 'silent' | 'gone';

/** The answer of a driver. `why`: what the driver found, or why the device cannot be assumed idle, for people. */
export interface Verdict {
  idle: boolean;
  why: string | undefined;
}

/** One process of a device, from its start to its exit, with the ladders that end it. */
export class DeviceProcessLife {
  #terminated = false;
  #over = false;
  #canStop = true;
  #followsAllocations = false;
  #stopping: { outcome: Promise<StopOutcome>; end: (outcome: StopOutcome) => void } | undefined;
  #cancelTimer: () => void = () => undefined;
  #resolveVerdict: (verdict: Verdict) => void = () => undefined;
  #cancelPing: () => void = () => undefined;
  /** When the ping was sent that is not answered yet. */
  #pingedAt: number | undefined;
  #responds = true;

  constructor(
    private readonly process: DeviceProcess,
    private readonly ports: LifePorts,
    private readonly limits: AgentLimits,
    private readonly listener: LifeListener,
  ) {
    process.onMessage((message) => this.#receive(message));
    process.onExit((exit) => {
      this.#over = true;
      this.#cancelTimer();
      this.#cancelPing();
      this.#stopping?.end('gone');
      const why = `its driver was asked, but its process ended (${describeExit(exit)})`;
      this.#resolveVerdict({ idle: false, why });
      listener.exited(exit);
    });
  }

  /** The class of the device wants to know which task has it. */
  get followsAllocations(): boolean {
    return this.#followsAllocations;
  }

  /** Sends `init`, and calls `late` when `_initialize` exceeds its time, unless {@link endLimit} was called. */
  initialize(device: DeviceAssignment, path: string, late: () => void): void {
    this.#limitCode(this.limits.deviceInitMs, late);
    const { lab, name, type: device_type, module, init_parameters } = device;
    this.send({ type: 'init', lab, name, device_type, module, path, init_parameters });
  }

  /** Asks the author's `_reconcile` whether the device is idle, before anything else runs. Never rejects. */
  reconcile(device: DeviceAssignment, path: string, inDoubt: DeviceDoubt['in_doubt']): Promise<Verdict> {
    const { deviceReconcileMs } = this.limits;
    const verdict = new Promise<Verdict>((resolve) => (this.#resolveVerdict = resolve));
    this.#limitCode(deviceReconcileMs, () =>
      this.#resolveVerdict({
        idle: false,
        why: `_reconcile did not end within ${deviceReconcileMs / 1000} s`,
      }),
    );
    const { lab, name, type: device_type, module, init_parameters } = device;
    const in_doubt = inDoubt.map(({ call_id, function: each }) => ({ call_id, function: each }));
    this.send({ type: 'reconcile', lab, name, device_type, module, path, init_parameters, in_doubt });
    return verdict;
  }

  /** Address at which a debugger may attach to the process; undefined: none may. */
  get debugger(): string | undefined {
    return this.process.debugger;
  }

  send(message: ToDevice): void {
    this.process.send(message);
  }

  /** Ends the running time limit, because its event has occurred. */
  endLimit(): void {
    this.#cancelTimer();
  }

  /** Runs the author's `_stop` beside everything in progress. A call while `_stop` runs waits for the same outcome. */
  stop(reason: string): Promise<StopOutcome> {
    if (this.#over) return Promise.resolve('gone');
    if (!this.#canStop) return Promise.resolve('unsupported');
    this.#stopping ??= this.#beginStop(reason);
    return this.#stopping.outcome;
  }

  /** Sends SIGTERM, upon which the host leaves the instrument safe, and SIGKILL later. */
  terminate(): void {
    if (this.#terminated) return;
    this.#terminated = true;
    this.process.kill('SIGTERM');
    this.#limit(this.limits.deviceAbortMs, () => this.process.kill('SIGKILL'));
  }

  /** Sends SIGKILL at once. The process sends nothing more and cleans up nothing. */
  kill(): void {
    this.#cancelTimer();
    this.process.kill('SIGKILL');
  }

  /**
   * Gives the process its time for `_cleanup` from now on. Then it gets SIGTERM, and later SIGKILL.
   *
   * @param hurried the time counts under a debugger too, because somebody waits for the end of the process
   * @param late called when that time is over
   */
  limitCleanUp(hurried: boolean, late: () => void): void {
    if (this.#terminated || (!hurried && this.process.debugger !== undefined)) return;
    this.#limit(this.limits.deviceCleanupMs, () => {
      late();
      this.process.kill('SIGTERM');
      this.#limit(this.limits.deviceKillMs, () => this.process.kill('SIGKILL'));
    });
  }

  #receive(message: FromDevice): void {
    if (message.type === 'stopped') {
      const { supported, error } = message;
      if (error !== undefined) this.#logError('_stop', error);
      this.#canStop = supported;
      this.#stopping?.end(!supported ? 'unsupported' : error === undefined ? 'stopped' : 'failed');
    } else if (message.type === 'reconciled') {
      this.#cancelTimer();
      if (message.error !== undefined) this.#logError('_reconcile', message.error);
      this.#resolveVerdict(verdictOf(message));
    } else if (message.type === 'pong') {
      this.#pingedAt = undefined;
      this.#setResponds(true);
    } else {
      if (message.type === 'init_failed') this.#logError('_initialize', message.error);
      if (message.type === 'cleaned_up' && message.error !== undefined)
        this.#logError('_cleanup', message.error);
      if (message.type === 'ready') {
        this.#canStop = message.can_stop ?? true;
        this.#followsAllocations = message.follows_allocations ?? false;
        this.#ping();
      }
      this.listener.receive(message);
    }
  }

  #beginStop(reason: string): { outcome: Promise<StopOutcome>; end: (outcome: StopOutcome) => void } {
    let settle: (outcome: StopOutcome) => void = () => undefined;
    const outcome = new Promise<StopOutcome>((resolve) => (settle = resolve));
    const cancel = this.ports.timers.after(this.limits.deviceStopMs, () => {
      this.ports.log.error('_stop did not end in time', { limit_ms: this.limits.deviceStopMs });
      end('silent');
    });
    const end = (result: StopOutcome): void => {
      cancel();
      this.#stopping = undefined;
      settle(result);
    };
    this.send({ type: 'stop', reason });
    return { outcome, end };
  }

  /** Pings the process, unless a person may hold it at a breakpoint. One that does not answer is only reported: a driver that blocks may be moving the instrument. */
  #ping(): void {
    const { clock, timers } = this.ports;
    this.#cancelPing();
    if (this.process.debugger !== undefined) return;
    this.#cancelPing = timers.after(this.limits.devicePingMs, () => {
      if (this.#pingedAt === undefined) {
        this.#pingedAt = clock.now();
        this.send({ type: 'ping' });
      } else if (clock.now() - this.#pingedAt >= this.limits.deviceSilentMs) {
        this.#setResponds(false);
      }
      this.#ping();
    });
  }

  #setResponds(does: boolean): void {
    if (does === this.#responds) return;
    this.#responds = does;
    this.listener.responds(does);
  }

  #logError(what: string, { message, stack }: AuthorError): void {
    this.ports.log.error(`${what} failed: ${message}`, stack === undefined ? {} : { stack });
  }

  /** Limits the time of author code. A person at a breakpoint has all the time. */
  #limitCode(ms: number, over: () => void): void {
    if (this.process.debugger === undefined) this.#limit(ms, over);
    else this.#cancelTimer();
  }

  /** Starts a time limit in place of the present one: each step of a ladder replaces the step before. */
  #limit(ms: number, over: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.ports.timers.after(ms, over);
  }
}

function verdictOf({ supported, idle, detail, error }: FromDevice & { type: 'reconciled' }): Verdict {
  if (error !== undefined) return { idle: false, why: `_reconcile failed: ${error.message}` };
  if (!supported) return { idle: false, why: 'its driver cannot tell, because it has no _reconcile' };
  if (idle) return { idle, why: detail };
  return { idle, why: `its driver says that it is not idle${detail === undefined ? '' : `: ${detail}`}` };
}
