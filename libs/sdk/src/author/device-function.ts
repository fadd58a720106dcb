import {
  declarationFaults,
  type ArgumentsOf,
  type OnlyNamesOf,
  type ParameterDeclarations,
} from './function-parameters.js';
import type { JsonObject } from './json.js';

/**
 * The effect of a device function on the world. It decides what the service may do when nobody knows whether a call was
 * carried out.
 *
 * - `effect`: the function moves, doses, heats or writes. The service never repeats a call, and runs one at a time per device.
 * - `idempotent`: the function changes something, but two calls have the same result as one (set a temperature, open a
 *   valve). The service runs one at a time per device.
 * - `query`: the function only reads. It runs beside an effect in progress, so it must not disturb that effect.
 */
export type DeviceFunctionKind = 'effect' | 'idempotent' | 'query';

/** Options of a device function. */
export interface DeviceFunctionOptions<
  Specs extends ParameterDeclarations | undefined = ParameterDeclarations | undefined,
> {
  /**
   * Longest duration of a call in seconds, more than 0 and at most 604 800 (a week). If a call takes longer, the service ends
   * the process of the device, so choose more than the longest motion needs. Default: the setting of the agent, 60.
   */
  timeout?: number;
  /** A description for people, at most 500 characters. */
  description?: string;
  /**
   * The parameters by name; `{}` for none. Before each call, the service checks the arguments against them and fills in
   * defaults. If you leave this out, the service checks nothing.
   */
  parameters?: Specs;
  /**
   * Only for `idempotent`: a call runs at once, also beside an effect in progress, as a button for a pause must. Default: it
   * waits for its turn.
   */
  beside?: boolean;
}

/** The record of a declaration, attached to the method. */
export interface DeviceFunctionMark {
  kind: DeviceFunctionKind;
  /** In seconds. */
  timeout?: number;
  description?: string;
  parameters?: ParameterDeclarations;
  beside?: boolean;
}

/**
 * The functions of a device by name, for authors who cannot use decorators: `static svc_functions = { ... }` in the class.
 */
export type DeviceFunctionTable = Record<string, DeviceFunctionOptions & { kind: DeviceFunctionKind }>;

/**
 * A function of one device that its class does not declare. {@link BaseDevice._svc_functions} returns them by name.
 */
export interface AddedFunction extends DeviceFunctionOptions {
  kind: DeviceFunctionKind;
  /**
   * Carries a call out.
   *
   * @param parameters the arguments by name, checked against `parameters` and completed by its defaults
   * @returns a JSON value or nothing
   */
  call: (parameters: JsonObject) => unknown;
}

const longestTimeout = 604_800;

/** The key of the record. It is a registered symbol, so that every copy of this library recognises it. */
export const deviceFunctionKey: unique symbol = Symbol.for('svc.device_function');

/** Method of a device that a task may call: at most one argument, an object of named parameters. */
// `never` accepts any shape of parameters: the constraint only limits the number of arguments.
type DeviceMethod = (this: never, parameters: never) => unknown;

/** The decorator of a method whose argument matches the declared parameters. */
type Declare<Specs extends ParameterDeclarations | undefined> = <
  Method extends (this: never, parameters: ArgumentsOf<Specs>) => unknown,
>(
  method: Method & OnlyNamesOf<Specs, Method>,
  context: ClassMethodDecoratorContext,
) => void;

/**
 * Checks a declaration and makes its record.
 *
 * @param what the declaration as the author wrote it, for messages
 * @throws TypeError that names every fault of the declaration
 */
export function markOf(
  what: string,
  kind: DeviceFunctionKind,
  { timeout, description, parameters, beside }: DeviceFunctionOptions,
): DeviceFunctionMark {
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0 && timeout <= longestTimeout)) {
    throw new TypeError(
      `${what}({ timeout: ${String(timeout)} }): a timeout is a number of seconds, more than 0 and at most ${longestTimeout}`,
    );
  }
  if (beside !== undefined && (typeof beside !== 'boolean' || (beside && kind !== 'idempotent'))) {
    throw new TypeError(
      `${what}({ beside: ${String(beside)} }): only an idempotent function can run beside an effect; a query always does`,
    );
  }
  const faults = declarationFaults(description, parameters);
  if (faults.length > 0) throw new TypeError(`${what}: ${faults.join('; ')}`);
  return {
    kind,
    ...(timeout === undefined ? {} : { timeout }),
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(beside === true ? { beside } : {}),
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
        `@${kind}() cannot stand on ${name}: a device function is a public instance method whose name does not begin with _`,
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
 * The service sends each call at most once, and runs one effect at a time per device. If a motion may take longer than a
 * minute, set its timeout: `@effect({ timeout: 900 })`. The service checks declared parameters before each call, and the
 * compiler checks them against the argument of the method:
 *
 * ```ts
 * @effect({ description: 'Doses', parameters: { volume: { type: 'float', unit: 'ml', min: 0 } } })
 * async dose({ volume }: { volume: number }): Promise<void> { ... }
 * ```
 *
 * @throws TypeError when the class is defined and the method cannot be a device function
 */
export function effect<const Specs extends ParameterDeclarations | undefined = undefined>(
  options?: DeviceFunctionOptions<Specs>,
): Declare<Specs> {
  return declare('effect', options);
}

/**
 * Declares a method that changes something but may safely be called twice, for example to set a temperature. Its calls queue
 * with the effects of the device.
 *
 * @throws TypeError when the class is defined and the method cannot be a device function
 */
export function idempotent<const Specs extends ParameterDeclarations | undefined = undefined>(
  options?: DeviceFunctionOptions<Specs>,
): Declare<Specs> {
  return declare('idempotent', options);
}

/**
 * Declares a method that only reads. It runs at once, also while an effect of the same device is in progress.
 *
 * @throws TypeError when the class is defined and the method cannot be a device function
 */
export function query<const Specs extends ParameterDeclarations | undefined = undefined>(
  options?: DeviceFunctionOptions<Specs>,
): Declare<Specs> {
  return declare('query', options);
}
