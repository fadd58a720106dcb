import { pathToFileURL } from 'node:url';
import type { DeviceFunction, JsonObject } from '@lab/contracts';
import type { contextKey, DeviceContext, TaskContext } from '../author/context.js';
import { deviceFunctionKey, type DeviceFunctionMark } from '../author/device-function.js';

/** A device object, whichever copy of the SDK it was made with. */
export interface AuthorDevice {
  [contextKey]?: DeviceContext;
  _initialize(parameters: JsonObject): unknown;
  _cleanup(): unknown;
  _report(): unknown;
}

/** A task object, whichever copy of the SDK it was made with. */
export interface AuthorTask {
  [contextKey]?: TaskContext;
  _execute(devices: object, parameters: object, resources: object): unknown;
}

interface AuthorObjects {
  device: AuthorDevice;
  task: AuthorTask;
}

const kinds = {
  device: { base: 'BaseDevice', methods: ['_initialize', '_cleanup', '_report'] },
  task: { base: 'BaseTask', methods: ['_execute'] },
} as const;

/**
 * Imports a module and finds the class that it is for: its default export, or else the only exported class of that kind.
 * Classes are told by their methods, because a bundled module has its own copy of the base class.
 *
 * @param path absolute path of the module file
 * @param source path of its source in the package, for messages
 * @throws Error that says what the module should export; whatever the module itself throws while it is imported
 */
export async function importClass<Kind extends keyof AuthorObjects>(
  path: string,
  source: string,
  kind: Kind,
): Promise<new () => AuthorObjects[Kind]> {
  const exports = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  const { base, methods } = kinds[kind];
  const fits = (value: unknown): value is new () => AuthorObjects[Kind] =>
    typeof value === 'function' &&
    methods.every(
      (method) => typeof (value.prototype as Record<string, unknown> | undefined)?.[method] === 'function',
    );
  if (fits(exports['default'])) return exports['default'];
  const classes = Object.values(exports).filter(fits);
  if (classes.length === 1 && classes[0] !== undefined) return classes[0];
  const found = Object.keys(exports).join(', ') || 'nothing';
  const problem =
    classes.length > 1
      ? `exports ${classes.length} classes of that kind; make one of them the default export`
      : `exports ${found}; it needs export default class … extends ${base} with ${methods.join(', ')}`;
  throw new Error(`${source} ${problem}`);
}

export type DeviceMethod = (this: AuthorDevice, parameters: JsonObject) => unknown;

export interface DeclaredFunction extends DeviceFunction {
  method: DeviceMethod;
}

/** The functions that the class of a device itself declares; what it inherits is not among them. */
export function declaredFunctions(device: AuthorDevice): Map<string, DeclaredFunction> {
  const found = new Map<string, DeclaredFunction>();
  const prototype: object = Object.getPrototypeOf(device) as object;
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value !== 'function' || name.startsWith('_')) continue;
    const declaration = (value as { [deviceFunctionKey]?: DeviceFunctionMark })[deviceFunctionKey];
    if (declaration === undefined) continue;
    const { kind, timeout } = declaration;
    found.set(name, {
      name,
      kind,
      ...(timeout === undefined ? {} : { timeout_s: timeout }),
      method: value as DeviceMethod,
    });
  }
  return found;
}
