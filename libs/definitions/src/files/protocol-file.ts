import type { JsonObject, JsonValue } from '@lab/contracts';
import { z } from 'zod';
import { hintFor } from '../model/suggest.js';
import type {
  DeviceSlot,
  LabDefinition,
  ParameterBinding,
  ProtocolDefinition,
  ResourceSlot,
  TaskDefinition,
} from '../model/types.js';
import type { Path } from '../documents/diagnostic.js';
import type { SourceDocument } from '../documents/source-document.js';
import type { DefinitionIndex } from './index-of.js';
import { checkBindings } from './protocol-parameters.js';
import { checkSlots } from './protocol-slots.js';
import { readDeviceSlot, readResourceSlot } from './slot-forms.js';
import { checkName, isMapping, json, kindOf, optionalMapping, optionalText, readShape } from './shape.js';
import { TaskGraph } from './task-graph.js';
import { readBinding } from '../model/bindings.js';

const protocolShape = z.strictObject({
  type: z.string(),
  desc: z.string(),
  labs: z.array(z.string()),
  resources: optionalMapping,
  tasks: z.array(json).min(1, { message: 'a protocol has at least one task' }),
});
const taskShape = z.strictObject({
  name: z.string(),
  type: z.string(),
  desc: optionalText,
  duration: z.number().nonnegative({ message: 'a duration is a number of seconds, not below 0' }).default(1),
  group: z.string().min(1, { message: 'a group label must not be empty' }).nullish(),
  devices: optionalMapping,
  resources: optionalMapping,
  parameters: optionalMapping,
  dependencies: z
    .array(z.string())
    .nullish()
    .transform((value) => value ?? []),
});
const annotationShape = z.strictObject({ desc: optionalText, meta: optionalMapping });

/** A task of a protocol as far as it can be read; what cross-checks need of it. */
export interface TaskEntry {
  path: Path;
  name: string;
  type: string;
  desc: string;
  duration: number;
  group: string | null;
  /** The task type; undefined when it is unknown or broken. */
  definition: TaskDefinition | undefined;
  devices: Record<string, DeviceSlot>;
  resources: Record<string, ResourceSlot>;
  parameters: Record<string, ParameterBinding>;
  /** Names under the slots, also of those that could not be read. */
  named: { devices: string[]; resources: string[]; parameters: string[] };
  dependencies: string[];
}

/** What the checks of one protocol share. */
export interface ProtocolScope {
  source: SourceDocument;
  tasks: ReadonlyMap<string, TaskEntry>;
  graph: TaskGraph;
  labs: ReadonlyMap<string, LabDefinition>;
  /** Names listed under `labs`, also of those that are unknown or broken. */
  labNames: readonly string[];
  /** False when a lab is unknown or broken: what it may hold is then not known. */
  labsComplete: boolean;
}

/** `experiment.yml` without its optimizer. Faults are recorded in the document. */
export function readProtocol(
  source: SourceDocument,
  taskTypes: DefinitionIndex<TaskDefinition>,
  labIndex: DefinitionIndex<LabDefinition>,
): ProtocolDefinition {
  const protocol = readShape(source, [], source.value, protocolShape) ?? {};
  if (protocol.type !== undefined) checkName(source, ['type'], protocol.type, 'value', true);
  const labs = new Map<string, LabDefinition>();
  for (const [index, name] of (protocol.labs ?? []).entries()) {
    const lab = labIndex.need(source, ['labs', index], name);
    if (lab) labs.set(name, lab);
  }
  const labNames = protocol.labs ?? [];
  const labsComplete = protocol.labs !== undefined && labNames.every((name) => labs.has(name));

  const entries = readTasks(source, protocol.tasks ?? [], taskTypes);
  const tasks = new Map<string, TaskEntry>();
  for (const entry of entries) {
    if (entry.name === '') continue;
    if (tasks.has(entry.name)) {
      source.fault([...entry.path, 'name'], 'duplicate_task', `there are two tasks named "${entry.name}"`, {
        hint: 'give each task of a protocol its own name',
      });
    } else {
      tasks.set(entry.name, entry);
    }
  }
  const graph = new TaskGraph(new Map([...tasks].map(([name, entry]) => [name, entry.dependencies])));
  const scope: ProtocolScope = { source, tasks, graph, labs, labNames, labsComplete };
  for (const entry of entries) checkDependencies(scope, entry);
  checkCycles(scope);
  for (const entry of entries) {
    checkSlots(scope, entry);
    checkBindings(scope, entry);
  }
  return {
    type: protocol.type ?? '',
    desc: protocol.desc ?? '',
    labs: [...new Set(labNames)],
    resources: readAnnotations(scope, protocol.resources ?? {}),
    tasks: graph.sorted().flatMap((name) => {
      const entry = tasks.get(name);
      if (!entry) return [];
      const { type, desc, duration, group, devices, resources, parameters, dependencies } = entry;
      return [{ name, type, desc, duration, group, devices, resources, parameters, dependencies }];
    }),
  };
}

