import { type DeviceSlot, hintFor, type LabDefinition, type ResourceSlot, suggest } from '../model/index.js';
import type { Path } from '../documents/index.js';
import { checkAncestor, type ProtocolScope, type TaskEntry } from './protocol-scope.js';
import { unfilledSlots } from './slot-matching.js';

/** Checks the devices and resources of a task against its type, the labs and the referenced tasks. */
export function checkSlots(scope: ProtocolScope, entry: TaskEntry): void {
  const { definition } = entry;
  const before = scope.source.diagnostics.length;
  const unfillable = unfillableHandles(scope, entry);
  if (definition) {
    const fillable = Object.keys(definition.devices).filter((handle) => !unfillable.has(handle));
    checkHandles(scope, entry, 'devices', fillable);
    checkHandles(scope, entry, 'resources', Object.keys(definition.input_resources));
  }
  const roots = new Map<string, string>();
  for (const [handle, slot] of Object.entries(entry.devices)) {
    if (unfillable.has(handle)) continue;
    const path: Path = [...entry.path, 'devices', handle];
    const wanted = own(definition?.devices, handle)?.type;
    if (slot.kind === 'specific') checkDevice(scope, path, slot, wanted);
    else if (slot.kind === 'dynamic') checkDynamicDevice(scope, path, slot, wanted);
    else checkSlotReference(scope, entry, path, 'devices', slot, wanted);
    checkShared(scope, path, roots, rootOf(scope, 'devices', entry.name, handle), handle);
  }
  roots.clear();
  for (const [handle, slot] of Object.entries(entry.resources)) {
    const path: Path = [...entry.path, 'resources', handle];
    const wanted = own(definition?.input_resources, handle)?.type;
    if (slot.kind === 'specific') checkResource(scope, path, slot.name, wanted);
    else if (slot.kind === 'dynamic') checkDynamicResource(scope, path, slot.resource_type, wanted);
    else checkSlotReference(scope, entry, path, 'resources', slot, wanted);
    checkShared(scope, path, roots, rootOf(scope, 'resources', entry.name, handle), handle);
  }
  if (scope.source.diagnostics.length === before && scope.labsComplete) {
    checkEnough(scope, entry, 'devices');
    checkEnough(scope, entry, 'resources');
  }
}

/** The handles of a task whose device type no package defines. Each is a fault. */
function unfillableHandles({ source, deviceTypes }: ProtocolScope, entry: TaskEntry): Set<string> {
  const handles = new Set<string>();
  for (const [handle, { type }] of Object.entries(entry.definition?.devices ?? {})) {
    if (deviceTypes.get(type) !== undefined) continue;
    handles.add(handle);
    const near = suggest(type, deviceTypes.names());
    source.fault(
      [...entry.path, 'devices', handle],
      'unknown_device_type',
      `the task type "${entry.type}" needs a device of type "${type}" as "${handle}", but there is no device type "${type}"`,
      {
        what: 'key',
        hint:
          near === undefined
            ? `add the package that defines "${type}", or change the type in the task.yml of "${entry.type}"`
            : `if "${near}" is meant, write it in the task.yml of "${entry.type}"`,
      },
    );
  }
  return handles;
}

/** A task uses all of its slots at the same time, so each needs a device or resource of its own. */
function checkEnough(scope: ProtocolScope, entry: TaskEntry, kind: 'devices' | 'resources'): void {
  const candidates = new Map<string, string[]>();
  const rootTasks = new Set<string>();
  for (const handle of Object.keys(entry[kind])) {
    const root = rootSlot(scope, kind, entry.name, handle);
    const found = root ? candidatesOf(scope, root.slot) : [];
    if (!root || found.length === 0) continue;
    rootTasks.add(root.task);
    candidates.set(handle, found);
  }
  // If another task alone decides, the check of that task reports the fault.
  if (rootTasks.size === 1 && !rootTasks.has(entry.name)) return;
  for (const handle of unfilledSlots(candidates)) {
    const word = kind === 'devices' ? 'devices' : 'resources';
    scope.source.fault(
      [...entry.path, kind, handle],
      'unsatisfiable',
      `the labs of the protocol have too few ${word} for all entries of this task at once`,
      { hint: `what fits "${handle}" is needed by other entries: ${listed(candidates.get(handle) ?? [])}` },
    );
  }
}

function candidatesOf(scope: ProtocolScope, slot: DeviceSlot | ResourceSlot): string[] {
  if (slot.kind === 'reference') return [];
  if (slot.kind === 'specific') return ['lab_name' in slot ? `${slot.lab_name}.${slot.name}` : slot.name];
  if ('resource_type' in slot) {
    return resourcesOf(scope).flatMap(({ name, type }) => (type === slot.resource_type ? [name] : []));
  }
  return [...scope.labs.values()].flatMap((lab) => {
    if (slot.allowed_labs !== null && !slot.allowed_labs.includes(lab.name)) return [];
    return Object.values(lab.devices).flatMap((device) =>
      isAllowed(slot, lab, device.name, device.type) ? [`${lab.name}.${device.name}`] : [],
    );
  });
}

