import {
  defaultDeviceTimeoutS,
  deviceTimeoutMs,
  isServiceError,
  isUsable,
  mayFollow,
  deviceTransitions,
  errorCatalogue,
  ServiceError,
  toServiceError,
  type AuthorError,
  type DeviceAssignment,
  type DeviceFunction,
  type DeviceState,
  type DeviceStatus,
  type ErrorCode,
  type Fault,
  type FromDevice,
  type JsonObject,
  type JsonValue,
  type ToDevice,
} from '@lab/contracts';
import type { AgentLimits } from './limits.js';
import { Mailbox } from './mailbox.js';
import type {
  CheckArguments,
  Clock,
  DeviceProcess,
  DeviceProcesses,
  Log,
  Modules,
  ProcessExit,
  Timers,
} from './ports.js';
import { describeExit } from './process-exit.js';

export interface DeviceCall {
  function: string;
  arguments: JsonObject;
  /** How long the caller waits for the call to begin, in milliseconds; default: as long as the function may take. */
  patienceMs?: number | undefined;
  /** Fired: the call is withdrawn if it has not begun. One that has begun goes on to its end. */
  signal?: AbortSignal | undefined;
}

interface DeviceLetter {
  readonly id: string;
  readonly query: boolean;
  readonly name: string;
  readonly message: ToDevice;
  readonly patienceMs: number;
  /** From its begin. */
  readonly runMs: number;
  /** Of the time to begin, and once it has begun, of the time to end. */
  cancelTimer: () => void;
  /** Why it is being aborted, once it is. */
  overdue: boolean;
  settle(error: ServiceError | undefined, value?: JsonValue): void;
}

