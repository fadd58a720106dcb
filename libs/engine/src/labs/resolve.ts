import type { Fault, JsonObject, JsonValue, ResourceValue } from '@lab/contracts';
import {
  checkParameters,
  type DeviceSlot,
  type ProtocolDefinition,
  type ProtocolTask,
  type ResourceSlot,
} from '@lab/definitions/model';
import type { PlanSlot } from '@lab/scheduling';
import { type AllocationKind, type ProtocolRunRow, type TaskRunRow, allocationKey } from '../rows/index.js';
import type { WorkingState } from '../turn/index.js';
import { type LabMap, deviceKey } from './lab-map.js';

/** Candidates for each slot, in the loaded laboratories and by the units that earlier tasks of the run got. */
export function slotsOf(state: WorkingState, labs: LabMap, task: TaskRunRow): PlanSlot[] | undefined {
  const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
  if (run === undefined) {
    if (task.runId !== null) return undefined;
    return [
      ...Object.entries(task.devices).map(([slot, device]) =>
        planSlot('device', slot, knownDevices(labs, [deviceKey(device.lab_name, device.name)])),
      ),
      ...Object.entries(task.resources).map(([slot, resource]) =>
        planSlot('resource', slot, knownResources(labs, [resource.name])),
      ),
    ];
  }
  const definition = definitionOf(state, run, task.name);
  if (definition === undefined) return undefined;
  const { protocol, entry } = definition;
  return [
    ...Object.entries(entry.devices).map(([slot, wanted]) => {
      const meant = referred(state, run, 'device', wanted);
      return planSlot('device', slot, deviceCandidates(labs, protocol, wanted, meant));
    }),
    ...Object.entries(entry.resources).map(([slot, wanted]) => {
      const meant = referred(state, run, 'resource', wanted);
      return planSlot('resource', slot, resourceCandidates(labs, protocol, wanted, meant));
    }),
  ];
}

/** @param referred key of the device that a reference means; undefined before its task ran */
export function deviceCandidates(
  labs: LabMap,
  protocol: ProtocolDefinition,
  slot: DeviceSlot,
  referred?: string,
): string[] {
  switch (slot.kind) {
    case 'specific':
      return knownDevices(labs, [deviceKey(slot.lab_name, slot.name)]);
    case 'reference':
      return referred === undefined ? [] : knownDevices(labs, [referred]);
    case 'dynamic': {
      const allowed =
        slot.allowed_devices === null
          ? undefined
          : new Set(slot.allowed_devices.map((device) => deviceKey(device.lab_name, device.name)));
      return (labs.devicesOfType.get(slot.device_type) ?? [])
        .filter(
          (device) =>
            protocol.labs.includes(device.lab) &&
            (slot.allowed_labs === null || slot.allowed_labs.includes(device.lab)) &&
            (allowed === undefined || allowed.has(device.key)),
        )
        .map((device) => device.key);
    }
  }
}

/** @param referred name of the resource that a reference means; undefined before its task ran */
export function resourceCandidates(
  labs: LabMap,
  protocol: ProtocolDefinition,
  slot: ResourceSlot,
  referred?: string,
): string[] {
  switch (slot.kind) {
    case 'specific':
      return knownResources(labs, [slot.name]);
    case 'reference':
      return referred === undefined ? [] : knownResources(labs, [referred]);
    case 'dynamic':
      return [...labs.resources.values()]
        .filter((resource) => resource.type === slot.resource_type && protocol.labs.includes(resource.lab))
        .map((resource) => resource.name);
  }
}

