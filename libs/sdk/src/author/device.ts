import { contextKey, type Allocation, type DeviceContext } from './context.js';
import type { AddedFunction } from './device-function.js';
import { consoleLog, type AuthorLog } from './log.js';

/**
 * A device of a laboratory. Extend it once per device type, as the default export of `devices/<type>/device.ts`:
 *
 * ```ts
 * export default class Pump extends BaseDevice<{ port: string }> {
 *   async _initialize({ port }: { port: string }) { ... }   // connect, establish a known state
 *   async _cleanup() { ... }                                // make the instrument safe, disconnect
 *   async _report() { return { flow: this.flow }; }         // the state that people see
 *
 *   @effect()
 *   async dose({ volume }: { volume: number }) { ... }      // a function that tasks call
 * }
 * ```
 *
 * Each device of a lab is one object in its own process. The process lives as long as the lab is loaded, so fields keep their
 * values between calls. Tasks can call only methods that the class itself declares with `@effect()`, `@idempotent()` or
 * `@query()`. Such a method takes at most one argument, an object of named parameters, and returns a JSON value or nothing.
 * Make every other method `private`, because the `Handle` types leave private methods out.
 *
 * @typeParam InitParameters the `init_parameters` of `device.yml` and `lab.yml`
 */
export abstract class BaseDevice<InitParameters extends object = Record<string, unknown>> {
  /** @internal */
  [contextKey]?: DeviceContext;

  /** Name of this device in its lab. Available from `_initialize` on. */
  get name(): string {
    return this[contextKey]?.name ?? this.constructor.name;
  }

  /** Name of the lab. Available from `_initialize` on. */
  get lab(): string {
    return this[contextKey]?.lab ?? 'no_lab';
  }

  /** The log of the service. Output of `console` goes there too. */
  get log(): AuthorLog {
    return this[contextKey]?.log ?? consoleLog;
  }

  /**
   * Absolute path of a folder on the computer of the device. It is for whatever must outlast the process of the device, such as
   * a calibration. Its files stay over restarts. Null outside of an agent, for example in a unit test. Available from
   * `_initialize` and `_reconcile` on.
   *
   * @throws Error when the disk refuses the folder
   */
  get stateFolder(): string | null {
    return this[contextKey]?.folder() ?? null;
  }

  /**
   * Id of the call that the running code serves; undefined outside of calls. The id is unique for ever, and a repeat of the
   * call has the same id. Pass it to an instrument that accepts command ids, so that `_reconcile` can ask the instrument
   * whether the command was carried out.
   */
  get callId(): string | undefined {
    return this[contextKey]?.callId();
  }

  /**
   * Asks people for something while a call goes on, for example to close a door. The question is an item of `svc attention`
   * and of the page, until the device asks another one or null, or its process ends. It decides nothing: say what a person can
   * do, and go on when that is done.
   *
   * @param question at most 1,000 characters; null: the device asks for nothing any more
   */
  askPerson(question: string | null): void {
    this[contextKey]?.ask(question);
  }

  /**
   * The allocation of the task whose call the running code serves. Undefined outside of calls, and when a person calls. Its fence
   * tells one task from the next, also for an instrument that is locked for one of them.
   */
  get callAllocation(): Allocation | undefined {
    return this[contextKey]?.allocation?.();
  }

  /**
   * Connects to the instrument and brings it to a known, safe state. The service calls it once per process, before any device
   * function. It also runs after an earlier process died, so do not assume that the instrument was left in order.
   *
   * @param parameters the parameters of `device.yml`, overridden by those of `lab.yml`
   * @throws any error, to report that the device cannot be used; the operator sees the message
   */
  abstract _initialize(parameters: InitParameters): Promise<void> | void;

  /**
   * Makes the instrument safe and disconnects from it. The service calls it when the lab is unloaded, and when the agent stops
   * or is lost. If the agent is lost, the method has 5 seconds.
   */
  abstract _cleanup(): Promise<void> | void;

  /** Returns the state of the device for people, as a JSON object. It must not disturb the instrument. */
  abstract _report(): Promise<object> | object;

  /**
   * Optional. Returns functions of this one device that its class does not declare, by name. The service calls it once, after
   * `_initialize`. A device that takes its functions from its init parameters or from its instrument overrides it:
   *
   * ```ts
   * override _svc_functions(): Record<string, AddedFunction> {
   *   return { level: { kind: 'query', parameters: {}, call: () => this.link.ask('LEVEL?') } };
   * }
   * ```
   *
   * @throws any error, to report that the device cannot be used; the operator sees the message
   */
  _svc_functions?(): Readonly<Record<string, AddedFunction>>;