/** One life of the device's process, from start to exit. */
interface Life {
  readonly process: DeviceProcess;
  /** It was aborted, and its end is near. */
  terminated: boolean;
  cancelTimer: () => void;
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
  readonly #mailbox: Mailbox<DeviceLetter>;
  readonly #functions = new Map<string, DeviceFunction>();
  #state: DeviceState = 'disabled';
  #detail: string | null = null;
  #life: Life | undefined;
  #crashes: number[] = [];
  #missedModules = 0;
  #calls = 0;
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
    this.#mailbox = new Mailbox({ queries: limits.deviceQueries, capacity: limits.deviceMailbox });
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
    return this.#post(
      declared.kind === 'query',
      call.function,
      (id) => ({ type: 'call', call_id: id, function: call.function, arguments: values }),
      { patienceMs: call.patienceMs ?? runMs, runMs, signal: call.signal },
    );
  }

  /**
   * The device's `_report()`, run like a query.
   *
   * @throws ServiceError `device_unavailable`, `device_error`, `deadline_exceeded`
   */
  async report(): Promise<JsonObject> {
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal;
    const value = await this.#post(true, '_report', (id) => ({ type: 'report', call_id: id }), {
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
    this.#terminate(this.#life);
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
    for (const letter of this.#mailbox.dismiss()) letter.settle(this.#unavailable('is being stopped'));
    if (this.#life === undefined) this.#stopped();
    else if (this.#state === 'faulted') this.#life.process.kill('SIGKILL');
    else this.#cleanUpWhenQuiet();
    return stopping;
  }

  #limitStop(): void {
    const life = this.#life;
    if (life === undefined || life.terminated || this.#stopping === undefined || this.#stopping.limited)
      return;
    this.#stopping.limited = true;
    life.cancelTimer();
    life.cancelTimer = this.#ports.timers.after(this.#limits.deviceCleanupMs, () => {
      this.#ports.log.warn('the device did not clean up in time; ending its process');
      life.process.kill('SIGTERM');
      life.cancelTimer = this.#ports.timers.after(this.#limits.deviceKillMs, () =>
        life.process.kill('SIGKILL'),
      );
    });
  }

  #launch(path: string): void {
    if (this.#stopping !== undefined) return;
    this.#missedModules = 0;
    const process = this.#ports.processes.start(this.assignment);
    const life: Life = { process, terminated: false, cancelTimer: nothing };
    this.#life = life;
    process.onMessage((message) => this.#hear(life, message));
    process.onExit((exit) => this.#exited(life, exit));
    life.cancelTimer = this.#ports.timers.after(this.#limits.deviceInitMs, () =>
      this.#fault(`_initialize did not end within ${this.#limits.deviceInitMs / 1000} s`),
    );
    const { lab, name, module, init_parameters } = this.assignment;
    process.send({ type: 'init', lab, name, module, path, init_parameters });
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

  #hear(life: Life, message: FromDevice): void {
    switch (message.type) {
      case 'ready':
        if (this.#state !== 'initializing') return;
        life.cancelTimer();
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
        this.#answered(message.call_id, undefined, message.value);
        return;
      case 'failure':
        this.#answered(message.call_id, message, undefined);
        return;
      case 'cleaned_up':
        if (message.error !== undefined) logAuthorError(this.#ports.log, '_cleanup failed', message.error);
        return;
      case 'log':
        this.#ports.log[message.level](message.text);
        return;
    }
  }

  #answered(
    id: string,
    failure: { code: string; error: AuthorError } | undefined,
    value: JsonValue | undefined,
  ): void {
    const letter = this.#mailbox.finish(id);
    if (letter === undefined) {
      this.#ports.log.debug('an answer came after its call was given up', { call: id });
      return;
    }
    if (this.#state === 'busy' && this.#mailbox.effect === undefined) this.#to('idle', null);
    letter.settle(failure === undefined ? undefined : failureOf(letter, failure), value);
    this.#pump();
    this.#cleanUpWhenQuiet();
  }

  #post(
    query: boolean,
    name: string,
    message: (id: string) => ToDevice,
    { patienceMs, runMs, signal }: { patienceMs: number; runMs: number; signal: AbortSignal | undefined },
  ): Promise<JsonValue | undefined> {
    if (signal?.aborted === true) return Promise.reject(withdrawn(this.label, name));
    return new Promise((resolve, reject) => {
      const id = String(++this.#calls);
      const onAbort = (): void => {
        if (this.#mailbox.withdraw(letter)) letter.settle(withdrawn(this.label, name));
      };
      const letter: DeviceLetter = {
        id,
        query,
        name,
        message: message(id),
        patienceMs,
        runMs,
        cancelTimer: nothing,
        overdue: false,
        settle(error, value) {
          this.cancelTimer();
          signal?.removeEventListener('abort', onAbort);
          if (error === undefined) resolve(value);
          else reject(error);
        },
      };
      if (!this.#mailbox.offer(letter)) {
        letter.settle(this.#unavailable(`has ${this.#limits.deviceMailbox} calls waiting already`));
        return;
      }
      letter.cancelTimer = this.#ports.timers.after(patienceMs, () => this.#tooLate(letter));
      signal?.addEventListener('abort', onAbort);
      this.#pump();
    });
  }

  #pump(): void {
    if (!isUsable(this.#state) || this.#life === undefined) return;
    for (let letter = this.#mailbox.next(); letter !== undefined; letter = this.#mailbox.next()) {
      const begun = letter;
      begun.cancelTimer();
      begun.cancelTimer = this.#ports.timers.after(begun.runMs, () => this.#overdue(begun));
      if (!letter.query) this.#to('busy', letter.name);
      this.#life.process.send(letter.message);
    }
  }

  #tooLate(letter: DeviceLetter): void {
    if (!this.#mailbox.withdraw(letter)) return;
    letter.settle(
      new ServiceError(
        'deadline_exceeded',
        `${letter.name} of device ${this.label} did not begin within ${letter.patienceMs / 1000} s`,
      ),
    );
  }

  #overdue(letter: DeviceLetter): void {
    letter.overdue = true;
    if (letter.query && this.#mailbox.effect !== undefined) {
      this.#mailbox.finish(letter.id);
      letter.settle(this.#overdueError(letter));
      this.#pump();
      return;
    }
    const detail = `${letter.name} did not end within ${letter.runMs / 1000} s`;
    this.#ports.log.error('a call did not end in time; ending the process of the device', {
      function: letter.name,
      deadline_ms: letter.runMs,
    });
    if (this.#state === 'busy') this.#to('aborting', detail);
    else if (this.#state === 'idle') this.#to('restarting', detail);
    if (this.#life !== undefined) this.#terminate(this.#life);
  }

  #terminate(life: Life): void {
    if (life.terminated) return;
    life.terminated = true;
    life.process.kill('SIGTERM');
    life.cancelTimer();
    life.cancelTimer = this.#ports.timers.after(this.#limits.deviceAbortMs, () =>
      life.process.kill('SIGKILL'),
    );
  }

  #overdueError(letter: DeviceLetter): ServiceError {
    return new ServiceError(
      'deadline_exceeded',
      `${letter.name} of device ${this.label} did not end within ${letter.runMs / 1000} s`,
      { effect: letter.query ? 'none' : 'maybe' },
    );
  }

  #exited(life: Life, exit: ProcessExit): void {
    life.cancelTimer();
    this.#life = undefined;
    const how = describeExit(exit);
    const interrupted = this.#mailbox.effect;
    for (const letter of this.#mailbox.dismiss()) letter.settle(this.#unavailable('lost its process'));
    const running = this.#mailbox.drain();
    this.#afterExit(how, interrupted, running);
    for (const letter of running) {
      letter.settle(
        letter.overdue
          ? this.#overdueError(letter)
          : new ServiceError(
              'device_error',
              `the process of device ${this.label} ended during ${letter.name} (${how})`,
              { effect: letter.query ? 'none' : 'maybe' },
            ),
      );
    }
  }

  #afterExit(how: string, interrupted: DeviceLetter | undefined, running: readonly DeviceLetter[]): void {
    if (this.#stopping !== undefined) {
      this.#stopped();
      return;
    }
    if (this.#state === 'faulted') return;
    const overdue = running.find((letter) => letter.overdue);
    const cause =
      overdue === undefined
        ? `the process ended (${how})`
        : `${overdue.name} did not end within ${overdue.runMs / 1000} s and was aborted`;
    const detail =
      interrupted === undefined
        ? cause
        : `${cause} during ${interrupted.name}; whether it took effect is not known`;
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
    this.#life?.cancelTimer();
    this.#to('faulted', detail);
    this.#life?.process.kill('SIGKILL');
  }

  #cleanUpWhenQuiet(): void {
    const stopping = this.#stopping;
    if (stopping === undefined || stopping.cleaning || this.#mailbox.effect !== undefined) return;
    stopping.cleaning = true;
    this.#limitStop();
    this.#life?.process.send({ type: 'cleanup' });
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

function withdrawn(label: string, name: string): ServiceError {
  return new ServiceError('aborted', `${name} of device ${label} was withdrawn before it began`);
}

/** What the host could not even begin has had no effect. */
const notBegun: readonly string[] = ['unknown_function', 'device_unavailable', 'bad_request', 'invalid'];

function failureOf(letter: DeviceLetter, failure: { code: string; error: AuthorError }): ServiceError {
  const known = Object.hasOwn(errorCatalogue, failure.code);
  return new ServiceError(known ? (failure.code as ErrorCode) : 'device_error', failure.error.message, {
    effect: letter.query || notBegun.includes(failure.code) ? 'none' : 'maybe',
    ...(failure.error.stack === undefined ? {} : { authorStack: failure.error.stack }),
  });
}

function logAuthorError(log: Log, what: string, error: AuthorError): void {
  log.error(`${what}: ${error.message}`, error.stack === undefined ? {} : { stack: error.stack });
}