/** The input parameters of a task: literal, submitted, or outputs of earlier tasks, checked against the task type. */
export function resolveParameters(
  state: WorkingState,
  task: TaskRunRow,
): { values: JsonObject; faults: Fault[] } {
  const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
  if (run === undefined) {
    const type = state.taskTypeOf(task);
    if (type === undefined) return missingDefinition(task);
    return checkParameters(type.task.input_parameters, task.inputParameters, { path: 'input_parameters' });
  }
  const definition = definitionOf(state, run, task.name);
  const specs = state.protocolOf(run)?.tasks[task.type]?.input_parameters;
  if (definition === undefined || specs === undefined) return missingDefinition(task);
  const path = `tasks.${task.name}.parameters`;
  const faults: Fault[] = [];
  const values: [string, JsonValue][] = [];
  const supplied = own(run.parameters, task.name) ?? {};
  for (const [name, binding] of Object.entries(definition.entry.parameters)) {
    if (binding.kind === 'literal') values.push([name, binding.value]);
    else if (binding.kind === 'dynamic') {
      const value = own(supplied, name);
      if (value !== undefined) values.push([name, value]);
    } else {
      const source = state.taskOf(run.id, binding.task);
      const value =
        own(source?.outputParameters ?? {}, binding.parameter) ??
        own(source?.inputParameters ?? {}, binding.parameter);
      if (value !== undefined) values.push([name, value]);
      else
        faults.push({
          path: `${path}.${name}`,
          code: 'unresolved_reference',
          message: `task "${binding.task}" has no output or input "${binding.parameter}"`,
        });
    }
  }
  if (faults.length > 0) return { values: {}, faults };
  return checkParameters(specs, Object.fromEntries(values), { path });
}

/**
 * The resources of a task with their metadata. The annotations of the protocol replace stored values of the same
 * names, until a task of the run returns the resource. From then on the values of that task count.
 */
export function resourceValues(
  state: WorkingState,
  labs: LabMap,
  task: TaskRunRow,
  names: Readonly<Record<string, string>>,
): Record<string, ResourceValue> {
  const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
  const annotations = run === undefined ? undefined : state.protocolOf(run)?.protocol.resources;
  const handedOn = new Set<string>();
  for (const other of run === undefined ? [] : state.tasksOf(run.id))
    for (const resource of Object.values(other.outputResources ?? {})) handedOn.add(resource.name);
  const values: [string, ResourceValue][] = [];
  for (const [slot, name] of Object.entries(names)) {
    const row = state.rows.resources.get(name) ?? labs.resources.get(name);
    const annotation = annotations === undefined || handedOn.has(name) ? undefined : own(annotations, name);
    values.push([slot, { name, type: row?.type ?? '', meta: { ...row?.meta, ...annotation?.meta } }]);
  }
  return Object.fromEntries(values);
}

/** The unit that a slot means which refers to a slot of the task `source`; undefined: `source` has no unit there. */
export function referredUnit(
  source: TaskRunRow,
  kind: AllocationKind,
  { slot }: { slot: string },
): string | undefined {
  if (kind === 'device') {
    const device = own(source.devices, slot);
    return device === undefined ? undefined : allocationKey(kind, deviceKey(device.lab_name, device.name));
  }
  const resource = own(source.outputResources ?? {}, slot) ?? own(source.resources, slot);
  return resource === undefined ? undefined : allocationKey(kind, resource.name);
}

function definitionOf(
  state: WorkingState,
  run: ProtocolRunRow,
  name: string,
): { protocol: ProtocolDefinition; entry: ProtocolTask } | undefined {
  const protocol = state.protocolOf(run)?.protocol;
  const entry = protocol?.tasks.find((task) => task.name === name);
  return protocol === undefined || entry === undefined ? undefined : { protocol, entry };
}

/** The key of the unit that a reference means; undefined before its task ran. */
function referred(
  state: WorkingState,
  run: ProtocolRunRow,
  kind: AllocationKind,
  slot: DeviceSlot | ResourceSlot,
): string | undefined {
  const source = slot.kind === 'reference' ? state.taskOf(run.id, slot.task) : undefined;
  if (slot.kind !== 'reference' || source === undefined) return undefined;
  return referredUnit(source, kind, slot)?.slice(kind.length + 1);
}

function planSlot(kind: 'device' | 'resource', slot: string, keys: readonly string[]): PlanSlot {
  return { name: `${kind}:${slot}`, candidates: keys.map((key) => allocationKey(kind, key)) };
}

function knownDevices(labs: LabMap, keys: readonly string[]): string[] {
  return keys.filter((key) => labs.devices.has(key));
}

function knownResources(labs: LabMap, names: readonly string[]): string[] {
  return names.filter((name) => labs.resources.has(name));
}

function missingDefinition(task: TaskRunRow): { values: JsonObject; faults: Fault[] } {
  const message = `the definition of task type ${task.type} is missing`;
  return { values: {}, faults: [{ path: 'type', code: 'missing_definition', message }] };
}

/** An own property of the object. Users may choose the names of built-in properties. */
function own<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
