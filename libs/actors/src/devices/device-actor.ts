import {
  isGivenUp,
  isInDoubt,
  isUsable,
  longestDeviceTimeoutS,
  maskedArguments,
  ServiceError,
  type Allocation,
  type DeviceAssignment,
  type DeviceFunction,
  type DeviceStatus,
  type JsonObject,
  type JsonValue,
} from '@lab/contracts';
import type { AgentLimits } from '../ports/index.js';
import { DeclaredFunctions, type CheckArguments } from './declared-functions.js';
import { DeviceAllocation } from './device-allocation.js';
import { DeviceCalls, isOf, type CallsOf } from './device-calls.js';
import { findDoubt } from './device-doubt.js';
import { DeviceLifecycle, type LifecyclePorts } from './device-lifecycle.js';
import { DeviceStatusTracker } from './device-status.js';

export interface DeviceCall {
  /** Unique for ever: the same id again is the same call. */
  callId: string;
  function: string;
  arguments: JsonObject;
  /** The attempt that calls; absent: a person calls. */
  attemptId?: string | undefined;
  /** Computer of the attempt; absent: this one. */
  caller?: string | undefined;
  /** Person who calls; absent: a task calls, or the person is not known. */
  by?: string | undefined;
  /** Fence of the allocation under which the call is made; absent: a person calls. */
  fence?: number | undefined;
  /** True: only a query may be called. */
  query?: boolean | undefined;
  /** How long the caller waits for the call to begin, in milliseconds. Default: the time that the function may take. */
  patienceMs?: number | undefined;
  /** When it fires, a call that has not begun is withdrawn. A call that has begun continues to its end. */
  signal?: AbortSignal | undefined;
}

export interface DeviceActorPorts extends LifecyclePorts {
  checkArguments: CheckArguments;
}

/**
 * One device: its process, its state and its calls. The README of this library has the table of its states.
 *
 * Guarantees: at most one effect is in progress, and it is recorded before it is sent. A call has the whole time that its
 * function declares, counted from its beginning, however long it waited. A device in doubt takes no calls. During an
 * emergency stop nothing begins that may move the device: no effect, no process.
 */
export class DeviceActor {
  readonly #calls: DeviceCalls;
  readonly #functions: DeclaredFunctions;
  readonly #status: DeviceStatusTracker;
  readonly #lifecycle: DeviceLifecycle;
  readonly #allocation: DeviceAllocation;
  #reports = 0;