function listed(names: readonly string[]): string {
  return names.length > 8 ? `${names.slice(0, 8).join(', ')}, ...` : names.join(', ');
}

function checkHandles(
  { source }: ProtocolScope,
  entry: TaskEntry,
  kind: 'devices' | 'resources',
  wanted: string[],
): void {
  const word = kind === 'devices' ? 'device' : 'resource';
  const given = entry.named[kind];
  const undeclared = given.filter((handle) => !wanted.includes(handle));
  // A task may take more devices than its type declares: those through which a sample only passes.
  for (const handle of kind === 'devices' ? [] : undeclared) {
    source.fault(
      [...entry.path, kind, handle],
      `unknown_${word}_handle`,
      `the task type "${entry.type}" has no ${word} handle "${handle}"`,
      { what: 'key', hint: hintFor(handle, wanted) },
    );
  }
  for (const handle of wanted) {
    if (given.includes(handle)) continue;
    const near = suggest(handle, undeclared);
    source.fault(
      [...entry.path, kind],
      `missing_${word}`,
      `the task type "${entry.type}" needs the ${word} "${handle}"`,
      { what: 'key', hint: near === undefined ? `add "${handle}" under ${kind}` : `rename "${near}" to it` },
    );
  }
}

function checkDevice(
  scope: ProtocolScope,
  path: Path,
  device: { lab_name: string; name: string },
  wanted: string | undefined,
): void {
  const { source, labs, labNames } = scope;
  if (!labNames.includes(device.lab_name)) {
    source.fault(
      [...path, 'lab_name'],
      'lab_not_listed',
      `the lab "${device.lab_name}" is not a lab of this protocol`,
      { hint: hintFor(device.lab_name, labNames) ?? 'add it under labs' },
    );
    return;
  }
  const lab = labs.get(device.lab_name);
  if (!lab) return;
  const found = own(lab.devices, device.name);
  if (!found) {
    source.fault(
      [...path, 'name'],
      'unknown_device',
      `the lab "${lab.name}" has no device "${device.name}"`,
      { hint: hintFor(device.name, Object.keys(lab.devices)) },
    );
  } else if (wanted !== undefined && found.type !== wanted) {
    const others = Object.values(lab.devices).filter((other) => other.type === wanted);
    source.fault(
      [...path, 'name'],
      'device_type',
      `"${device.name}" is a ${found.type}, but the task needs a ${wanted}`,
      {
        hint:
          others.length === 0
            ? undefined
            : `of that type are ${others.map((other) => other.name).join(', ')}`,
      },
    );
  }
}

function checkDynamicDevice(
  scope: ProtocolScope,
  path: Path,
  slot: DeviceSlot & { kind: 'dynamic' },
  wanted: string | undefined,
): void {
  const { source } = scope;
  if (wanted !== undefined && slot.device_type !== wanted) {
    source.fault(
      [...path, 'device_type'],
      'device_type',
      `the task needs a ${wanted}, not a ${slot.device_type}`,
      { hint: `write ${wanted}` },
    );
    return;
  }
  const before = source.diagnostics.length;
  for (const [index, name] of (slot.allowed_labs ?? []).entries()) {
    if (scope.labNames.includes(name)) continue;
    source.fault(
      [...path, 'allowed_labs', index],
      'lab_not_listed',
      `the lab "${name}" is not a lab of this protocol`,
      { hint: hintFor(name, scope.labNames) ?? 'add it under labs' },
    );
  }
  for (const [index, device] of (slot.allowed_devices ?? []).entries()) {
    checkDevice(scope, [...path, 'allowed_devices', index], device, slot.device_type);
  }
  if (source.diagnostics.length > before || !scope.labsComplete) return;
  if (candidatesOf(scope, slot).length === 0) {
    source.fault(
      path,
      'unsatisfiable',
      `no allowed lab has a device of type "${slot.device_type}" for this entry`,
      { hint: hintFor(slot.device_type, new Set(devicesOf(scope).map((device) => device.type))) },
    );
  }
}

function isAllowed(
  slot: DeviceSlot & { kind: 'dynamic' },
  lab: LabDefinition,
  name: string,
  type: string,
): boolean {
  if (type !== slot.device_type) return false;
  return (
    slot.allowed_devices === null ||
    slot.allowed_devices.some((allowed) => allowed.lab_name === lab.name && allowed.name === name)
  );
}

function devicesOf(scope: ProtocolScope): { type: string }[] {
  return [...scope.labs.values()].flatMap((lab) => Object.values(lab.devices));
}

