import type { CampaignSubmission, ProtocolRunSubmission, TaskSubmission } from '@lab/api-client';
import { fieldsOf, type Field, type Value } from './fields/index.js';
import { fieldOf } from './graph.js';
import { plainText } from './values.js';

/** What a person can submit. */
export type WorkKind = 'task' | 'run' | 'campaign';
export const workKinds: readonly WorkKind[] = ['task', 'run', 'campaign'];

/** A device or resource that a task on demand needs. */
export interface Slot {
  /** Handle within the task. */
  name: string;
  /** Type of the device or resource. */
  type: string;
}

/** What the definition of a task type asks of a submission; undefined for something that is no such definition. */
export interface TaskForm {
  fields: Field[];
  devices: Slot[];
  resources: Slot[];
}

export function taskFormOf(definition: unknown): TaskForm | undefined {
  const fields = fieldsOf(fieldOf(definition, 'input_parameters') ?? {});
  if (fields === undefined) return undefined;
  return {
    fields,
    devices: slotsOf(fieldOf(definition, 'devices')),
    resources: slotsOf(fieldOf(definition, 'input_resources')),
  };
}

function slotsOf(declared: unknown): Slot[] {
  if (typeof declared !== 'object' || declared === null) return [];
  return Object.entries(declared).map(([name, value]: [string, unknown]) => ({
    name,
    type: String(fieldOf(value, 'type') ?? ''),
  }));
}

/** A parameter of a protocol whose value a submission gives. */
interface DynamicParameter {
  task: string;
  /** Task type, whose definition declares the parameter. */
  type: string;
  parameter: string;
}

/** The parameters whose values a submission of a protocol gives, in the order of the protocol. */
export function dynamicParametersOf(protocol: unknown): DynamicParameter[] {
  const tasks = fieldOf(protocol, 'tasks');
  if (!Array.isArray(tasks)) return [];
  return tasks.flatMap((each: unknown) => {
    const [task, type] = [fieldOf(each, 'name'), fieldOf(each, 'type')];
    if (typeof task !== 'string' || typeof type !== 'string') return [];
    return Object.entries(fieldOf(each, 'parameters') ?? {})
      .filter(([, value]) => fieldOf(value, 'kind') === 'dynamic')
      .map(([parameter]) => ({ task, type, parameter }));
  });
}

/**
 * A field for each parameter of a protocol that a submission gives, named `TASK.PARAMETER`.
 *
 * @param declarations definitions of task types by name
 * @param isRequired false: values may also come from an optimizer or from rows
 */
export function dynamicFieldsOf(
  protocol: unknown,
  declarations: ReadonlyMap<string, unknown>,
  isRequired: boolean,
): Field[] {
  return dynamicParametersOf(protocol).map(({ task, type, parameter }) => {
    const declared = fieldOf(fieldOf(declarations.get(type), 'input_parameters'), parameter);
    const name = `${task}.${parameter}`;
    const [field] = fieldsOf({ [name]: declared ?? {} }) ?? [];
    // A protocol that leaves a value to the submission needs it, also where the task type has one of its own.
    return { ...(field as Field), isRequired, ...(isRequired ? { preset: undefined } : {}) };
  });
}

/** Values by `TASK.PARAMETER`, by task and then by parameter. */
export function byTask(values: Readonly<Record<string, Value>>): Record<string, Record<string, Value>> {
  const found: Record<string, Record<string, Value>> = {};
  for (const [name, value] of Object.entries(values)) {
    const dot = name.indexOf('.');
    (found[name.slice(0, dot)] ??= {})[name.slice(dot + 1)] = value;
  }
  return found;
}

/** The values of a submission, by the name of their field. */
export function valuesOf(
  kind: WorkKind,
  submission: TaskSubmission | ProtocolRunSubmission | CampaignSubmission,
): Record<string, unknown> {
  if (kind === 'task') return (submission as TaskSubmission).input_parameters ?? {};
  const tasks =
    kind === 'run'
      ? (submission as ProtocolRunSubmission).parameters
      : (submission as CampaignSubmission).global_parameters;
  return Object.fromEntries(
    Object.entries(tasks ?? {}).flatMap(([task, parameters]) =>
      Object.entries(parameters).map(([parameter, value]) => [`${task}.${parameter}`, value]),
    ),
  );
}

/** The parameters of each run as cells, with a first row of `TASK.PARAMETER`. A value that a run does not give is empty. */
export function tableOfRuns(
  runs: readonly Readonly<Record<string, Readonly<Record<string, unknown>>>>[],
): string[][] {
  const flat = runs.map((run) => valuesOf('run', { name: '', type: '', parameters: run }));
  const names = [...new Set(flat.flatMap((values) => Object.keys(values)))];
  return [
    names,
    ...flat.map((values) => names.map((name) => (values[name] === undefined ? '' : plainText(values[name])))),
  ];
}

/** Rows of cells as comma-separated values (RFC 4180). */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((row) =>
      row.map((cell) => (/[",\r\n;]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(','),
    )
    .join('\n');
