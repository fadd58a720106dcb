import { pathToFileURL } from 'node:url';
import type { JsonObject, JsonValue, RuntimeParameterValues, SettingField } from '@lab/contracts';
import type { Cell, RuntimeParameters } from '../author/index.js';
import { isPlainObject, kindOf, toJson, toJsonObject } from './json-value.js';
import { faultsOf, plainFault, Unfit } from './optimizer-refusal.js';

/** An optimizer object, made with any copy of the SDK. Optional members are looked up by name. */
export interface AuthorOptimizer {
  sample(count: number, runNames: readonly string[]): unknown;
  report(inputs: object[], outputs: object[], runNames: readonly string[]): unknown;
  report_started?(inputs: object[], runNames: readonly string[]): unknown;
  report_failed?(inputs: object[], runNames: readonly string[]): unknown;
  /**
   * Takes who chose the points of runs, the values of `get_additional_names`, and how many seconds the tasks of completed runs
   * took, before the runs are reported.
   */
  report_details?(details: object[]): unknown;
  get_optimal_solutions(): unknown;
  get_input_names(): unknown;
  get_output_names(): unknown;
  get_additional_names?(): unknown;
  get_num_samples_reported(): unknown;
  get_runtime_params(): unknown;
  set_runtime_params(params: RuntimeParameters): unknown;
  /** Remarks of people that no suggestion has used yet. */
  offer_insights?(insights: readonly { id: string; text: string }[]): unknown;
  /** Takes the unfinished work of the laboratory, before a sample. Only for an optimizer with `batch: schedule_aware`. */
  report_schedule?(schedule: object | null): unknown;
  /** How the optimizer found the latest sample. */
  last_sample?(): unknown;
  explain?(): unknown;
  /** Takes the services of the process, once, before any other call. */
  connect?(lent: Lent): unknown;
  /** The settings, if they depend on the object. They replace those of the class. */
  get_param_schema?(): unknown;
}

/** The services that a process lends to its optimizer. */
export interface Lent {
  /** A monotonic clock in milliseconds. */
  clock: { now(): number };
  /** Language models. Lender and optimizer agree on their type; the host only passes them on. */
  models: object;
  /** A description of the protocol, for an AI. */
  protocol: string;
}

/** A class of optimizers. The second constructor argument is a clock for time limits; a class without limits ignores it. */
export interface AuthorOptimizerClass {
  new (args: JsonObject, clock: Lent['clock']): AuthorOptimizer;
  svc_param_schema?(): unknown;
  /** Constructor arguments that are neither given by the factory nor listed in the schema. */
  svc_argument_names?(): unknown;
  /**
   * Fits the arguments to the protocol before the constructor gets them.
   *
   * @param integers `TASK.PARAMETER` of the integer parameters
   */
  svc_fit_arguments?(args: JsonObject, integers: readonly string[]): unknown;
}

const factoryName = 'svc_create_campaign_optimizer';

const methods = [
  'sample',
  'report',
  'get_optimal_solutions',
  'get_input_names',
  'get_output_names',
  'get_num_samples_reported',
  'get_runtime_params',
  'set_runtime_params',
] as const;

/** Constructor arguments that define the search domain. Every optimizer may have them. */
const domainKeys = ['inputs', 'outputs', 'constraints'];

const fieldTypes: readonly unknown[] = ['checkbox', 'number', 'text', 'select'];

export interface Made {
  optimizer: AuthorOptimizer;
  fields: SettingField[];
  /** The constructor arguments, including secrets. */
  args: JsonObject;
}

/**
 * Imports an `optimizer.ts` and makes the optimizer of its factory (specification, "Optimizer plug-in contract" 1 and 2).
 *
 * @param path absolute path of the module file
 * @param source path of its source in the package, for messages
 * @param overrides replace the arguments with the same keys; runtime parameters among them are set on the new object
 * @param integers `TASK.PARAMETER` of the integer parameters of the protocol
 * @throws Unfit with each override that does not fit, or the argument that the constructor refuses
 * @throws Error that says what the module should export; any error of the author's code
 */
