import { contextKey, type DeviceContext } from './context.js';
import { consoleLog, type AuthorLog } from './log.js';

/**
 * A device of a laboratory. Extend it once per device type, as the default export of `devices/<type>/device.ts`:
 *
 * ```ts
 * export default class Pump extends BaseDevice<{ port: string }> {
 *   async _initialize({ port }: { port: string }) { ... }   // connect, bring it to a known state
 *   async _cleanup() { ... }                                // make it safe, disconnect
 *   async _report() { return { flow: this.flow }; }         // what people see of it
 *
 *   @effect()
 *   async dose({ volume }: { volume: number }) { ... }      // what tasks call
 * }
 * ```
 *
 * Each device of a lab is one object in a process of its own that lives as long as the lab is loaded, so fields keep
 * their values between calls. Only methods declared in the class itself with `@effect()`, `@idempotent()` or `@query()`
 * can be called from outside. They take at most one argument, an object of named parameters, and return a value that JSON
 * can carry, or nothing. Make every other method `private`: `Handle` types leave those out.
 *
 * @typeParam InitParameters what `init_parameters` of `device.yml` and `lab.yml` contain
 */
export abstract class BaseDevice<InitParameters extends object = Record<string, unknown>> {
  /** @internal */
  [contextKey]?: DeviceContext;

  /** Name of this device in its lab, known from `_initialize` on. */
  get name(): string {
    return this[contextKey]?.name ?? this.constructor.name;
  }

  /** Name of the lab, known from `_initialize` on. */
  get lab(): string {
    return this[contextKey]?.lab ?? 'no_lab';
  }

  /** The log of the service. `console` works as well. */
  get log(): AuthorLog {
    return this[contextKey]?.log ?? consoleLog;
  }

  /**
   * Id of the call that this code runs for, unique for ever and the same if the service ever repeats it; undefined outside
   * of calls. Pass it to instruments that know command ids, so that `_reconcile` can ask them what became of it.
   */
  get callId(): string | undefined {
    return this[contextKey]?.callId();
  }

  /**
   * Connects to the instrument and brings it to a known, safe state. Called once, before anything else. It is also how a
   * device comes back after its process died, so it must not assume that the instrument was left in order.
   *
   * @param parameters those of `device.yml` with those of `lab.yml` over them
   * @throws anything, to say that the device cannot be used; the message is shown to the operator
   */
  abstract _initialize(parameters: InitParameters): Promise<void> | void;

  /**
   * Makes the instrument safe and lets go of it. Called when the lab is unloaded and when the service goes away; 5 seconds
   * remain in the second case.
   */
  abstract _cleanup(): Promise<void> | void;

  /** The state of the device as people shall see it: a value that JSON can carry. Must not disturb the instrument. */
  abstract _report(): Promise<object> | object;

  /**
   * Optional. Stops the instrument safely, at once: called when people stop it and when a task is cancelled in the middle
   * of a call, past all queues and beside whatever is in progress, also `_initialize`. It has 5 seconds. The call that it
   * stops has to end then as well, by an error or a value, within 5 seconds more; else its process is ended, and a person
   * is asked what became of it.
   *
   * @param reason for the log and for people
   * @throws anything, to say that it could not be stopped
   */
  _stop?(reason: string): Promise<void> | void;

  /**
   * Optional. Reads the instrument and tells whether it is idle, in a known state. Called in a new process, before
   * `_initialize`, when an earlier one ended in the middle of an effect. It has 30 seconds, and must not move anything.
   *
   * @param parameters the same that `_initialize` gets
   * @param inDoubt the calls that began and have no known end, oldest first
   * @returns idle true: the device is initialised and goes on; false: a person is asked
   * @throws anything, to say that it cannot be known: a person is asked
   */
  _reconcile?(
    parameters: InitParameters,
    inDoubt: readonly CallInDoubt[],
  ): Promise<Reconciliation> | Reconciliation;
}

/** A call that began and has no known end. */
export interface CallInDoubt {
  /** What `this.callId` was in that call. */
  callId: string;
  /** Name of the function. */
  function: string;
}

/** What `_reconcile` found. */
export interface Reconciliation {
  /** Nothing moves, and the state of the instrument is known. */
  idle: boolean;
  /** What was found, for people. */
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
 * A device as a task sees it: its functions, each returning a promise, with the name and lab of the device that was
 * chosen. Members that begin with `_`, private members and methods that could not be device functions are absent.
 *
 * A call rejects with a {@link DeviceError} when the function throws, when the device cannot be reached, and when the task
 * is cancelled.
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

/** Handles of several devices, by the names that `task.yml` gives them. */
export type Handles<Devices> = {
  readonly [Name in keyof Devices]: Devices[Name] extends BaseDevice<never> ? Handle<Devices[Name]> : never;
};

/**
 * What a failed device call rejects with. Recognise it by `error.name === 'DeviceError'`.
 *
 * `code` is `device_error` when the device function threw (then `message` is what it said), `unknown_function`,
 * `device_unavailable`, `deadline_exceeded`, or `aborted` when the task was cancelled.
 */
export interface DeviceError extends Error {
  readonly name: 'DeviceError';
  readonly code: string;
  /** The device, as `<lab>.<device>`. */
  readonly device: string;
  readonly function: string;
}
