import type { JsonObject, JsonValue } from '@lab/contracts';
import { z } from 'zod';
import {
  type DependencyLag,
  type DeviceDefinition,
  hintFor,
  type LabDefinition,
  type ProtocolDefinition,
  readBinding,
  type TaskDefinition,
} from '../model/index.js';
import type { Path, SourceDocument } from '../documents/index.js';
import type { DefinitionIndex } from './index-of.js';
import { failurePolicyKeys, readFailurePolicy } from './failure-policy.js';
import { checkFiles, impliedDependencies, readFileReference } from './protocol-files.js';
import { checkBindings } from './protocol-parameters.js';
import type { Dependency, ProtocolScope, TaskEntry } from './protocol-scope.js';
import { checkSlots } from './protocol-slots.js';
import { readDeviceSlot, readResourceSlot } from './slot-forms.js';
import { checkName, isMapping, json, kindOf, optionalMapping, optionalText, readShape } from './shape.js';
import { TaskGraph } from './task-graph.js';

const protocolShape = z.strictObject({
  type: z.string(),
  desc: z.string(),
  labs: z.array(z.string()),
  resources: optionalMapping,
  tasks: z.array(json).min(1, { message: 'a protocol has at least one task' }),
});
/** Longest duration, in seconds: a year. */
const maxDuration = 365 * 24 * 3600;
const durationRule = `a duration is a number of seconds from 0 to ${maxDuration}`;
const taskShape = z.strictObject({
  name: z.string(),
  type: z.string(),
  desc: optionalText,
  duration: z
    .number()
    .min(0, { message: durationRule })
    .max(maxDuration, { message: durationRule })
    .default(1),
  group: z.string().min(1, { message: 'a group label must not be empty' }).nullish(),
  devices: optionalMapping,
  resources: optionalMapping,
  parameters: optionalMapping,
  files: optionalMapping,
  dependencies: z
    .array(json)
    .nullish()
    .transform((value) => value ?? []),
  ...failurePolicyKeys,
});
const lagRule = `a lag is a number of seconds from 0 to ${maxDuration}`;
const lag = z
  .number()
  .min(0, { message: lagRule })
  .max(maxDuration, { message: lagRule })
  .nullish()
  .transform((value) => value ?? undefined);
const dependencyShape = z.strictObject({ task: z.string(), min_lag: lag, max_lag: lag });
const annotationShape = z.strictObject({ desc: optionalText, meta: optionalMapping });

/** Reads `experiment.yml` without its optimizer. Faults are recorded in the document. */
export function readProtocol(
  source: SourceDocument,
  taskTypes: DefinitionIndex<TaskDefinition>,
  labIndex: DefinitionIndex<LabDefinition>,
  deviceTypes: DefinitionIndex<DeviceDefinition>,
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
  const graph = new TaskGraph(new Map([...tasks].map(([name, entry]) => [name, namesOf(entry)])));
  const scope: ProtocolScope = { source, tasks, graph, labs, labNames, labsComplete, deviceTypes };
  for (const entry of entries) checkDependencies(scope, entry);
  checkCycles(scope);
  checkGroups(scope);
  for (const entry of entries) {
    checkSlots(scope, entry);
    checkBindings(scope, entry);
    checkFiles(scope, entry);
  }
  return {
    type: protocol.type ?? '',
    desc: protocol.desc ?? '',
    labs: [...new Set(labNames)],
    resources: readAnnotations(scope, protocol.resources ?? {}),
    tasks: graph.sorted().flatMap((name) => {
      const entry = tasks.get(name);
      if (!entry) return [];
      const { type, desc, duration, group, devices, resources, parameters, files } = entry;
      const dependencies = namesOf(entry);
      const lags = Object.fromEntries(
        entry.dependencies.flatMap((each) => (each.lag === undefined ? [] : [[each.name, each.lag]])),
      ) as Record<string, DependencyLag>;
      // Absent when nothing is declared, so that the hash does not cover it.
      const more = {
        ...(Object.keys(files).length === 0 ? {} : { files }),
        ...(Object.keys(lags).length === 0 ? {} : { lags }),
        ...(entry.failurePolicy === undefined ? {} : { failure_policy: entry.failurePolicy }),
      };
      return [{ name, type, desc, duration, group, devices, resources, parameters, dependencies, ...more }];
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
    const files = mapDefined(task.files ?? {}, (entry, handle) =>
      readFileReference(source, [...path, 'files', handle], entry, names),
    );
    const listed = readDependencies(source, [...path, 'dependencies'], task.dependencies ?? []);
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
        files,
        named: {
          devices: Object.keys(devices),
          resources: Object.keys(resources),
          parameters: Object.keys(parameters),
          files: Object.keys(task.files ?? {}),
        },
        dependencies: [...listed, ...impliedDependencies(task.name ?? '', files, listed)],
        failurePolicy: readFailurePolicy(source, path, task),
      },
    ];
  });
}

