import type { AuthorError, DeviceAssignment, DeviceDoubt, FromDevice, ToDevice } from '@lab/contracts';
import type { Clock, Timers } from '@lab/ports';
import {
  describeExit,
  type AgentLimits,
  type AgentLog,
  type DeviceProcess,
  type ProcessExit,
} from '../ports/index.js';

/** What a process says beside the answers that its life waits for itself. */
export type Heard = Exclude<FromDevice, { type: 'reconciled' | 'stopped' | 'pong' }>;

export interface LifeListener {
  hear(message: Heard): void;
  /** The event loop of the process stands still, or turns again. */
  responds(does: boolean): void;
  /** Told exactly once, after the last message. */
  exited(exit: ProcessExit): void;
}

export interface LifePorts {
  clock: Clock;
  timers: Timers;
  log: AgentLog;
}

/**
 * What came of a `_stop`: done, it threw, the class has none, no answer in time, or the process ended meanwhile.
 */
export type StopOutcome = 'stopped' | 'failed' | 'unsupported' | 'silent' | 'gone';

/** What the driver of a device says of it; `why`: what it found, or why it cannot be believed idle, for people. */
export interface Verdict {
  idle: boolean;
  why: string | undefined;
}

/** One life of a device's process, from its start to its exit, with the ladders by which it is ended. */
export class DeviceLife {
  readonly #process: DeviceProcess;
  readonly #ports: LifePorts;
  readonly #limits: AgentLimits;
  readonly #listener: LifeListener;
  #terminated = false;
  #over = false;
  #canStop = true;
  #stopping: { outcome: Promise<StopOutcome>; tell: (outcome: StopOutcome) => void } | undefined;
  #cancelTimer: () => void = () => undefined;
  #tellVerdict: (verdict: Verdict) => void = () => undefined;
  #cancelPing: () => void = () => undefined;
  /** When the ping was sent that is not answered yet. */
  #pingedAt: number | undefined;
  #responds = true;

