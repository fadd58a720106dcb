import { pathToFileURL } from 'node:url';
import type { DeviceFunction, JsonObject } from '@lab/contracts';
import {
  type AddedFunction,
  type Allocation,
  type contextKey,
  type DeviceContext,
  deviceFunctionKey,
  type DeviceFunctionMark,
  type DeviceFunctionTable,
  markOf,
  refuseArguments,
  type TaskContext,
} from '../author/index.js';

/** A device object, made with any copy of the SDK. */
export interface AuthorDevice {
  [contextKey]?: DeviceContext;
  _initialize(parameters: JsonObject): unknown;
  _cleanup(): unknown;
  _report(): unknown;
  _svc_functions?(): Readonly<Record<string, AddedFunction>>;
  _allocated?(allocation: Allocation): unknown;
  _deallocated?(allocation: Allocation): unknown;
  _stop?(reason: string): unknown;
  _reconcile?(parameters: JsonObject, inDoubt: { callId: string; function: string }[]): unknown;
}

/** A task object, made with any copy of the SDK. */
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
 * Imports a module and finds its class: the default export, or else the only exported class of the wanted kind. A class is
 * recognised by its methods, because a bundled module has its own copy of the base class.
 *
 * @param path absolute path of the module file
 * @param source path of its source in the package, for messages
 * @throws Error that says what the module should export; any error that the module throws on import
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

/** Largest declaration of a device in bytes. It is limited because every heartbeat of the agent contains it. */
const largestDeclarations = 32_000;

const functionKinds: readonly unknown[] = ['effect', 'idempotent', 'query'];

/**
 * Finds the functions that the class of a device itself declares, by decorators and in its table `svc_functions`. Inherited
 * functions do not count.
 *
 * @throws TypeError when the table is wrong, or all declarations together are too large
 */
export function declaredFunctions(device: AuthorDevice): Map<string, DeclaredFunction> {
  const found = new Map<string, DeclaredFunction>();
  const prototype: object = Object.getPrototypeOf(device) as object;
  const table = tableOf(prototype);
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value !== 'function' || name.startsWith('_')) continue;
    const decorated = (value as { [deviceFunctionKey]?: DeviceFunctionMark })[deviceFunctionKey];
    const listed = table.get(name);
    if (decorated !== undefined && listed !== undefined) {
      throw new TypeError(`${name} is declared twice: keep the decorator or the entry of svc_functions`);
    }
    const declaration = decorated ?? listed;
    if (declaration === undefined) continue;
    found.set(name, declared(name, declaration, value as DeviceMethod));
  }
  refuseLarge(found);
  return found;
}

/**
 * Adds the functions that one device adds to those of its class, see `BaseDevice._svc_functions`.
 *
 * @param ofClass the functions that {@link declaredFunctions} found
 * @throws TypeError when an added function is wrong or its name is taken, or all declarations together are too large; any error
 *   of the author
 */
export function withAddedFunctions(
  device: AuthorDevice,
  ofClass: ReadonlyMap<string, DeclaredFunction>,
): Map<string, DeclaredFunction> {
  const found = new Map(ofClass);
  if (device._svc_functions === undefined) return found;
  const added: unknown = device._svc_functions();
  if (typeof added !== 'object' || added === null || Array.isArray(added)) {
    throw new TypeError('_svc_functions must return an object of functions by name');
  }
  for (const [name, entry] of Object.entries(added as Record<string, AddedFunction>)) {
    const what = `_svc_functions: ${name}`;
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) {
      throw new TypeError(`_svc_functions returned the name "${name}": a name has letters, digits and _`);
    }
    if (ofClass.has(name))
      throw new TypeError(`${what} is already a function of the class: choose another name`);
    if (typeof entry !== 'object' || entry === null || typeof entry.call !== 'function') {
      throw new TypeError(`${what} must be an object with kind and call`);
    }
    if (!functionKinds.includes(entry.kind)) {
      throw new TypeError(`${what}.kind must be one of ${functionKinds.join(', ')}`);
    }
    found.set(
      name,
      declared(name, markOf(what, entry.kind, entry), (parameters) => entry.call(parameters)),
    );
  }
  refuseLarge(found);
  return found;
}

function declared(
  name: string,
  { kind, timeout, description, parameters, beside }: DeviceFunctionMark,
  method: DeviceMethod,
): DeclaredFunction {
  return {
    name,
    kind,
    ...(timeout === undefined ? {} : { timeout_s: timeout }),
    ...(description === undefined ? {} : { description }),
    ...(beside === undefined ? {} : { beside }),
    // The agent gets the JSON form, so that form is returned.
    ...(parameters === undefined
      ? {}
      : { parameters: parameters as unknown as NonNullable<DeviceFunction['parameters']> }),
    method,
  };
}

/** @throws TypeError when all declarations together are too large */
function refuseLarge(functions: ReadonlyMap<string, DeclaredFunction>): void {
  const size = Buffer.byteLength(JSON.stringify([...functions.values()]));
  if (size > largestDeclarations) {
    throw new TypeError(
      `the functions are declared with ${size} bytes of JSON: at most ${largestDeclarations} are kept of a device, so shorten the descriptions`,
    );
  }
}

/** Reads the class's own table, and checks each entry against its method. */
function tableOf(prototype: object): Map<string, DeviceFunctionMark> {
  const { constructor: type } = prototype as { constructor: { svc_functions?: unknown } };
  const marks = new Map<string, DeviceFunctionMark>();
  if (!Object.hasOwn(type, 'svc_functions')) return marks;
  const table = type.svc_functions;
  if (typeof table !== 'object' || table === null || Array.isArray(table)) {
    throw new TypeError('svc_functions must be an object of declarations by function name');
  }
  for (const [name, entry] of Object.entries(table as DeviceFunctionTable)) {
    const what = `svc_functions.${name}`;
    const method: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
    if (typeof method !== 'function' || name.startsWith('_') || name === 'constructor') {
      throw new TypeError(`${what}: the class itself has no method ${name} that can be called from outside`);
    }
    refuseArguments(name, method);
    if (typeof entry !== 'object' || entry === null || !functionKinds.includes(entry.kind)) {
      throw new TypeError(`${what}.kind must be one of ${functionKinds.join(', ')}`);
    }
    marks.set(name, markOf(what, entry.kind, entry));
  }
  return marks;
}
