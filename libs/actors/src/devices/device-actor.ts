import {
  isGivenUp,
  isInDoubt,
  isServiceError,
  isUsable,
  ServiceError,
  toServiceError,
  type DeviceAssignment,
  type DeviceFunction,
  type DeviceStatus,
  type JsonObject,
  type JsonValue,
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
import { CrashCount } from './crash-count.js';
import { DeclaredFunctions, type CheckArguments } from './declared-functions.js';
import { DeviceCalls, type LostCalls } from './device-calls.js';
import { findDoubt, type Doubt } from './device-doubt.js';
import { DeviceLife, type Heard } from './device-life.js';
import { DeviceStatusTracker } from './device-status.js';
import { stopSafely } from './safe-stop.js';

export interface DeviceCall {
  /** Unique for ever: the same id again is the same call. */
  callId: string;
  function: string;
  arguments: JsonObject;
  /** The attempt that calls; absent: a person. */
  attemptId?: string | undefined;
  /** Of the allocation under which it is made; absent: a call of a person. */
  fence?: number | undefined;
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
  records: CallRecords;
  checkArguments: CheckArguments;
  log: AgentLog;
}

/**
 * One device: its process, its state and its calls. The table of its states is in the README of this library.
 *
 * Guarantees: at most one effect is in progress, recorded before it is sent; one process at a time; a call has the whole
 * time that its function declares, counted from its begin, however long it waited. A device whose process died in the
 * middle of an effect takes no calls and does not initialise until its driver or a person has said that it is idle. While
 * it is halted nothing begins that may move it: no effect, no process.
 */
export class DeviceActor {
  readonly assignment: DeviceAssignment;
  readonly #ports: DeviceActorPorts;
  readonly #limits: AgentLimits;
  readonly #calls: DeviceCalls;
  readonly #functions: DeclaredFunctions;
  readonly #status: DeviceStatusTracker;
  #life: DeviceLife | undefined;
  /** Its process is being ended so that it begins anew. */
  #renewing = false;
  readonly #crashes: CrashCount;
  #failedStarts = 0;
  /** A begin that waits for its module is outdated when another one has begun. */
  #begins = 0;
  #reports = 0;
  #cancelRestart: () => void = nothing;
  #stopping: Stopping | undefined;

  /** @param stopText why people keep it stopped, if they do: then it does not start before {@link release} */
  constructor(
    assignment: DeviceAssignment,
    ports: DeviceActorPorts,
    limits: AgentLimits,
    changed: (status: DeviceStatus) => void,
    stopText?: string,
  ) {
    this.assignment = assignment;
    this.#ports = ports;
    this.#limits = limits;
    this.#functions = new DeclaredFunctions(this.label, ports.checkArguments);
    this.#status = new DeviceStatusTracker(assignment, this.#functions, changed, stopText);
    this.#crashes = new CrashCount(limits.deviceCrashWindowMs);
    const { clock, timers, records, log } = ports;
    this.#calls = new DeviceCalls(
      {
        label: this.label,
        clock,
        timers,
        records,
        log,
        open: () => isUsable(this.#status.state) && this.#life !== undefined,
        send: (message) => this.#life?.send(message),
        busyWith: (name) => this.#busyWith(name),
        overdue: (detail) => this.#endLife(detail),
      },
      limits,
    );
  }

  get label(): string {
    return `${this.assignment.lab}.${this.assignment.name}`;
  }

  get functions(): DeviceFunction[] {
    return this.#functions.all;
  }

  get status(): DeviceStatus {
    return this.#status.status;
  }

  /**
   * Starts the process and initialises the device, or, when records tell of an effect without an end, asks its driver
   * first. What comes of it is seen in the state.
   */
  start(): void {
    this.#status.doubt = findDoubt(this.#ports.records, this.label, 'the agent ended', () => false);
    this.#begin();
  }

  /**
   * Calls a declared function, with its defaults for what is not given.
   *
   * @throws ServiceError `device_unavailable`, `unknown_function`, `invalid` with every fault of the arguments, `aborted`
   *   and `service_unavailable` when it could not be recorded (effect none); `device_error` when the function threw or
   *   its process died; `deadline_exceeded`, with effect none when it did not begin in time
   */
  async call(call: DeviceCall): Promise<JsonValue | undefined> {
    this.#status.requireOpen();
    const declared = this.#functions.find(call.function);
    if (declared.kind !== 'query') this.#status.requireReleased();
    const { values, runMs } = this.#functions.fit(declared, call.arguments);
    return this.#calls.post({
      id: call.callId,
      kind: declared.kind,
      name: call.function,
      message: { type: 'call', call_id: call.callId, function: call.function, arguments: values },
      attemptId: call.attemptId,
      fence: call.fence,
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
    this.#status.requireOpen();
    const id = `_report/${++this.#reports}`;
    const value = await this.#calls.post({
      id,
      kind: 'query',
      name: '_report',
      message: { type: 'report', call_id: id },
      patienceMs: this.#limits.deviceReportMs,
      runMs: this.#limits.deviceReportMs,
    });
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw new ServiceError('device_error', `_report of device ${this.label} returned no object`);
  }

  /** @throws ServiceError `device_unavailable` when the device takes no calls that change something at present */
  requireUsable(): void {
    this.#status.requireOpen();
    this.#status.requireReleased();
  }

  /**
   * Ends the process when a call is in progress, which fails that call with effect maybe. Like every abort it is a SIGTERM
   * first, upon which the host leaves the instrument safe.
   */
  abort(reason: string): void {
    if (this.#status.state !== 'busy') return;
    if (this.#calls.moving === undefined) {
      this.#calls.refuseEffects(new ServiceError('aborted', `device ${this.label}: ${reason}`));
    } else {
      this.#endLife(reason);
    }
  }

  /**
   * Refuses what an attempt has waiting, and safely stops its call that is in progress, if its class can; one that cannot
   * is waited for. A call that goes on although `_stop` was run is ended with its process.
   */
  async stopCallOf(attemptId: string, reason: string): Promise<void> {
    this.#calls.refuseOf(attemptId, new ServiceError('aborted', `device ${this.label}: ${reason}`));
    if (this.#calls.moving?.attemptId === attemptId) await this.#stopSafely(reason, false);
  }

  /** Is a call of the attempt in progress that may change something? */
  movesFor(attemptId: string): boolean {
    return this.#calls.moving?.attemptId === attemptId;
  }

  /**
   * People stop the device: `_stop` runs at once, past all queues; effects that wait are refused, none is taken, and no
   * process is started until {@link release}. An effect in progress that `_stop` does not end, or that cannot be stopped
   * otherwise, is ended with its process.
   *
   * @param text who stops it and why, for people
   */
  emergencyStop(text: string): void {
    this.#status.stopText = text;
    this.#cancelRestart();
    this.#begins += 1;
    this.#calls.refuseEffects(new ServiceError('aborted', `device ${this.label}: ${text}`));
    if (this.#life === undefined) {
      if (!isGivenUp(this.#status.state)) this.#begin();
    } else if (isInDoubt(this.#status.state)) this.#life.kill();
    else if (!isGivenUp(this.#status.state)) void this.#stopSafely(text, true);
  }

  /** People go on: a device that was kept from starting starts. */
  release(): void {
    if (this.#status.stopText === undefined) return;
    this.#status.stopText = undefined;
    if (this.#status.state === 'disabled' || isInDoubt(this.#status.state)) this.#begin();
    this.#calls.pump();
  }

  /** Another stop is in force in the place of the one it was halted by, which is over. */
  replaceStopText(text: string): void {
    this.#status.stopText = text;
  }

  /**
   * A person says that the device is safe to be started anew: settles its doubt and begins with `_initialize`.
   *
   * @param doubtId which doubt is meant; null: none, the device is faulted
   * @throws ServiceError `wrong_state` when the device is neither uncertain nor faulted or has another doubt,
   *   `service_unavailable` when it could not be recorded
   */
  async reset(doubtId: string | null, by: string): Promise<void> {
    const mayBe = this.#status.doubt !== undefined || isGivenUp(this.#status.state);
    if (this.#stopping !== undefined || !mayBe) {
      throw new ServiceError(
        'wrong_state',
        `device ${this.label} is ${this.#status.state}: only one that is uncertain or faulted can be reset`,
      );
    }
    const present = this.#status.doubt?.known.id ?? null;
    if (doubtId !== present) {
      const what = present === null ? 'has no doubt' : `has the doubt '${present}'`;
      throw new ServiceError('wrong_state', `device ${this.label} ${what}, not ${quoted(doubtId)}`);
    }
    if (this.#status.doubt !== undefined && !(await this.#settle(this.#status.doubt, by))) return;
    this.#ports.log.warn('a person has the device started anew', { by, doubt: doubtId });
    this.#crashes.clear();
    this.#renew();
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
    this.#status.leaving = true;
    this.#cancelRestart();
    this.#begins += 1;
    this.#calls.refuseUnsent('is being stopped');
    if (this.#life === undefined) this.#stopped();
    // A process that is not initialised, or not any more, has nothing to clean up that may be touched.
    else if (isGivenUp(this.#status.state) || isInDoubt(this.#status.state)) this.#life.kill();
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

  /** Begins a life: none while it is halted, one that asks the driver while there is doubt, else one that initialises. */
  #begin(): void {
    if (this.#stopping !== undefined || this.#life !== undefined) return;
    this.#cancelRestart();
    const begin = ++this.#begins;
    const doubt = this.#status.doubt;
    if (this.#status.stopText !== undefined) {
      if (doubt !== undefined) this.#status.to('uncertain', `${doubt.what}; ${this.#status.stopText}`);
      else this.#status.to('disabled', this.#status.stopText);
      return;
    }
    if (doubt === undefined) this.#status.to('initializing', null);
    else this.#status.to('uncertain', `${doubt.what}; its driver is asked`);
    this.#ports.modules.path(this.assignment.module).then(
      (path) => {
        if (begin === this.#begins) this.#launch(path, doubt);
      },
      (error: unknown) => {
        if (begin === this.#begins) this.#withoutModule(error, doubt);
      },
    );
  }

  #launch(path: string, doubt: Doubt | undefined): void {
    this.#failedStarts = 0;
    const life = new DeviceLife(this.#ports.processes.start(this.assignment), this.#ports, this.#limits, {
      hear: (message) => this.#hear(life, message),
      responds: (does) => {
        this.#status.responds = does;
        if (!does) this.#ports.log.error('the process of the device does not respond');
      },
      exited: (exit) => this.#exited(exit),
    });
    this.#life = life;
    if (doubt === undefined) this.#initialize(life, path);
    else void this.#ask(life, path, doubt);
  }

  #initialize(life: DeviceLife, path: string): void {
    life.initialize(this.assignment, path, () =>
      this.#fault(`_initialize did not end within ${this.#limits.deviceInitMs / 1000} s`),
    );
  }

  /** Only the word of its driver that nothing moves lets a device with a doubt be initialised. */
  async #ask(life: DeviceLife, path: string, doubt: Doubt): Promise<void> {
    const begin = this.#begins;
    const { idle, why } = await life.reconcile(this.assignment, path, doubt.known.in_doubt);
    if (begin !== this.#begins) return;
    if (!idle) {
      this.#askPeople(why ?? 'its driver cannot tell');
      return;
    }
    this.#ports.log.info('the driver says that the device is idle', { found: why });
    try {
      if (!(await this.#settle(doubt, 'driver'))) return;
    } catch (error) {
      this.#askPeople(`what its driver says could not be recorded: ${toServiceError(error).message}`);
      this.#beginIn(this.#limits.deviceBackoffMaxMs);
      return;
    }
    if (begin !== this.#begins || this.#life !== life) {
      this.#renew();
      return;
    }
    this.#status.to('initializing', why ?? null);
    this.#initialize(life, path);
  }

  #withoutModule(error: unknown, doubt: Doubt | undefined): void {
    const reason = `the code of the device is missing: ${toServiceError(error).message}`;
    const forGood = isServiceError(error) && error.code === 'not_found';
    if (doubt !== undefined) {
      this.#status.to('uncertain', `${doubt.what}; ${reason}`);
      if (!forGood) this.#beginIn(this.#backoff(this.#failedStarts++));
    } else if (forGood) {
      this.#fault(reason);
    } else {
      this.#restartIn(this.#backoff(this.#failedStarts++), reason);
    }
  }

  #hear(life: DeviceLife, message: Heard): void {
    switch (message.type) {
      case 'ready':
        if (this.#status.state !== 'initializing') return;
        life.settled();
        this.#functions.replace(message.functions, this.#limits.deviceCallMs / 1_000);
        if (this.#stopping === undefined) this.#status.to('idle', null);
        this.#calls.pump();
        return;
      case 'init_failed':
        // Stopped by people in the middle of it, so it is not the device that is at fault.
        if (this.#status.stopText !== undefined || this.#status.state !== 'initializing') return;
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
        return;
      case 'log':
        this.#ports.log[message.level](message.text, { source: 'device' });
        return;
    }
  }

  /** The doubt stays, and a person is asked: no process of the device may run until somebody knows. */
  #askPeople(why: string): void {
    if (this.#status.doubt === undefined || this.#stopping !== undefined) return;
    this.#status.to('uncertain', `${this.#status.doubt.what}; ${why}`);
    this.#life?.kill();
  }

  /**
   * Makes it durable that a doubt is over.
   *
   * @returns false when it was settled by somebody else meanwhile
   */
  async #settle(doubt: Doubt, by: string): Promise<boolean> {
    await this.#ports.records.settled(this.label, by);
    if (this.#status.doubt !== doubt) return false;
    this.#status.doubt = undefined;
    return true;
  }

  /** Begins anew, after the end of the process if there is one. */
  #renew(): void {
    if (this.#stopping !== undefined) return;
    if (this.#life === undefined) {
      this.#begin();
      return;
    }
    this.#renewing = true;
    this.#life.kill();
  }

  async #stopSafely(reason: string, forced: boolean): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    const call = this.#calls.moving;
    const goesOn = (): boolean =>
      this.#life === life &&
      (call === undefined ? this.#status.state === 'initializing' : this.#calls.moving === call);
    const end = (detail: string): void => this.#endLife(detail);
    await stopSafely({ life, reason, forced, goesOn, end }, this.#ports.timers, this.#limits);
  }

  #busyWith(name: string | undefined): void {
    if (name !== undefined) this.#status.to('busy', name);
    else if (this.#status.state === 'busy') this.#status.to('idle', null);
  }

  /** Ends the process by SIGTERM, in the middle of whatever it does. */
  #endLife(detail: string): void {
    const life = this.#life;
    if (life === undefined) return;
    if (this.#status.state === 'busy') this.#status.to('aborting', detail);
    else if (this.#status.state === 'idle' || this.#status.state === 'initializing')
      this.#status.to('restarting', detail);
    this.#calls.refuseUnsent(`is ${this.#status.state}`);
    life.terminate();
  }

  #exited(exit: ProcessExit): void {
    this.#life = undefined;
    this.#status.responds = true;
    const how = describeExit(exit);
    const lost = this.#calls.lost(how);
    this.#afterExit(how, lost);
    lost.settle(this.#status.state === 'restarting');
  }

  #afterExit(how: string, { interrupted, overdue }: LostCalls): void {
    const cause = overdue === undefined ? `the process ended (${how})` : `${overdue} and was aborted`;
    if (interrupted !== undefined) {
      const { id: callId, name, attemptId } = interrupted;
      const neverSent = (id: string): boolean => this.#calls.neverSent(id);
      const call = { callId, function: name, attemptId };
      this.#status.doubt = findDoubt(this.#ports.records, this.label, cause, neverSent, call);
    }
    const renewing = this.#renewing;
    this.#renewing = false;
    if (this.#stopping !== undefined) {
      this.#stopped();
    } else if (renewing) {
      this.#begin();
    } else if (isGivenUp(this.#status.state)) {
      return;
    } else if (this.#status.stopText !== undefined) {
      // Ended because people stopped it: that is no crash, and nothing starts before they release it.
      this.#begin();
    } else if (!isInDoubt(this.#status.state)) {
      this.#crashed(this.#status.doubt?.what ?? cause);
    }
  }

  #crashed(detail: string): void {
    const crashes = this.#crashes.note(this.#ports.clock.now());
    if (this.#status.doubt !== undefined) this.#status.to('uncertain', detail);
    if (crashes >= this.#limits.deviceCrashes) {
      this.#fault(
        `${crashes} crashes within ${this.#limits.deviceCrashWindowMs / 60_000} min; the last: ${detail}`,
      );
    } else if (this.#status.doubt !== undefined) {
      this.#begin();
    } else {
      this.#restartIn(this.#backoff(crashes - 1), detail);
    }
  }

  #restartIn(ms: number, detail: string): void {
    this.#ports.log.warn('the device restarts', { detail, in_ms: ms });
    this.#status.to('restarting', `restarts in ${ms / 1000} s: ${detail}`);
    this.#beginIn(ms);
  }

  #beginIn(ms: number): void {
    this.#cancelRestart();
    this.#cancelRestart = this.#ports.timers.after(ms, () => this.#begin());
  }

  #backoff(failures: number): number {
    return Math.min(this.#limits.deviceBackoffMs * 2 ** failures, this.#limits.deviceBackoffMaxMs);
  }

  #fault(detail: string): void {
    if (this.#stopping !== undefined) return;
    this.#ports.log.error('the device is faulted', { detail });
    this.#status.to('faulted', detail);
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
    this.#functions.replace([], 0);
    if (this.#status.state !== 'disabled') this.#status.to('disabled', null);
    this.#stopping?.done();
  }
}

function nothing(): void {
  return;
}

function quoted(id: string | null): string {
  return id === null ? 'none' : `'${id}'`;
}