export async function makeOptimizer(
  path: string,
  source: string,
  overrides: JsonObject,
  integers: readonly string[],
  lent: Lent,
): Promise<Made> {
  const [given, OptimizerClass] = await importPair(path, source);
  const fields = inheritedFieldsOf(OptimizerClass);
  const { args: asked, later, atStart } = laidOver(given, overrides, fields, OptimizerClass);
  const fitting = OptimizerClass.svc_fit_arguments?.(structuredClone(asked), integers);
  const args = fitting === undefined ? asked : toJsonObject(fitting, 'the result of svc_fit_arguments');
  let optimizer: AuthorOptimizer;
  try {
    optimizer = new OptimizerClass(structuredClone(args), lent.clock);
    optimizer.connect?.(lent);
  } catch (error) {
    const faults = faultsOf(error);
    if (faults === undefined) throw error;
    throw new Unfit(
      (error as Error).message,
      faults.map((fault) => {
        const [key = ''] = /^[^.[]*/.exec(fault.path) ?? [];
        const { path, ...rest } = plainFault(fault);
        return { path: Object.hasOwn(overrides, key) ? overridePath(path) : path, ...rest };
      }),
    );
  }
  const known = [...atStart, ...Object.keys(runtimeParamsOf(optimizer))];
  const faults = Object.keys(later)
    .filter((key) => !known.includes(key))
    .map((key) => unknown(overridePath(key), key, 'parameter', [...new Set(known)]));
  if (faults.length > 0) throw new Unfit(textOf('The overrides do not fit', faults), faults);
  if (Object.keys(later).length > 0) setRuntimeParams(optimizer, later, overridePath);
  const own = optimizer.get_param_schema?.();
  return { optimizer, fields: own === undefined ? fields : fieldsOf(own, 'get_param_schema'), args };
}

/**
 * Changes runtime parameters. If one is not allowed, none is changed.
 *
 * @param pathOf returns the path of a parameter in the submission
 * @throws Unfit with the unknown or refused parameters
 */
export function setRuntimeParams(
  optimizer: AuthorOptimizer,
  params: JsonObject,
  pathOf: (key: string) => string = (key) => key,
): void {
  const before = runtimeParamsOf(optimizer);
  const known = Object.keys(before);
  const faults = Object.entries(params).flatMap(([key, value]) => {
    if (!known.includes(key)) return [unknown(pathOf(key), key, 'runtime parameter', known)];
    if (typeof value !== 'object' || value === null) return [];
    return [
      { path: pathOf(key), code: 'type', message: `"${key}" takes a single value, not ${kindOf(value)}` },
    ];
  });
  if (faults.length > 0) throw new Unfit(textOf('The runtime parameters do not fit', faults), faults);
  try {
    optimizer.set_runtime_params({ ...params } as RuntimeParameters);
  } catch (error) {
    // By contract the author's code has changed nothing. This restores the values in case it did.
    if (JSON.stringify(runtimeParamsOf(optimizer)) !== JSON.stringify(before))
      optimizer.set_runtime_params(before);
    const found = faultsOf(error)?.map((fault) => ({ ...plainFault(fault), path: pathOf(fault.path) }));
    const message = error instanceof Error ? error.message : String(error);
    const keys = Object.keys(params);
    const path = pathOf(keys.find((key) => message.includes(key)) ?? keys[0] ?? '');
    throw new Unfit(message, found ?? [{ path, code: 'value', message }]);
  }
}

/** Checks runtime parameters. @throws Error when they are not single values by name */
export function runtimeParamsOf(optimizer: AuthorOptimizer): RuntimeParameterValues {
  const values = toJsonObject(optimizer.get_runtime_params(), 'the result of get_runtime_params');
  for (const [key, value] of Object.entries(values)) {
    if (typeof value === 'object' && value !== null) {
      throw new Error(
        `get_runtime_params gives ${kindOf(value)} as "${key}"; a runtime parameter is a single value`,
      );
    }
  }
  return values as RuntimeParameterValues;
}

/** Checks a list of names. @throws Error when it is not a list of different names */
export function namesOf(names: unknown, method: string): string[] {
  const fits = Array.isArray(names) && names.every((name) => typeof name === 'string' && name !== '');
  if (!fits) throw new Error(`${method} must return a list of names TASK.PARAMETER`);
  const repeated = (names as string[]).find((name, i) => names.indexOf(name) !== i);
  if (repeated !== undefined) throw new Error(`${method} returns "${repeated}" twice`);
  return [...(names as string[])];
}

async function importPair(path: string, source: string): Promise<[JsonObject, AuthorOptimizerClass]> {
  const exports = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  const factory = exports[factoryName];
  if (typeof factory !== 'function') {
    throw new Error(
      `${source} exports no function ${factoryName}; it must return [arguments, class of the optimizer]`,
    );
  }
  const pair: unknown = await (factory as () => unknown)();
  if (!Array.isArray(pair) || pair.length !== 2) {
    throw new Error(
      `${factoryName} returned ${kindOf(pair)}; it must return a pair: [arguments, class of the optimizer]`,
    );
  }
  const [args, type] = pair as [unknown, unknown];
  if (typeof type !== 'function') {
    throw new Error(
      `The second of the pair that ${factoryName} returned is ${kindOf(type)}, not a class of optimizers`,
    );
  }
  const prototype = type.prototype as Record<string, unknown> | undefined;
  const missing = methods.filter((method) => typeof prototype?.[method] !== 'function');
  if (missing.length > 0) {
    throw new Error(
      `The class ${type.name} that ${factoryName} returned lacks ${missing.join(', ')}; extend AbstractSequentialOptimizer`,
    );
  }
  return [
    toJsonObject(args, `the constructor arguments that ${factoryName} returned`),
    type as AuthorOptimizerClass,
  ];
}

/**
 * Collects the settings of a class and its base classes. A subclass overrides settings of the same key, so its
 * `svc_param_schema` need not repeat that of its base.
 *
 * @throws Error when a class describes its settings in a way that the contract does not allow
 */
function inheritedFieldsOf(OptimizerClass: AuthorOptimizerClass): SettingField[] {
  const fields = new Map<string, SettingField>();
  for (let type: unknown = OptimizerClass; typeof type === 'function'; type = Object.getPrototypeOf(type)) {
    if (!Object.hasOwn(type, 'svc_param_schema')) continue;
    const described = (type as unknown as AuthorOptimizerClass).svc_param_schema?.();
    for (const field of fieldsOf(described, 'svc_param_schema')) {
      if (!fields.has(field.key)) fields.set(field.key, field);
    }
  }
  return [...fields.values()];
}

/** Checks settings. @throws Error when they are described in a way that the contract does not allow */
function fieldsOf(described: unknown, method: string): SettingField[] {
  const found = toJson(described, `the result of ${method}`);
  if (!Array.isArray(found)) throw new Error(`${method} must return a list of fields`);
  return found.map((field, i) => {
    const problem = fieldProblem(field);
    if (problem !== undefined) throw new Error(`Field ${i} of ${method} ${problem}`);
    return field as unknown as SettingField;
  });
}

function fieldProblem(field: JsonValue): string | undefined {
  if (!isPlainObject(field)) return 'is not an object';
  const { key, type, default: initial, runtime, options } = field;
  if (typeof key !== 'string' || key === '') return 'has no key';
  if (!fieldTypes.includes(type))
    return `("${key}") has the type ${String(type)}; there are ${fieldTypes.join(', ')}`;
  if (typeof runtime !== 'boolean')
    return `("${key}") does not say whether it is a runtime parameter (runtime: true or false)`;
  if (initial === undefined || (typeof initial === 'object' && initial !== null)) {
    return `("${key}") needs a default: a single value or null`;
  }
  if (
    type === 'select' &&
    (!Array.isArray(options) || options.some((option) => typeof option !== 'string'))
  ) {
    return `("${key}") is a select and needs options: a list of texts`;
  }
  return undefined;
}

/** Applies the start-up and domain overrides to the arguments, and separates the values that can only be set later. */
function laidOver(
  args: JsonObject,
  overrides: JsonObject,
  fields: readonly SettingField[],
  OptimizerClass: AuthorOptimizerClass,
): { args: JsonObject; later: JsonObject; atStart: ReadonlySet<string> } {
  const runtime = new Set(fields.filter((field) => field.runtime).map((field) => field.key));
  const atStart = new Set([
    ...Object.keys(args),
    ...domainKeys,
    ...fields.map((field) => field.key),
    ...namesOf(OptimizerClass.svc_argument_names?.() ?? [], 'svc_argument_names'),
  ]);
  const over: JsonObject = {};
  const later: JsonObject = {};
  for (const [key, value] of Object.entries(overrides)) {
    // An argument that is an object may have the same key as a runtime parameter that is one of its values.
    const isSingle = typeof value !== 'object' || value === null;
    if ((runtime.has(key) && isSingle) || !atStart.has(key)) later[key] = value;
    else over[key] = value;
  }
  return { args: { ...args, ...over }, later, atStart };
}

function overridePath(path: string): string {
  return `optimizer_overrides.${path}`;
}

function unknown(path: string, key: string, what: string, known: readonly string[]): Unfit['faults'][number] {
  return {
    path,
    code: 'unknown_field',
    message: `The optimizer has no ${what} "${key}"`,
    hint: known.length === 0 ? `It has none` : `It has ${known.join(', ')}`,
  };
}

function textOf(what: string, faults: Unfit['faults']): string {
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  return `${what}: ${faults[0]?.message}${more}`;
}

/** Whether a value is a cell that can be sent and stored. */
export function isCell(value: unknown): value is Cell {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}