function readDependencies(source: SourceDocument, path: Path, values: readonly JsonValue[]): Dependency[] {
  const dependencies: Dependency[] = [];
  for (const [index, value] of values.entries()) {
    const at: Path = [...path, index];
    let read: Omit<Dependency, 'index'>;
    if (typeof value === 'string') read = { name: value, lag: undefined };
    else if (isMapping(value)) {
      const shape = readShape(source, at, value, dependencyShape);
      if (shape?.task === undefined) continue;
      read = { name: shape.task, lag: lagOf(source, at, shape) };
    } else {
      source.fault(
        at,
        'wrong_type',
        `a dependency is the name of a task, or a mapping with task, min_lag and max_lag, not ${kindOf(value)}`,
      );
      continue;
    }
    if (dependencies.some(({ name }) => name === read.name)) {
      source.fault(at, 'duplicate_dependency', `the dependency "${read.name}" stands twice`, {
        hint: 'keep one of the two',
      });
    } else dependencies.push({ ...read, index });
  }
  return dependencies;
}

function lagOf(
  source: SourceDocument,
  path: Path,
  { min_lag, max_lag }: { min_lag?: number | undefined; max_lag?: number | undefined },
): DependencyLag | undefined {
  if (min_lag === undefined && max_lag === undefined) return undefined;
  if (max_lag !== undefined && max_lag < (min_lag ?? 0)) {
    source.fault([...path, 'max_lag'], 'lag_order', `max_lag is ${max_lag}, but min_lag is ${min_lag ?? 0}`, {
      hint: 'the greatest lag must be no smaller than the least one',
    });
    return undefined;
  }
  return {
    ...(min_lag === undefined ? {} : { min_lag }),
    ...(max_lag === undefined ? {} : { max_lag }),
  };
}

function namesOf(entry: TaskEntry): string[] {
  return entry.dependencies.map(({ name }) => name);
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
  for (const { name, index } of entry.dependencies) {
    if (index === null || tasks.has(name)) continue;
    source.fault([...entry.path, 'dependencies', index], 'unknown_dependency', `there is no task "${name}"`, {
      hint: hintFor(
        name,
        [...tasks.keys()].filter((other) => other !== entry.name),
      ),
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

/** The tasks of a group run back to back, which is impossible if another task must run between two of them. */
function checkGroups({ source, tasks, graph }: ProtocolScope): void {
  const groups = new Map<string, TaskEntry[]>();
  for (const entry of tasks.values()) {
    if (entry.group !== null) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  }
  for (const [group, members] of groups) {
    const names = new Set(members.map(({ name }) => name));
    for (const entry of members) {
      const between = [...graph.ancestors(entry.name)].find(
        (name) => !names.has(name) && [...graph.ancestors(name)].some((before) => names.has(before)),
      );
      if (between === undefined || graph.ancestors(entry.name).has(entry.name)) continue;
      source.fault(
        [...entry.path, 'group'],
        'group_interrupted',
        `the tasks of the group "${group}" run back to back, but "${between}" has to run between them`,
        { hint: `put "${between}" into the group as well, or give the tasks after it another label` },
      );
    }
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
      scope.source.fault(path, 'unknown_resource', `no lab of the protocol has a resource "${name}"`, {
        what: 'key',
        hint: hintFor(name, known),
      });
    }
    annotations[name] = { meta: annotation?.meta ?? {} };
  }
  return annotations;
}