  /** @param stopText who stopped the device and why, if an emergency stop is in force; it then starts on {@link release} */
  constructor(
    readonly assignment: DeviceAssignment,
    private readonly ports: DeviceActorPorts,
    private readonly limits: AgentLimits,
    changed: (status: DeviceStatus) => void,
    stopText?: string,
  ) {
    this.#functions = new DeclaredFunctions(this.label, ports.checkArguments);
    const { clock, wall, timers, records, log } = ports;
    const doing = (): DeviceStatus['doing'] => this.#calls.doing;
    this.#status = new DeviceStatusTracker(assignment, this.#functions, doing, changed, stopText);
    this.#calls = new DeviceCalls(
      {
        label: this.label,
        code: assignment.module.hash,
        runtime: () => this.#status.runtime,
        clock,
        wall,
        timers,
        records,
        log,
        open: () => isUsable(this.#status.state) && this.#lifecycle.process !== undefined,
        send: (message) => this.#lifecycle.process?.send(message),
        busyWith: (name) => this.#busyWith(name),
        overdue: (detail) => this.#lifecycle.end(detail),
      },
      limits,
    );
    const parts = { status: this.#status, functions: this.#functions, calls: this.#calls };
    this.#lifecycle = new DeviceLifecycle(assignment, parts, ports, limits);
    this.#allocation = new DeviceAllocation(
      {
        label: this.label,
        log,
        process: () => (isUsable(this.#status.state) ? this.#lifecycle.process : undefined),
        post: (call) => this.#calls.post(call),
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
    return this.#status.current;
  }

  /**
   * Starts the process and initialises the device. If the records have an effect without an end, its driver is asked
   * first. The state shows the outcome.
   *
   * @param ended how the process before ended, for people
   */
  start(ended = 'the agent ended'): void {
    this.#status.doubt = findDoubt(this.ports.records, this.label, ended, () => false);
    this.#lifecycle.start();
  }

  /**
   * Calls a declared function. Arguments that are left out get their defaults.
   *
   * @throws ServiceError `device_unavailable`, `unknown_function`, `stale_message` when the function is no query although
   *   the caller knows it as one, `invalid` with every fault of the arguments, `aborted`, and `service_unavailable` when the call could not be recorded (effect none); `device_error` when the function threw
   *   or its process died; `deadline_exceeded`, with effect none when the call did not begin in time
   */
  async call(call: DeviceCall): Promise<JsonValue | undefined> {
    this.#status.requireOpen();
    const declared = this.#functions.find(call.function);
    if (declared.kind !== 'query') {
      if (call.query === true)
        throw new ServiceError('stale_message', `${call.function} of device ${this.label} is no query now`);
      this.#status.requireReleased();
    }
    const { values, runMs } = this.#functions.fit(declared, call.arguments);
    return this.#calls.post({
      id: call.callId,
      kind: declared.kind,
      beside: declared.beside,
      name: call.function,
      message: {
        type: 'call',
        call_id: call.callId,
        function: call.function,
        arguments: values,
        ...allocationOf(call),
      },
      arguments: maskedArguments(declared, values),
      attemptId: call.attemptId,
      caller: call.caller,
      by: call.by,
      fence: call.fence,
      patienceMs: call.patienceMs ?? runMs,
      runMs,
      signal: call.signal,
    });
  }

  /**
   * Runs the device's `_report()`, like a query.
   *
   * @throws ServiceError `device_unavailable`, `device_error`, `deadline_exceeded`
   */
  async report(): Promise<JsonObject> {
    this.#status.requireOpen();
    const id = `_report/${++this.#reports}`;
    const isDebugged = this.#lifecycle.process?.debugger !== undefined;
    const limitMs = isDebugged ? longestDeviceTimeoutS * 1_000 : this.limits.deviceReportMs;
    const value = await this.#calls.post({
      id,
      kind: 'query',
      name: '_report',
      message: { type: 'report', call_id: id },
      arguments: {},
      patienceMs: limitMs,
      runMs: limitMs,
    });
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw new ServiceError('device_error', `_report of device ${this.label} returned no object`);
  }

  /**
   * Prepares the device for a call of a task, see {@link DeviceAllocation.begin}.
   *
   * @returns undefined when there is nothing to wait for
   */
  prepareFor(call: DeviceCall): Promise<void> | undefined {
    const { allocation } = allocationOf(call);
    return allocation === undefined ? undefined : this.#allocation.begin(allocation, call.caller);
  }

  /** Notes that an attempt is over: the device is told if it was prepared for that attempt. */
  releaseFrom(of: CallsOf): void {
    this.#allocation.end(of);
  }

  /** @throws ServiceError `device_unavailable` when the device takes no effects at present */
  requireUsable(): void {
    this.#status.requireOpen();
    this.#status.requireReleased();
  }

