import type { DeviceFunction, JsonObject, JsonValue } from '@lab/contracts';
import type { DeviceError } from '../author/index.js';
import { toJsonObject } from './json-value.js';

export interface DeviceOfTask {
  lab: string;
  name: string;
  functions: DeviceFunction[] | null;
}

/** Sends one call and settles with its answer. */
export type SendCall = (slot: string, name: string, parameters: JsonObject) => Promise<JsonValue | undefined>;

/** The agent's answer that a call failed. */
export class CallFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly deviceStack: string | undefined,
  ) {
    super(message);
  }
}

/**
 * Makes the object behind `devices.<slot>`. It has one method per function of the device, which returns a promise. If the
 * functions of the device are not known, the object accepts any method name, and the device answers for those it lacks.
 */
export function deviceHandle(slot: string, device: DeviceOfTask, send: SendCall): object {
  const known = device.functions === null ? undefined : new Set(device.functions.map(({ name }) => name));
  const methods = new Map<string, (...parameters: unknown[]) => Promise<JsonValue | undefined>>();
  const methodFor = (name: string) => {
    const existing = methods.get(name);
    if (existing !== undefined) return existing;
    const method = (...parameters: unknown[]) => callDevice(name, parameters);
    methods.set(name, method);
    return method;
  };

  async function callDevice(name: string, parameters: unknown[]): Promise<JsonValue | undefined> {
    const site = new Error();
    const place = `${slot}.${name}`;
    if (known !== undefined && !known.has(name)) {
      const message = `has no function ${name}; it has: ${[...known].join(', ') || 'none'}`;
      throw deviceError(device, name, new CallFailure('unknown_function', message, undefined), site);
    }
    if (parameters.length > 1) {
      throw new TypeError(
        `${place} was called with ${parameters.length} arguments: give one object of named parameters, as in ${place}({ first, second })`,
      );
    }
    const [given = {}] = parameters;
    const wire = toJsonObject(given, `the argument of ${place}`);
    try {
      return await send(slot, name, wire);
    } catch (error) {
      if (error instanceof CallFailure) throw deviceError(device, name, error, site);
      throw error;
    }
  }

  return new Proxy(Object.freeze({ name: device.name, lab: device.lab }), {
    get(target, key, receiver): unknown {
      if (typeof key === 'symbol' || key in target) return Reflect.get(target, key, receiver);
      // `then` must be absent, otherwise `await` would call the device; so must `toJSON`, because of JSON.stringify.
      if (key === 'then' || key === 'toJSON') return undefined;
      if (key.startsWith('_')) {
        throw new TypeError(
          `${slot}.${key} cannot be called: members that begin with _ belong to the service`,
        );
      }
      return methodFor(key);
    },
  });
}

/**
 * The error of a failed call, as task code sees it. `stack` shows the place of the call in the task; `deviceStack` shows the place of the
 * failure in the device.
 *
 * @param site made where the task called
 */
export function deviceError(
  device: Pick<DeviceOfTask, 'lab' | 'name'>,
  name: string,
  failure: CallFailure,
  site: Error,
): DeviceError {
  const label = `${device.lab}.${device.name}`;
  const message =
    failure.code === 'unknown_function'
      ? `${label} ${failure.message}`
      : `${label}.${name}: ${failure.message}`;
  const error = new Error(message);
  // Mapping a stack to its sources takes milliseconds, so it happens only after a failure.
  error.stack = `DeviceError: ${message}\n${(site.stack ?? '').split('\n').slice(1).join('\n')}`;
  const deviceFrames = failure.deviceStack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return Object.assign(error, {
    name: 'DeviceError' as const,
    code: failure.code,
    device: label,
    function: name,
    ...(deviceFrames.length === 0 ? {} : { deviceStack: deviceFrames.join('\n') }),
  });
}
