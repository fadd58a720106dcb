import {
  defaultDeviceTimeoutS,
  deviceTimeoutMs,
  isServiceError,
  isUsable,
  mayFollow,
  deviceTransitions,
  ServiceError,
  toServiceError,
  type AuthorError,
  type DeviceAssignment,
  type DeviceFunction,
  type DeviceState,
  type DeviceStatus,
  type Fault,
  type FromDevice,
  type JsonObject,
  type JsonValue,
} from '@lab/contracts';
import { DeviceCalls, type LostCalls } from './device-calls.js';
import { DeviceLife } from './device-life.js';
import type { AgentLimits } from './limits.js';
import type { CheckArguments, Clock, DeviceProcesses, Log, Modules, ProcessExit, Timers } from './ports.js';
import { describeExit } from './process-exit.js';

export interface DeviceCall {
  function: string;
  arguments: JsonObject;
  /** How long the caller waits for the call to begin, in milliseconds; default: as long as the function may take. */
  patienceMs?: number | undefined;
  /** Fired: the call is withdrawn if it has not begun. One that has begun goes on to its end. */
  signal?: AbortSignal | undefined;
}

interface Stopping {
  readonly promise: Promise<void>;
  readonly done: () => void;
  cleaning: boolean;
  /** The time for it runs. */
  limited: boolean;
}

export interface DeviceActorPorts {
  clock: Clock;
  timers: Timers;
  processes: DeviceProcesses;
  modules: Modules;
  checkArguments: CheckArguments;
  log: Log;
}

/**
 * One device: its process, its state and its mailbox.
 *
 * Guarantees: at most one effect is in progress; a call is sent to the process at most once; a call that was sent is
 * settled only when the process answered it or is dead, so that a settled call moves nothing any more; one process at
 * a time; a call has the whole time that its function declares, counted from its begin, however long it waited. A query
 * that takes longer while an effect is in progress is the exception: it is given up alone.
 */
export class DeviceActor {
  readonly assignment: DeviceAssignment;
  readonly #ports: DeviceActorPorts;
  readonly #limits: AgentLimits;
  readonly #changed: (status: DeviceStatus) => void;
  readonly #calls: DeviceCalls;
  readonly #functions = new Map<string, DeviceFunction>();
  #state: DeviceState = 'disabled';
  #detail: string | null = null;
  #life: DeviceLife | undefined;
  #crashes: number[] = [];
  #missedModules = 0;
  #cancelRestart: () => void = nothing;
  #stopping: Stopping | undefined;

  constructor(
    assignment: DeviceAssignment,
    ports: DeviceActorPorts,
    limits: AgentLimits,
    changed: (status: DeviceStatus) => void,
  ) {
    this.assignment = assignment;
    this.#ports = ports;
    this.#limits = limits;
    this.#changed = changed;
    this.#calls = new DeviceCalls(
      {
        label: this.label,
        timers: ports.timers,
        log: ports.log,
        open: () => isUsable(this.#state) && this.#life !== undefined,
        send: (message) => this.#life?.send(message),
        busyWith: (name) => this.#busyWith(name),
        overdue: (detail) => this.#endOverdue(detail),
      },
      limits,
    );
  }

  get label(): string {
    return `${this.assignment.lab}.${this.assignment.name}`;
  }

  get state(): DeviceState {
    return this.#state;
  }