  constructor(process: DeviceProcess, ports: LifePorts, limits: AgentLimits, listener: LifeListener) {
    this.#process = process;
    this.#ports = ports;
    this.#limits = limits;
    this.#listener = listener;
    process.onMessage((message) => this.#hear(message));
    process.onExit((exit) => {
      this.#over = true;
      this.#cancelTimer();
      this.#cancelPing();
      this.#stopping?.tell('gone');
      const why = `its driver was asked, but its process ended (${describeExit(exit)})`;
      this.#tellVerdict({ idle: false, why });
      listener.exited(exit);
    });
  }

  /** It was told to end by {@link terminate}. */
  get terminated(): boolean {
    return this.#terminated;
  }

  /** Its class has `_stop`, as far as is known. */
  get canStop(): boolean {
    return this.#canStop;
  }

  /** Sends `init`. `late` is told when `_initialize` outlives its time; {@link settled} ends that. */
  initialize(device: DeviceAssignment, path: string, late: () => void): void {
    this.#limit(this.#limits.deviceInitMs, late);
    const { lab, name, module, init_parameters } = device;
    this.send({ type: 'init', lab, name, module, path, init_parameters });
  }

  /** Asks the author's `_reconcile`, before anything else, whether the device is idle. Never rejects. */
  reconcile(device: DeviceAssignment, path: string, inDoubt: DeviceDoubt['in_doubt']): Promise<Verdict> {
    const { deviceReconcileMs } = this.#limits;
    const verdict = new Promise<Verdict>((resolve) => (this.#tellVerdict = resolve));
    this.#limit(deviceReconcileMs, () =>
      this.#tellVerdict({ idle: false, why: `_reconcile did not end within ${deviceReconcileMs / 1000} s` }),
    );
    const { lab, name, module, init_parameters } = device;
    const in_doubt = inDoubt.map(({ call_id, function: each }) => ({ call_id, function: each }));
    this.send({ type: 'reconcile', lab, name, module, path, init_parameters, in_doubt });
    return verdict;
  }

  send(message: ToDevice): void {
    this.#process.send(message);
  }

  /** What was waited for has come. */
  settled(): void {
    this.#cancelTimer();
  }

  /** Runs the author's `_stop`, past everything that is in progress. Asking again while it runs asks nothing. */
  stop(reason: string): Promise<StopOutcome> {
    if (this.#over) return Promise.resolve('gone');
    if (!this.#canStop) return Promise.resolve('unsupported');
    this.#stopping ??= this.#beginStop(reason);
    return this.#stopping.outcome;
  }

  /** SIGTERM, upon which the host leaves the instrument safe, then SIGKILL. */
  terminate(): void {
    if (this.#terminated) return;
    this.#terminated = true;
    this.#process.kill('SIGTERM');
    this.#limit(this.#limits.deviceAbortMs, () => this.#process.kill('SIGKILL'));
  }

  /** SIGKILL at once: the process says nothing more, and cleans nothing up. */
  kill(): void {
    this.#cancelTimer();
    this.#process.kill('SIGKILL');
  }

  /**
   * From now on the process has its time for `_cleanup`; then SIGTERM, then SIGKILL.
   *
   * @param late told when that time is over
   */
  limitCleanUp(late: () => void): void {
    if (this.#terminated) return;
    this.#limit(this.#limits.deviceCleanupMs, () => {
      late();
      this.#process.kill('SIGTERM');
      this.#limit(this.#limits.deviceKillMs, () => this.#process.kill('SIGKILL'));
    });
  }

  #hear(message: FromDevice): void {
    if (message.type === 'stopped') {
      const { supported, error } = message;
      if (error !== undefined)
        this.#ports.log.error(`_stop failed: ${error.message}`, { stack: error.stack });
      this.#canStop = supported;
      this.#stopping?.tell(!supported ? 'unsupported' : error === undefined ? 'stopped' : 'failed');
    } else if (message.type === 'reconciled') {
      this.#cancelTimer();
      if (message.error !== undefined) this.#logError('_reconcile', message.error);
      this.#tellVerdict(verdictOf(message));
    } else if (message.type === 'pong') {
      this.#pingedAt = undefined;
      this.#tellResponds(true);
    } else {
      if (message.type === 'init_failed') this.#logError('_initialize', message.error);
      if (message.type === 'cleaned_up' && message.error !== undefined)
        this.#logError('_cleanup', message.error);
      if (message.type === 'ready') {
        this.#canStop = message.can_stop ?? true;
        this.#ping();
      }
      this.#listener.hear(message);
    }
  }

  #beginStop(reason: string): { outcome: Promise<StopOutcome>; tell: (outcome: StopOutcome) => void } {
    let settle: (outcome: StopOutcome) => void = () => undefined;
    const outcome = new Promise<StopOutcome>((resolve) => (settle = resolve));
    const cancel = this.#ports.timers.after(this.#limits.deviceStopMs, () => {
      this.#ports.log.error('_stop did not end in time', { limit_ms: this.#limits.deviceStopMs });
      tell('silent');
    });
    const tell = (result: StopOutcome): void => {
      cancel();
      this.#stopping = undefined;
      settle(result);
    };
    this.send({ type: 'stop', reason });
    return { outcome, tell };
  }

  /** A process that does not answer is told of and left alone: a driver that blocks may be moving something. */
  #ping(): void {
    const { clock, timers } = this.#ports;
    this.#cancelPing();
    this.#cancelPing = timers.after(this.#limits.devicePingMs, () => {
      if (this.#pingedAt === undefined) {
        this.#pingedAt = clock.now();
        this.send({ type: 'ping' });
      } else if (clock.now() - this.#pingedAt >= this.#limits.deviceSilentMs) {
        this.#tellResponds(false);
      }
      this.#ping();
    });
  }

  #tellResponds(does: boolean): void {
    if (does === this.#responds) return;
    this.#responds = does;
    this.#listener.responds(does);
  }

  #logError(what: string, { message, stack }: AuthorError): void {
    this.#ports.log.error(`${what} failed: ${message}`, stack === undefined ? {} : { stack });
  }

  /** One limit at a time: each step of a ladder takes the place of the one before. */
  #limit(ms: number, over: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#ports.timers.after(ms, over);
  }
}

function verdictOf({ supported, idle, detail, error }: FromDevice & { type: 'reconciled' }): Verdict {
  if (error !== undefined) return { idle: false, why: `_reconcile failed: ${error.message}` };
  if (!supported) return { idle: false, why: 'its driver cannot tell, for it has no _reconcile' };
  if (idle) return { idle, why: detail };
  return { idle, why: `its driver says that it is not idle${detail === undefined ? '' : `: ${detail}`}` };
}