function checkResource(scope: ProtocolScope, path: Path, name: string, wanted: string | undefined): void {
  const resources = resourcesOf(scope);
  const found = resources.find((resource) => resource.name === name);
  if (!found) {
    if (!scope.labsComplete) return;
    scope.source.fault(path, 'unknown_resource', `no lab of the protocol has a resource "${name}"`, {
      hint: hintFor(
        name,
        resources.map((resource) => resource.name),
      ),
    });
  } else if (wanted !== undefined && found.type !== wanted) {
    const others = resources.filter((other) => other.type === wanted).map((other) => other.name);
    scope.source.fault(
      path,
      'resource_type',
      `"${name}" is a ${found.type}, but the task needs a ${wanted}`,
      { hint: others.length === 0 ? undefined : `of that type are ${others.slice(0, 8).join(', ')}` },
    );
  }
}

function checkDynamicResource(
  scope: ProtocolScope,
  path: Path,
  type: string,
  wanted: string | undefined,
): void {
  if (wanted !== undefined && type !== wanted) {
    scope.source.fault(
      [...path, 'resource_type'],
      'resource_type',
      `the task needs a ${wanted}, not a ${type}`,
      { hint: `write ${wanted}` },
    );
    return;
  }
  const resources = resourcesOf(scope);
  if (!scope.labsComplete || resources.some((resource) => resource.type === type)) return;
  scope.source.fault(path, 'unsatisfiable', `no lab of the protocol has a resource of type "${type}"`, {
    hint: hintFor(type, new Set(resources.map((resource) => resource.type))),
  });
}

function resourcesOf(scope: ProtocolScope): { name: string; type: string }[] {
  return [...scope.labs.values()].flatMap((lab) => Object.values(lab.resources));
}

function checkSlotReference(
  scope: ProtocolScope,
  entry: TaskEntry,
  path: Path,
  kind: 'devices' | 'resources',
  slot: { task: string; slot: string },
  wanted: string | undefined,
): void {
  const word = kind === 'devices' ? 'device' : 'resource';
  const target = scope.tasks.get(slot.task);
  if (!target) return;
  checkAncestor(scope, entry, path, slot.task);
  const types = kind === 'devices' ? target.definition?.devices : target.definition?.output_resources;
  const handles = kind === 'resources' && types ? Object.keys(types) : target.named[kind];
  if (!handles.includes(slot.slot)) {
    scope.source.fault(
      path,
      `unknown_${word}_handle`,
      `the task "${slot.task}" ${kind === 'devices' ? 'has no device handle' : 'puts out no resource'} "${slot.slot}"`,
      { hint: hintFor(slot.slot, handles) },
    );
    return;
  }
  // The type of a task declares no type for a device that only the protocol names.
  const named = kind === 'devices' ? deviceTypeOf(scope, slot.task, slot.slot) : undefined;
  const type = own(types, slot.slot)?.type ?? named;
  if (type !== undefined && wanted !== undefined && type !== wanted) {
    scope.source.fault(
      path,
      `${word}_type`,
      `"${slot.task}.${slot.slot}" is a ${type}, but the task needs a ${wanted}`,
    );
  }
}

/** The type of the device that a slot gets, after all references; undefined: not known. */
function deviceTypeOf(scope: ProtocolScope, task: string, handle: string): string | undefined {
  const slot = rootSlot(scope, 'devices', task, handle)?.slot as DeviceSlot | undefined;
  if (slot?.kind === 'dynamic') return slot.device_type;
  if (slot?.kind !== 'specific') return undefined;
  return own(scope.labs.get(slot.lab_name)?.devices, slot.name)?.type;
}

/** The entry that decides which device or resource a handle gets, after all references. */
function rootSlot(
  scope: ProtocolScope,
  kind: 'devices' | 'resources',
  task: string,
  handle: string,
): { task: string; key: string; slot: DeviceSlot | ResourceSlot } | undefined {
  const seen = new Set<string>();
  let at = { task, handle };
  for (;;) {
    const key = `${at.task}.${at.handle}`;
    const slot = own<DeviceSlot | ResourceSlot>(scope.tasks.get(at.task)?.[kind], at.handle);
    if (!slot || seen.has(key)) return undefined;
    if (slot.kind !== 'reference') return { task: at.task, key, slot };
    seen.add(key);
    at = { task: slot.task, handle: slot.slot };
  }
}

/** One text for all entries that mean the same device or resource. */
function rootOf(
  scope: ProtocolScope,
  kind: 'devices' | 'resources',
  task: string,
  handle: string,
): string | undefined {
  const root = rootSlot(scope, kind, task, handle);
  if (!root) return undefined;
  return root.slot.kind === 'dynamic' ? `task ${root.key}` : candidatesOf(scope, root.slot)[0];
}

function checkShared(
  { source }: ProtocolScope,
  path: Path,
  roots: Map<string, string>,
  root: string | undefined,
  handle: string,
): void {
  if (root === undefined) return;
  const other = roots.get(root);
  if (other !== undefined) {
    source.fault(path, 'allocated_twice', `"${other}" and "${handle}" of this task are the same thing`, {
      hint: 'a task can hold a device or resource under one handle only',
    });
  }
  roots.set(root, handle);
}

function own<T>(record: Record<string, T> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