  get functions(): DeviceFunction[] {
    return [...this.#functions.values()];
  }

  get status(): DeviceStatus {
    const { lab, name } = this.assignment;
    return { lab, name, state: this.#state, detail: this.#detail, functions: this.functions };
  }

  /** Starts the process and initialises the device; what comes of it is seen in the state. */
  start(): void {
    if (this.#stopping !== undefined || this.#life !== undefined) return;
    this.#to('initializing', null);
    this.#ports.modules.path(this.assignment.module).then(
      (path) => this.#launch(path),
      (error: unknown) => this.#withoutModule(error),
    );
  }

  /**
   * Calls a declared function, with its defaults for what is not given.
   *
   * @throws ServiceError `device_unavailable`, `unknown_function`, `invalid` with every fault of the arguments and
   *   `aborted` (effect none); `device_error` when the
   *   function threw or its process died; `deadline_exceeded`, with effect none when it did not begin in time
   */
  call(call: DeviceCall): Promise<JsonValue | undefined> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const declared = this.#functions.get(call.function);
    if (declared === undefined) {
      const known = [...this.#functions.keys()].join(', ') || 'none';
      return Promise.reject(
        new ServiceError(
          'unknown_function',
          `device ${this.label} has no function '${call.function}'; it has: ${known}`,
        ),
      );
    }
    const { values, faults } = this.#ports.checkArguments(declared, call.arguments);
    if (faults.length > 0) return Promise.reject(this.#misused(declared.name, faults));
    const runMs = deviceTimeoutMs(declared);
    return this.#calls.post({
      query: declared.kind === 'query',
      name: call.function,
      message: (id) => ({ type: 'call', call_id: id, function: call.function, arguments: values }),
      patienceMs: call.patienceMs ?? runMs,
      runMs,
      signal: call.signal,
    });
  }

  /**
   * The device's `_report()`, run like a query.
   *
   * @throws ServiceError `device_unavailable`, `device_error`, `deadline_exceeded`
   */
  async report(): Promise<JsonObject> {
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal;
    const value = await this.#calls.post({
      query: true,
      name: '_report',
      message: (id) => ({ type: 'report', call_id: id }),
      patienceMs: this.#limits.deviceReportMs,
      runMs: this.#limits.deviceReportMs,
      signal: undefined,
    });
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw new ServiceError('device_error', `_report of device ${this.label} returned no object`);
  }

  /**
   * Ends the process when a call is in progress, which fails that call with effect maybe; the device restarts. Like every
   * abort it is a SIGTERM first, upon which the host leaves the instrument safe.
   */
  abort(reason: string): void {
    if (this.#state !== 'busy' || this.#life === undefined) return;
    this.#to('aborting', reason);
    this.#life.terminate();
  }

  /**
   * Refuses new calls, lets the effect in progress end in its own time, runs `_cleanup` and ends the process; after the
   * deadline by SIGTERM, then SIGKILL. Resolves when the process is gone. May be called again, to hurry.
   *
   * @param hurried the deadline counts from now; else from the begin of `_cleanup`
   */
  stop(hurried = false): Promise<void> {
    const stopping = (this.#stopping ??= this.#beginStop());
    if (hurried) this.#limitStop();
    return stopping.promise;
  }

  #beginStop(): Stopping {
    let done: () => void = nothing;
    const promise = new Promise<void>((resolve) => {
      done = resolve;
    });
    const stopping: Stopping = { promise, done, cleaning: false, limited: false };
    this.#stopping = stopping;
    this.#cancelRestart();
    this.#calls.refuseWaiting('is being stopped');
    if (this.#life === undefined) this.#stopped();
    else if (this.#state === 'faulted') this.#life.kill();
    else this.#cleanUpWhenQuiet();
    return stopping;
  }

  #limitStop(): void {
    if (this.#stopping === undefined || this.#stopping.limited) return;
    this.#stopping.limited = true;
    this.#life?.limitCleanUp(() =>
      this.#ports.log.warn('the device did not clean up in time; ending its process'),
    );
  }

  #launch(path: string): void {
    if (this.#stopping !== undefined) return;
    this.#missedModules = 0;
    const { timers, processes } = this.#ports;
    const life = new DeviceLife(processes.start(this.assignment), timers, this.#limits, {
      hear: (message) => this.#hear(life, message),
      exited: (exit) => this.#exited(exit),
    });
    this.#life = life;
    life.initialize(this.assignment, path, () =>
      this.#fault(`_initialize did not end within ${this.#limits.deviceInitMs / 1000} s`),
    );
  }

  #withoutModule(error: unknown): void {
    if (this.#stopping !== undefined) return;
    const reason = `the code of the device is missing: ${toServiceError(error).message}`;
    if (isServiceError(error) && error.code === 'not_found') {
      this.#fault(reason);
      return;
    }
    this.#restartIn(this.#backoff(this.#missedModules++), reason);
  }

  #hear(life: DeviceLife, message: FromDevice): void {
    switch (message.type) {
      case 'ready':
        if (this.#state !== 'initializing') return;
        life.settled();
        this.#functions.clear();
        for (const declared of message.functions)
          this.#functions.set(declared.name, withTimeout(declared, this.#limits.deviceCallMs / 1_000));
        if (this.#stopping === undefined) this.#to('idle', null);
        return;
      case 'init_failed':
        logAuthorError(this.#ports.log, '_initialize failed', message.error);
        this.#fault(message.error.message);
        return;
      case 'result':
        this.#calls.answered(message.call_id, undefined, message.value);
        this.#cleanUpWhenQuiet();
        return;
      case 'failure':
        this.#calls.answered(message.call_id, message, undefined);
        this.#cleanUpWhenQuiet();
        return;
      case 'cleaned_up':
        if (message.error !== undefined) logAuthorError(this.#ports.log, '_cleanup failed', message.error);
        return;
      case 'log':
        this.#ports.log[message.level](message.text);
        return;
    }
  }

  #busyWith(name: string | undefined): void {
    if (name !== undefined) this.#to('busy', name);
    else if (this.#state === 'busy') this.#to('idle', null);
  }

  #endOverdue(detail: string): void {
    if (this.#state === 'busy') this.#to('aborting', detail);
    else if (this.#state === 'idle') this.#to('restarting', detail);
    this.#life?.terminate();
  }

  #exited(exit: ProcessExit): void {
    this.#life = undefined;
    const how = describeExit(exit);
    const lost = this.#calls.lost(how);
    this.#afterExit(how, lost);
    lost.settle();
  }

  #afterExit(how: string, { interrupted, overdue }: LostCalls): void {
    if (this.#stopping !== undefined) {
      this.#stopped();
      return;
    }
    if (this.#state === 'faulted') return;
    const cause = overdue === undefined ? `the process ended (${how})` : `${overdue} and was aborted`;
    const detail =
      interrupted === undefined
        ? cause
        : `${cause} during ${interrupted}; whether it took effect is not known`;
    if (interrupted !== undefined) this.#to('uncertain', detail);
    const now = this.#ports.clock.now();
    this.#crashes = this.#crashes.filter((at) => at > now - this.#limits.deviceCrashWindowMs);
    this.#crashes.push(now);
    if (this.#crashes.length >= this.#limits.deviceCrashes) {
      this.#fault(
        `${this.#crashes.length} crashes within ${this.#limits.deviceCrashWindowMs / 60_000} min; the last: ${detail}`,
      );
      return;
    }
    this.#restartIn(this.#backoff(this.#crashes.length - 1), detail);
  }

  #restartIn(ms: number, detail: string): void {
    this.#ports.log.warn('the device restarts', { detail, in_ms: ms });
    this.#to('restarting', `restarts in ${ms / 1000} s: ${detail}`);
    this.#cancelRestart = this.#ports.timers.after(ms, () => this.start());
  }

  #backoff(failures: number): number {
    return Math.min(this.#limits.deviceBackoffMs * 2 ** failures, this.#limits.deviceBackoffMaxMs);
  }

  #fault(detail: string): void {
    if (this.#stopping !== undefined) return;
    this.#ports.log.error('the device is faulted', { detail });
    this.#to('faulted', detail);
    this.#life?.kill();
  }

  #cleanUpWhenQuiet(): void {
    const stopping = this.#stopping;
    if (stopping === undefined || stopping.cleaning || !this.#calls.quiet) return;
    stopping.cleaning = true;
    this.#limitStop();
    this.#life?.send({ type: 'cleanup' });
  }

  #stopped(): void {
    this.#functions.clear();
    if (this.#state !== 'disabled') this.#to('disabled', null);
    this.#stopping?.done();
  }

  #refusal(): ServiceError | undefined {
    if (this.#stopping !== undefined) return this.#unavailable('is being stopped');
    if (isUsable(this.#state)) return undefined;
    return this.#unavailable(`is ${this.#state}${this.#detail === null ? '' : ` (${this.#detail})`}`);
  }

  /** The text has it all as well: faults do not reach the code of a task. */
  #misused(name: string, faults: Fault[]): ServiceError {
    const told = faults.slice(0, toldFaults).map(({ path, message }) => `${path}: ${message}`);
    const more = faults.length > toldFaults ? `; and ${faults.length - toldFaults} more` : '';
    return new ServiceError(
      'invalid',
      `${name} of device ${this.label} was not called: ${told.join('; ')}${more}`,
      {
        faults,
      },
    );
  }

  #unavailable(why: string): ServiceError {
    return new ServiceError('device_unavailable', `device ${this.label} ${why}`);
  }

  #to(state: DeviceState, detail: string | null): void {
    if (state !== this.#state && !mayFollow(deviceTransitions, this.#state, state)) {
      throw new Error(`device ${this.label}: ${this.#state} cannot become ${state}`);
    }
    this.#state = state;
    this.#detail = detail;
    this.#changed(this.status);
  }
}

/** Faults that the text of an error names. */
const toldFaults = 5;

function nothing(): void {
  return;
}

/** The function with the time that it has here; the default is not spelled out. */
function withTimeout({ timeout_s, ...declared }: DeviceFunction, settingS: number): DeviceFunction {
  const seconds = timeout_s ?? settingS;
  return seconds === defaultDeviceTimeoutS ? declared : { ...declared, timeout_s: seconds };
}

function logAuthorError(log: Log, what: string, error: AuthorError): void {
  log.error(`${what}: ${error.message}`, error.stack === undefined ? {} : { stack: error.stack });
}
