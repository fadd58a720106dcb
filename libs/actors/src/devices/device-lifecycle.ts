import {
  isGivenUp,
  isInDoubt,
  isServiceError,
  longestDeviceTimeoutS,
  messageWithPlace,
  runtimeOf,
  toServiceError,
  type DeviceAssignment,
  type DeviceFunction,
} from '@lab/contracts';
import type { Clock, Timers } from '@lab/ports';
import type { CallRecords } from '../ledger/index.js';
import {
  describeExit,
  type AgentLimits,
  type AgentLog,
  type DeviceProcesses,
  type Modules,
  type ProcessExit,
} from '../ports/index.js';
import type { DeclaredFunctions } from './declared-functions.js';
import type { DeviceCalls, LostCalls } from './device-calls.js';
import { findDoubt, type Doubt } from './device-doubt.js';
import { DeviceProcessLife, type LifeMessage } from './device-process-life.js';
import type { DeviceStatusTracker } from './device-status.js';
import { RestartPauses } from './restart-pauses.js';
import { stopSafely } from './safe-stop.js';

export interface LifecyclePorts {
  clock: Clock;
  wall: Clock;
  timers: Timers;
  processes: DeviceProcesses;
  modules: Modules;
  records: CallRecords;
  log: AgentLog;
}

interface Stopping {
  readonly promise: Promise<void>;
  readonly done: () => void;
  /** `_cleanup` runs. */
  cleaning: boolean;
  /** The deadline of `_cleanup` runs. */
  limited: boolean;
}

/**
 * Starts, initialises, restarts and stops the process of one device, and asks its driver after an interrupted effect.
 *
 * Guarantees: one process at a time. A device whose process died in the middle of an effect does not initialise until its
 * driver or a person has said that it is idle. During an emergency stop no process starts.
 */
export class DeviceLifecycle {
  readonly #label: string;
  readonly #status: DeviceStatusTracker;
  readonly #functions: DeclaredFunctions;
  readonly #calls: DeviceCalls;
  readonly #pauses: RestartPauses;
  #life: DeviceProcessLife | undefined;
  /** The process is being ended in order to start another one. */
  #renewing = false;
  /** Counts the starts: a start that still waits for its module is outdated when the count has risen. */
  #starts = 0;
  #cancelRestart: () => void = () => undefined;
  #stopping: Stopping | undefined;
  /** Why no process starts any more, for people; undefined: one may start. */
  #retired: string | undefined;

  constructor(
    private readonly device: DeviceAssignment,
    parts: { status: DeviceStatusTracker; functions: DeclaredFunctions; calls: DeviceCalls },
    private readonly ports: LifecyclePorts,
    private readonly limits: AgentLimits,
  ) {
    this.#label = `${device.lab}.${device.name}`;
    this.#status = parts.status;
    this.#functions = parts.functions;
    this.#calls = parts.calls;
    this.#pauses = new RestartPauses(limits);
  }

  /** The present process of the device. */
  get process(): DeviceProcessLife | undefined {
    return this.#life;
  }

  get stopping(): boolean {
    return this.#stopping !== undefined;
  }