function readTasks(
  source: SourceDocument,
  values: readonly JsonValue[],
  taskTypes: DefinitionIndex<TaskDefinition>,
): TaskEntry[] {
  const names = new Set(
    values.flatMap((value) => (isMapping(value) && typeof value['name'] === 'string' ? [value['name']] : [])),
  );
  return values.flatMap((value, index) => {
    const path: Path = ['tasks', index];
    const task = readShape(source, path, value, taskShape);
    if (!task) return [];
    if (task.name !== undefined) checkName(source, [...path, 'name'], task.name, 'value');
    const definition =
      task.type === undefined ? undefined : taskTypes.need(source, [...path, 'type'], task.type);
    const { devices = {}, resources = {}, parameters = {} } = task;
    return [
      {
        path,
        name: task.name ?? '',
        type: task.type ?? '',
        desc: task.desc ?? '',
        duration: task.duration ?? 1,
        group: task.group ?? null,
        definition,
        devices: mapDefined(devices, (entry, handle) =>
          readDeviceSlot(source, [...path, 'devices', handle], entry, names),
        ),
        resources: mapDefined(resources, (entry, handle) =>
          readResourceSlot(source, [...path, 'resources', handle], entry, names),
        ),
        parameters: mapDefined(parameters, (entry) => readBinding(entry, names)),
        named: {
          devices: Object.keys(devices),
          resources: Object.keys(resources),
          parameters: Object.keys(parameters),
        },
        dependencies: [...new Set(task.dependencies ?? [])],
      },
    ];
  });
}

function mapDefined<T>(
  entries: JsonObject,
  read: (entry: JsonValue, name: string) => T | undefined,
): Record<string, T> {
  const result: Record<string, T> = {};
  for (const [name, entry] of Object.entries(entries)) {
    const value = read(entry, name);
    if (value !== undefined) result[name] = value;
  }
  return result;
}

function checkDependencies({ source, tasks }: ProtocolScope, entry: TaskEntry): void {
  for (const [index, name] of entry.dependencies.entries()) {
    if (tasks.has(name)) continue;
    const hint = hintFor(
      name,
      [...tasks.keys()].filter((other) => other !== entry.name),
    );
    source.fault([...entry.path, 'dependencies', index], 'unknown_dependency', `there is no task "${name}"`, {
      ...(hint === undefined ? {} : { hint }),
    });
  }
}

function checkCycles({ source, tasks, graph }: ProtocolScope): void {
  for (const cycle of graph.cycles()) {
    const entry = tasks.get(cycle[0] ?? '');
    if (!entry) continue;
    source.fault(
      [...entry.path, 'dependencies'],
      'cycle',
      cycle.length === 1
        ? `the task "${entry.name}" depends on itself`
        : `the tasks depend on each other in a circle: ${[...cycle, cycle[0]].join(' -> ')}`,
      { hint: 'a protocol is a directed acyclic graph: remove one of these dependencies' },
    );
  }
}

function readAnnotations(scope: ProtocolScope, entries: JsonObject): Record<string, { meta: JsonObject }> {
  const annotations: Record<string, { meta: JsonObject }> = {};
  const known = [...scope.labs.values()].flatMap((lab) => Object.keys(lab.resources));
  for (const [name, entry] of Object.entries(entries)) {
    const path: Path = ['resources', name];
    if (entry !== null && !isMapping(entry)) {
      scope.source.fault(path, 'wrong_type', `must be a mapping with meta, not ${kindOf(entry)}`);
      continue;
    }
    const annotation = readShape(scope.source, path, entry ?? {}, annotationShape);
    if (scope.labsComplete && !known.includes(name)) {
      const hint = hintFor(name, known);
      scope.source.fault(path, 'unknown_resource', `no lab of the protocol has a resource "${name}"`, {
        what: 'key',
        ...(hint === undefined ? {} : { hint }),
      });
    }
    annotations[name] = { meta: annotation?.meta ?? {} };
  }
  return annotations;
}
