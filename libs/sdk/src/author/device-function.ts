import {
  declarationFaults,
  type ArgumentsOf,
  type OnlyNamesOf,
  type ParameterDeclarations,
} from './function-parameters.js';

/**
 * What calling a device function does to the world; it decides what the service may do when nobody knows whether a call
 * was carried out.
 *
 * - `effect`: it moves, doses, heats, writes. Never repeated by the service; one at a time per device.
 * - `idempotent`: it changes something, but twice is the same as once (set a temperature, open a valve). One at a time.
 * - `query`: it only reads. Runs beside an effect that is in progress, so it must not disturb it.
 */
export type DeviceFunctionKind = 'effect' | 'idempotent' | 'query';

/** What may be said of a device function. */
export interface DeviceFunctionOptions<
  Specs extends ParameterDeclarations | undefined = ParameterDeclarations | undefined,
> {
  /**
   * Seconds that a call may take at most, more than 0 and at most 604 800 (a week). One that takes longer is aborted by
   * ending the process of the device, so give more than the longest motion needs. Default: the setting of the agent, 60.
   */
  timeout?: number;
  /** What it does, for people: at most 500 characters. */
  description?: string;
  /**
   * Its parameters by name, `{}` for none. The service checks every call against them and fills in defaults before the
   * function is called. Left out: nothing is checked.
   */
  parameters?: Specs;
}

/** What a declaration records. */
export interface DeviceFunctionMark {
  kind: DeviceFunctionKind;
  /** Seconds. */
  timeout?: number;
  description?: string;
  parameters?: ParameterDeclarations;
}

/**
 * The functions of a device by name, for authors who cannot use decorators: `static svc_functions = { ... }` in the class.
 */
export type DeviceFunctionTable = Record<string, DeviceFunctionOptions & { kind: DeviceFunctionKind }>;

const longestTimeout = 604_800;

/** Marks a declared function; a registered symbol, so that any copy of this library recognises it. */
export const deviceFunctionKey: unique symbol = Symbol.for('svc.device_function');

/** Method of a device that a task may call: at most one argument, an object of named parameters. */
// `never` lets a method ask for any shape of parameters: the constraint only counts and bounds its arguments.
type DeviceMethod = (this: never, parameters: never) => unknown;

/** The decorator of a method that takes what the declaration lets through. */
type Declare<Specs extends ParameterDeclarations | undefined> = <
  Method extends (this: never, parameters: ArgumentsOf<Specs>) => unknown,
>(
  method: Method & OnlyNamesOf<Specs, Method>,
  context: ClassMethodDecoratorContext,
) => void;

/**
 * What a declaration records.
 *
 * @param what the declaration as the author wrote it, for messages
 * @throws TypeError that names everything wrong with it
 */
export function markOf(
  what: string,
  kind: DeviceFunctionKind,
  { timeout, description, parameters }: DeviceFunctionOptions,
): DeviceFunctionMark {
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0 && timeout <= longestTimeout)) {
    throw new TypeError(
      `${what}({ timeout: ${String(timeout)} }): a timeout is a number of seconds, more than 0 and at most ${longestTimeout}`,
    );
  }
  const faults = declarationFaults(description, parameters);
  if (faults.length > 0) throw new TypeError(`${what}: ${faults.join('; ')}`);
  return {
    kind,
    ...(timeout === undefined ? {} : { timeout }),
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
  };
}

function declare<Specs extends ParameterDeclarations | undefined>(
  kind: DeviceFunctionKind,
  options: DeviceFunctionOptions<Specs> = {},
): Declare<Specs> {
  const mark = markOf(`@${kind}`, kind, options);
  return (method: DeviceMethod, context) => {
    const name = String(context.name);
    if (typeof context.name === 'symbol' || context.private || context.static || name.startsWith('_')) {
      throw new TypeError(
        `@${kind}() cannot stand on ${name}: a device function is a public method of the object whose name does not begin with _`,
      );
    }
    refuseArguments(name, method);
    if (deviceFunctionKey in method)
      throw new TypeError(`${name} is declared twice: keep one of the decorators`);
    Object.defineProperty(method, deviceFunctionKey, { value: mark });
  };
}

/** @throws TypeError when the method takes more than one argument */
export function refuseArguments(name: string, method: { length: number }): void {
  if (method.length > 1) {
    throw new TypeError(
      `${name} takes ${method.length} arguments: a device function takes at most one, an object of named parameters, ` +
        `as in ${name}({ first, second })`,
    );
  }
}

/**
 * Declares a method that changes the physical world.
 *
 * ```ts
 * @effect()
 * async move({ to }: { to: string }): Promise<void> { ... }
 * ```
 *
 * The service calls it at most once, and one effect at a time per device. A motion that may take longer than a minute
 * says so: `@effect({ timeout: 900 })`. Declared parameters are checked before the function is called, and the compiler
 * checks them against the argument of the method:
 *
 * ```ts
 * @effect({ description: 'Doses', parameters: { volume: { type: 'float', unit: 'ml', min: 0 } } })
 * async dose({ volume }: { volume: number }): Promise<void> { ... }
 * ```
 *
 * @throws TypeError while the class is defined, when the method cannot be a device function
 */
export function effect<const Specs extends ParameterDeclarations | undefined = undefined>(
  options?: DeviceFunctionOptions<Specs>,
): Declare<Specs> {
  return declare('effect', options);
}

/**
 * Declares a method that changes something but may safely be called twice, like setting a temperature. It waits its
 * turn among the effects of the device.
 *
 * @throws TypeError while the class is defined, when the method cannot be a device function
 */
export function idempotent<const Specs extends ParameterDeclarations | undefined = undefined>(
  options?: DeviceFunctionOptions<Specs>,
): Declare<Specs> {
  return declare('idempotent', options);
}

/**
 * Declares a method that only reads. It runs at once, also while an effect of the same device is in progress.
 *
 * @throws TypeError while the class is defined, when the method cannot be a device function
 */
export function query<const Specs extends ParameterDeclarations | undefined = undefined>(
  options?: DeviceFunctionOptions<Specs>,
): Declare<Specs> {
  return declare('query', options);
}