  /**
   * Starts a process, unless there is one or the device is being stopped. During an emergency stop and after
   * {@link retire} it only sets the state. If the device is in doubt, the new process first asks the driver; otherwise it
   * initialises.
   */
  start(): void {
    if (this.#stopping !== undefined || this.#life !== undefined) return;
    this.#cancelRestart();
    const start = ++this.#starts;
    const doubt = this.#status.doubt;
    const why = this.#status.stopText ?? this.#retired;
    if (why !== undefined) {
      if (doubt !== undefined) this.#status.to('uncertain', `${doubt.what}; ${why}`);
      else this.#status.to('disabled', why);
      return;
    }
    if (doubt === undefined) this.#status.to('initializing', null);
    else this.#status.to('uncertain', `${doubt.what}; its driver is asked`);
    this.ports.modules.path(this.device.module, this.#label).then(
      (path) => {
        if (start === this.#starts) this.#launch(path, doubt);
      },
      (error: unknown) => {
        if (start === this.#starts) this.#withoutModule(error, doubt);
      },
    );
  }

  /**
   * Starts no process from now on, so that an instrument that was parked stays parked. The present process goes on.
   *
   * @param why for people
   */
  retire(why: string): void {
    this.#retired ??= why;
    this.cancelStart();
  }

  /** Cancels a start that waits for its module or its pause. */
  cancelStart(): void {
    this.#cancelRestart();
    this.#starts += 1;
  }

  /** Ends the process with SIGTERM, whatever it does at the moment. */
  end(detail: string): void {
    const life = this.#life;
    if (life === undefined) return;
    if (this.#status.state === 'busy') this.#status.to('aborting', detail);
    else if (this.#status.state === 'idle' || this.#status.state === 'initializing')
      this.#status.to('restarting', detail);
    this.#calls.refuseUnsent(`is ${this.#status.state}`);
    life.terminate();
  }

  /** Runs the ladder of {@link stopSafely} for the call in progress, or else for the initialisation. */
  async stopSafely(reason: string, forced: boolean): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    const call = this.#calls.moving;
    const goesOn = (): boolean =>
      this.#life === life &&
      (call === undefined ? this.#status.state === 'initializing' : this.#calls.moving === call);
    const end = (detail: string): void => this.end(detail);
    const stopped = stopSafely({ life, reason, forced, goesOn, end }, this.ports.timers, this.limits);
    await (forced ? this.#status.whileStopping(stopped) : stopped);
  }

  /**
   * Settles the doubt of the device in the name of a person, forgets its crashes and starts a new process.
   *
   * @throws ServiceError `service_unavailable` when the settlement could not be recorded
   */
  async reset(by: string): Promise<void> {
    const doubt = this.#status.doubt;
    if (doubt !== undefined && !(await this.#settle(doubt, by))) return;
    this.ports.log.warn('a person has reset the device', { by, doubt: doubt?.known.id ?? null });
    this.#pauses.forgetCrashes();
    this.#renew();
  }

  /**
   * Refuses new calls, lets the effect in progress end in its own time, runs `_cleanup` and ends the process; after the
   * deadline with SIGTERM, then SIGKILL. Resolves when the process has ended. A second call may hurry the first.
   *
   * @param hurried the deadline counts from now; otherwise it counts from the beginning of `_cleanup`
   */
  stop(hurried: boolean): Promise<void> {
    const stopping = (this.#stopping ??= this.#beginStop());
    if (hurried) this.#limitStop(true);
    return stopping.promise;
  }

  #beginStop(): Stopping {
    let done: () => void = () => undefined;
    const promise = new Promise<void>((resolve) => {
      done = resolve;
    });
    const stopping: Stopping = { promise, done, cleaning: false, limited: false };
    this.#stopping = stopping;
    this.#status.leaving = true;
    this.cancelStart();
    this.#calls.refuseUnsent('is being stopped');
    if (this.#life === undefined) this.#stopped();
    // A process that has not initialised, or is given up, must not touch the instrument to clean up.
    else if (isGivenUp(this.#status.state) || isInDoubt(this.#status.state)) this.#life.kill();
    else this.cleanUpWhenQuiet();
    return stopping;
  }

  #limitStop(hurried: boolean): void {
    if (this.#stopping === undefined || this.#stopping.limited) return;
    this.#stopping.limited = hurried || this.#life?.debugger === undefined;
    this.#life?.limitCleanUp(hurried, () =>
      this.ports.log.warn('the device did not clean up in time; ending its process'),
    );
  }

  /** Runs `_cleanup` if a stop has begun and no effect is in progress. The end of every effect calls this. */
  cleanUpWhenQuiet(): void {
    const stopping = this.#stopping;
    if (stopping === undefined || stopping.cleaning || !this.#calls.quiet) return;
    stopping.cleaning = true;
    this.#limitStop(false);
    this.#life?.send({ type: 'cleanup' });
  }

  #stopped(): void {
    this.#functions.replace([], 0);
    if (this.#status.state !== 'disabled') this.#status.to('disabled', null);
    this.#stopping?.done();
  }

  #launch(path: string, doubt: Doubt | undefined): void {
    this.#pauses.started();
    const process = this.ports.processes.start(this.device);
    const life = new DeviceProcessLife(process, this.ports, this.limits, {
      receive: (message) => this.#receive(life, message),
      responds: (does) => {
        // The first ping without an answer was sent this long ago.
        this.#status.silentSince = does ? undefined : this.ports.wall.now() - this.limits.deviceSilentMs;
        if (!does) this.ports.log.error('the process of the device does not respond');
      },
      exited: (exit) => this.#exited(exit),
    });
    this.#life = life;
    this.#status.debugger = life.debugger;
    if (doubt === undefined) this.#initialize(life, path);
    else void this.#askDriver(life, path, doubt);
  }

  #initialize(life: DeviceProcessLife, path: string): void {
    life.initialize(this.device, path, () =>
      this.#fault(`_initialize did not end within ${this.limits.deviceInitMs / 1000} s`),
    );
  }

  /** Initialises a device in doubt only if its driver says that nothing moves, and only once that is durable. */
  async #askDriver(life: DeviceProcessLife, path: string, doubt: Doubt): Promise<void> {
    const start = this.#starts;
    const { idle, why } = await life.reconcile(this.device, path, doubt.known.in_doubt);
    if (start !== this.#starts) return;
    if (!idle) {
      this.#askPeople(why ?? 'its driver cannot tell');
      return;
    }
    this.ports.log.info('the driver says that the device is idle', { found: why });
    try {
      if (!(await this.#settle(doubt, 'driver'))) return;
    } catch (error) {
      this.#askPeople(`what its driver says could not be recorded: ${toServiceError(error).message}`);
      this.#startIn(this.limits.deviceBackoffMaxMs);
      return;
    }
    if (start !== this.#starts || this.#life !== life) {
      this.#renew();
      return;
    }
    this.#status.to('initializing', why ?? null);
    this.#initialize(life, path);
  }

  #withoutModule(error: unknown, doubt: Doubt | undefined): void {
    const isRefused = isServiceError(error) && error.code === 'forbidden';
    const reason = `the code of the device is ${isRefused ? 'refused' : 'missing'}: ${toServiceError(error).message}`;
    const isFinal = isRefused || (isServiceError(error) && error.code === 'not_found');
    if (doubt !== undefined) {
      this.#status.to('uncertain', `${doubt.what}; ${reason}`);
      if (!isFinal) this.#startIn(this.#pauses.startFailed());
    } else if (isFinal) {
      this.#fault(reason);
    } else {
      this.#restartIn(this.#pauses.startFailed(), reason);
    }
  }

  #receive(life: DeviceProcessLife, message: LifeMessage): void {
    switch (message.type) {
      case 'ready':
        if (this.#status.state !== 'initializing') return;
        life.endLimit();
        this.#status.runtime = runtimeOf(this.device.module, message.version);
        this.#functions.replace(
          life.debugger === undefined ? message.functions : message.functions.map(withoutLimit),
          this.limits.deviceCallMs / 1_000,
        );
        if (this.#stopping === undefined) this.#status.to('idle', null);
        this.#calls.pump();
        return;
      case 'init_failed':
        // An emergency stop in the middle of the initialisation is no fault of the device.
        if (this.#status.stopText !== undefined || this.#status.state !== 'initializing') return;
        this.#fault(messageWithPlace(message.error));
        return;
      case 'result':
        this.#calls.answered(message.call_id, undefined, message.value);
        return;
      case 'failure':
        this.#calls.answered(message.call_id, message, undefined);
        return;
      case 'cleaned_up':
        return;
      case 'asks':
        this.#status.asks =
          message.text === null ? undefined : { text: message.text, since_ms: this.ports.wall.now() };
        return;
      case 'log':
        this.ports.log[message.level](message.text, { source: 'device' });
        return;
    }
  }

  /** Keeps the doubt and asks a person: no process of the device may run until the doubt is settled. */
  #askPeople(why: string): void {
    if (this.#status.doubt === undefined || this.#stopping !== undefined) return;
    this.#status.to('uncertain', `${this.#status.doubt.what}; ${why}`);
    this.#life?.kill();
  }

  /**
   * Makes the end of a doubt durable.
   *
   * @returns false when the doubt was settled by another party meanwhile
   */
  async #settle(doubt: Doubt, by: string): Promise<boolean> {
    await this.ports.records.settled(this.#label, by);
    if (this.#status.doubt !== doubt) return false;
    this.#status.doubt = undefined;
    return true;
  }

  /** Starts a new process, after the end of the present one if there is one. */
  #renew(): void {
    if (this.#stopping !== undefined) return;
    if (this.#life === undefined) {
      this.start();
      return;
    }
    this.#renewing = true;
    this.#life.kill();
  }

  #exited(exit: ProcessExit): void {
    this.#life = undefined;
    this.#status.runtime = undefined;
    this.#status.debugger = undefined;
    this.#status.silentSince = undefined;
    this.#status.asks = undefined;
    const how = describeExit(exit);
    const lost = this.#calls.lost(how);
    this.#afterExit(how, lost);
    lost.settle(this.#status.state === 'restarting');
  }

  #afterExit(how: string, { interrupted, overdue }: LostCalls): void {
    const cause = overdue === undefined ? `the process ended (${how})` : `${overdue} and was aborted`;
    if (interrupted !== undefined) {
      const { id: callId, name, attemptId, arguments: given, by } = interrupted;
      const neverSent = (id: string): boolean => this.#calls.neverSent(id);
      const call = { callId, function: name, attemptId, arguments: given, by };
      this.#status.doubt = findDoubt(this.ports.records, this.#label, cause, neverSent, call);
    }
    const renewing = this.#renewing;
    this.#renewing = false;
    if (this.#stopping !== undefined) {
      this.#stopped();
    } else if (renewing) {
      this.start();
    } else if (isGivenUp(this.#status.state)) {
      return;
    } else if (this.#status.stopText !== undefined || this.#retired !== undefined) {
      // An emergency stop or the end of the agent ended the process. That is no crash, and nothing starts.
      this.start();
    } else if (!isInDoubt(this.#status.state)) {
      this.#crashed(this.#status.doubt?.what ?? cause);
    }
  }

  #crashed(detail: string): void {
    const { crashes, pauseMs } = this.#pauses.crashed(this.ports.clock.now());
    if (this.#status.doubt !== undefined) this.#status.to('uncertain', detail);
    if (crashes >= this.limits.deviceCrashes) {
      this.#fault(
        `${crashes} crashes within ${this.limits.deviceCrashWindowMs / 60_000} min; the last: ${detail}`,
      );
    } else if (this.#status.doubt !== undefined) {
      this.start();
    } else {
      this.#restartIn(pauseMs, detail);
    }
  }

  #restartIn(ms: number, detail: string): void {
    this.ports.log.warn('the device restarts', { detail, in_ms: ms });
    this.#status.to('restarting', `restarts in ${ms / 1000} s: ${detail}`);
    this.#startIn(ms);
  }

  #startIn(ms: number): void {
    this.#cancelRestart();
    this.#cancelRestart = this.ports.timers.after(ms, () => this.start());
  }

  #fault(detail: string): void {
    if (this.#stopping !== undefined) return;
    this.ports.log.error('the device is faulted', { detail });
    this.#status.to('faulted', detail);
    this.#life?.kill();
  }
}

/** Callers learn the limits from the device. So no caller gives up while a person stands at a breakpoint. */
const withoutLimit = (declared: DeviceFunction): DeviceFunction => ({
  ...declared,
  timeout_s: longestDeviceTimeoutS,
});