  /**
   * Ends the process if a call that may change something is in progress; the call fails with effect maybe. As with every
   * abort, the process gets SIGTERM first, so that the host can leave the instrument safe.
   */
  abort(reason: string): void {
    if (this.#status.state !== 'busy') return;
    if (this.#calls.moving === undefined) {
      this.#calls.refuseEffects(new ServiceError('aborted', `device ${this.label}: ${reason}`));
    } else {
      this.#lifecycle.end(reason);
    }
  }

  /**
   * Refuses the waiting calls of an attempt and safely stops its call in progress. If the class has no `_stop`, the call
   * goes on to its end. If a call goes on although `_stop` ran, its process is ended.
   */
  async stopCallOf(of: CallsOf, reason: string): Promise<void> {
    this.#calls.refuseOf(of, new ServiceError('aborted', `device ${this.label}: ${reason}`));
    if (this.movesFor(of)) await this.#lifecycle.stopSafely(reason, false);
  }

  /** Says whether a call of the attempt that may change something is in progress. */
  movesFor(of: CallsOf): boolean {
    const { moving } = this.#calls;
    return moving !== undefined && isOf(moving, of);
  }

  /**
   * Takes an emergency stop: `_stop` runs at once, past all queues. Waiting effects are refused, no new one is taken, and
   * no process starts until {@link release}. If `_stop` does not end the effect in progress, or the class has no `_stop`,
   * the process is ended.
   *
   * @param text who stopped the device and why, for people
   */
  emergencyStop(text: string): void {
    this.#status.stopText = text;
    this.#lifecycle.cancelStart();
    this.#calls.refuseEffects(new ServiceError('aborted', `device ${this.label}: ${text}`));
    const { process } = this.#lifecycle;
    if (isGivenUp(this.#status.state)) return;
    if (process === undefined) this.#lifecycle.start();
    else if (isInDoubt(this.#status.state)) process.kill();
    else void this.#lifecycle.stopSafely(text, true);
  }

  /** Ends the emergency stop. A device that it kept from starting starts now. */
  release(): void {
    if (this.#status.stopText === undefined) return;
    this.#status.stopText = undefined;
    if (this.#status.state === 'disabled' || isInDoubt(this.#status.state)) this.#lifecycle.start();
    this.#calls.pump();
  }

  /** Replaces the text of an emergency stop that was released by that of another one which is still in force. */
  replaceStopText(text: string): void {
    this.#status.stopText = text;
  }

  /**
   * Starts the device anew because a person says that this is safe: settles its doubt and runs `_initialize`.
   *
   * @param doubtId the doubt that the person means; null: the device has no doubt, it is faulted
   * @throws ServiceError `wrong_state` when the device is neither uncertain nor faulted or has another doubt,
   *   `service_unavailable` when the settlement could not be recorded
   */
  async reset(doubtId: string | null, by: string): Promise<void> {
    const { doubt, state } = this.#status;
    if (this.#lifecycle.stopping || (doubt === undefined && !isGivenUp(state))) {
      throw new ServiceError(
        'wrong_state',
        `device ${this.label} is ${state}: only one that is uncertain or faulted can be reset`,
      );
    }
    const present = doubt?.known.id ?? null;
    if (doubtId !== present) {
      const what = present === null ? 'has no doubt' : `has the doubt '${present}'`;
      throw new ServiceError('wrong_state', `device ${this.label} ${what}, not ${quoted(doubtId)}`);
    }
    await this.#lifecycle.reset(by);
  }

  /**
   * Shows that a person restarts the device. From now on it takes no calls; {@link stop} has to follow.
   *
   * @param why for people
   * @throws ServiceError `wrong_state` when the device is stopped, or executes a call and responds
   */
  beginRestart(why: string): void {
    const { state, stopText, silentSince } = this.#status;
    const refuse = (is: string): never => {
      throw new ServiceError('wrong_state', `device ${this.label} ${is}`);
    };
    if (this.#lifecycle.stopping) refuse('is being stopped already');
    if (stopText !== undefined) refuse(`is ${stopText}; release the stop first`);
    if (!this.#calls.quiet && silentSince === undefined)
      refuse(`executes a call; wait for its end, or stop the device`);
    if (state === 'busy') this.#status.to('aborting', why);
    else if (state === 'idle' || state === 'initializing') this.#status.to('restarting', why);
  }

  /** See {@link DeviceLifecycle.retire}. */
  retire(why: string): void {
    this.#lifecycle.retire(why);
  }

  /** See {@link DeviceLifecycle.stop}. */
  stop(hurried = false): Promise<void> {
    return this.#lifecycle.stop(hurried);
  }

  #busyWith(name: string | undefined): void {
    if (name !== undefined) {
      this.#status.to('busy', name);
      return;
    }
    if (this.#status.state === 'busy') this.#status.to('idle', null);
    this.#lifecycle.cleanUpWhenQuiet();
  }
}

function allocationOf({ attemptId, fence }: DeviceCall): { allocation?: Allocation } {
  if (attemptId === undefined || fence === undefined) return {};
  return { allocation: { attempt_id: attemptId, fence } };
}

function quoted(id: string | null): string {
  return id === null ? 'none' : `'${id}'`;
}