  /**
   * Optional. Stops the instrument safely and at once. The service calls it on an emergency stop, and when a task is cancelled
   * during a call. It runs past all queues and beside every other method, including `_initialize`, and has 5 seconds. The
   * stopped call must then end within 5 more seconds, with an error or a value. Otherwise the service ends the process, and a
   * person has to find out whether the call took effect.
   *
   * @param reason the reason, for the log and for people
   * @throws any error, to report that the instrument could not be stopped
   */
  _stop?(reason: string): Promise<void> | void;

  /**
   * Optional. Prepares the instrument for a task: locks it, or turns a light on. The service calls it before the first call of a task,
   * and again if the process of the device has started anew since. It has 60 seconds. A task that never calls the device does not
   * count.
   *
   * @throws any error: the call of the task fails with its message, and the next call tries again
   */
  _allocated?(allocation: Allocation): Promise<void> | void;

  /**
   * Optional. Takes back what {@link _allocated} did. The service calls it when the task has ended. It does not come if the process of
   * the device, its agent or the computer of the task ends before, so whatever must not last for ever needs a time limit of its own.
   *
   * @throws any error; the service logs it
   */
  _deallocated?(allocation: Allocation): Promise<void> | void;

  /**
   * Optional. Reads the instrument and reports whether it is idle and in a known state. The service calls it in a new process,
   * before `_initialize`, when an earlier process ended in the middle of an effect. It has 30 seconds and must not move
   * anything.
   *
   * @param parameters the parameters that `_initialize` gets
   * @param inDoubt the calls that began and have no known end, oldest first
   * @returns `idle: true`: the service initialises the device and continues; `idle: false`: a person has to decide
   * @throws any error, to report that the state cannot be determined; a person has to decide
   */
  _reconcile?(
    parameters: InitParameters,
    inDoubt: readonly CallInDoubt[],
  ): Promise<Reconciliation> | Reconciliation;
}

/** A call that began and has no known end. */
export interface CallInDoubt {
  /** The value of `this.callId` during that call. */
  callId: string;
  /** Name of the function. */
  function: string;
}

/** The finding of `_reconcile`. */
export interface Reconciliation {
  /** Nothing moves, and the state of the instrument is known. */
  idle: boolean;
  /** Details of the finding, for people. */
  detail?: string;
}

type Method = (...parameters: never[]) => unknown;

type Callable<Device, Name extends keyof Device> = Name extends `_${string}` | keyof BaseDevice
  ? never
  : Device[Name] extends Method
    ? Parameters<Device[Name]> extends [] | [object?]
      ? Name
      : never
    : never;

/**
 * A device as a task sees it: its functions, each of which returns a promise, and the name and lab of the allocated device.
 * Members that begin with `_`, private members and methods that cannot be device functions are absent.
 *
 * A call rejects with a {@link DeviceError} when the function throws, when the device cannot be reached, or when the task is
 * cancelled.
 */
export type Handle<Device extends BaseDevice<never>> = {
  readonly [Name in keyof Device as Callable<Device, Name>]: Device[Name] extends Method
    ? (...parameters: Parameters<Device[Name]>) => Promise<Awaited<ReturnType<Device[Name]>>>
    : never;
} & {
  /** Name of the device. */
  readonly name: string;
  /** Name of its lab. */
  readonly lab: string;
};

/**
 * Handles of several devices, by the names that `task.yml` gives them. A name with `?` is a handle that only some protocols
 * give to the task. A handle is `any` if the class of the device is `any`, because no package defines it.
 */
export type Handles<Devices> = {
  // Only `any` makes this condition true.
  readonly [Name in keyof Devices]: 0 extends 1 & Devices[Name]
    ? Devices[Name]
    : NonNullable<Devices[Name]> extends BaseDevice<never>
      ? Handle<NonNullable<Devices[Name]>>
      : never;
};

/**
 * The error of a failed device call. Recognise it by `error.name === 'DeviceError'`, not by `instanceof`.
 *
 * `code` is `device_error` if the device function threw (`message` is then the message of that error), `unknown_function`,
 * `device_unavailable`, `deadline_exceeded`, or `aborted` if the task was cancelled.
 */
export interface DeviceError extends Error {
  readonly name: 'DeviceError';
  readonly code: string;
  /** The device, as `<lab>.<device>`. */
  readonly device: string;
  readonly function: string;
}
