import type { JsonObject, JsonValue } from '@lab/contracts';
import { z } from 'zod';
import { type DeviceSlot, hintFor, type ResourceSlot, splitReference } from '../model/index.js';
import type { Path, SourceDocument } from '../documents/index.js';
import { isMapping, kindOf, readShape } from './shape.js';

const hold = z.boolean().default(false);
const dynamicMarker = z.literal('dynamic', {
  message: 'allocation_type is "dynamic"; leave it out otherwise',
});
const deviceName = z.strictObject({ lab_name: z.string(), name: z.string() });
const referenceShape = z.strictObject({ ref: z.string(), hold });
const specificDeviceShape = z.strictObject({ lab_name: z.string(), name: z.string(), hold });
const dynamicDeviceShape = z.strictObject({
  allocation_type: dynamicMarker,
  device_type: z.string(),
  allowed_labs: z
    .array(z.string())
    .min(1, { message: 'leave allowed_labs out to allow every lab' })
    .nullish(),
  allowed_devices: z
    .array(deviceName)
    .min(1, { message: 'leave allowed_devices out to allow every device' })
    .nullish(),
  hold,
});
const specificResourceShape = z.strictObject({ name: z.string(), hold });
const dynamicResourceShape = z.strictObject({
  allocation_type: dynamicMarker,
  resource_type: z.string(),
  hold,
});

/** Reads a device entry in any of its forms; undefined when it is invalid, with the reason in the document. */
export function readDeviceSlot(
  source: SourceDocument,
  path: Path,
  entry: JsonValue,
  taskNames: ReadonlySet<string>,
): DeviceSlot | undefined {
  if (typeof entry === 'string') return readReference(source, path, entry, false, taskNames, 'device handle');
  const form = formOf(source, path, entry, taskNames, 'device');
  if (form === undefined || 'kind' in form) return form;
  const before = source.diagnostics.length;
  if (form.isDynamic) {
    const slot = readShape(source, path, form.entry, dynamicDeviceShape);
    if (source.diagnostics.length > before || slot?.device_type === undefined) return undefined;
    const { device_type, allowed_labs = null, allowed_devices = null, hold = false } = slot;
    return { kind: 'dynamic', device_type, allowed_labs, allowed_devices, hold };
  }
  const slot = readShape(source, path, form.entry, specificDeviceShape);
  if (slot?.lab_name === undefined || slot.name === undefined) return undefined;
  return { kind: 'specific', lab_name: slot.lab_name, name: slot.name, hold: slot.hold ?? false };
}

/** Reads a resource entry in any of its forms; undefined when it is invalid, with the reason in the document. */
export function readResourceSlot(
  source: SourceDocument,
  path: Path,
  entry: JsonValue,
  taskNames: ReadonlySet<string>,
): ResourceSlot | undefined {
  if (typeof entry === 'string') {
    const reference = splitReference(entry);
    return reference && taskNames.has(reference.task)
      ? { kind: 'reference', task: reference.task, slot: reference.name, hold: false }
      : { kind: 'specific', name: entry, hold: false };
  }
  const form = formOf(source, path, entry, taskNames, 'resource');
  if (form === undefined || 'kind' in form) return form;
  const before = source.diagnostics.length;
  if (form.isDynamic) {
    const slot = readShape(source, path, form.entry, dynamicResourceShape);
    if (source.diagnostics.length > before || slot?.resource_type === undefined) return undefined;
    return { kind: 'dynamic', resource_type: slot.resource_type, hold: slot.hold ?? false };
  }
  const { name, hold = false } = readShape(source, path, form.entry, specificResourceShape) ?? {};
  return name === undefined ? undefined : { kind: 'specific', name, hold };
}

type SlotReference = { kind: 'reference'; task: string; slot: string; hold: boolean };

/** Reads the form that devices and resources share, a mapping with `ref`, and tells the other two forms apart. */
function formOf(
  source: SourceDocument,
  path: Path,
  entry: JsonValue,
  taskNames: ReadonlySet<string>,
  word: 'device' | 'resource',
): SlotReference | { isDynamic: boolean; entry: JsonObject } | undefined {
  if (!isMapping(entry)) {
    const plain = word === 'device' ? '{lab_name, name}' : 'its name';
    const message = `a ${word} is ${plain}, a dynamic allocation or task.handle, not ${kindOf(entry)}`;
    source.fault(path, 'wrong_type', message);
    return undefined;
  }
  if (!Object.hasOwn(entry, 'ref')) return { isDynamic: Object.hasOwn(entry, 'allocation_type'), entry };
  const { ref, hold = false } = readShape(source, path, entry, referenceShape) ?? {};
  if (ref === undefined) return undefined;
  return readReference(source, [...path, 'ref'], ref, hold, taskNames, `${word} handle`);
}

function readReference(
  source: SourceDocument,
  path: Path,
  text: string,
  hold: boolean,
  taskNames: ReadonlySet<string>,
  word: string,
): SlotReference | undefined {
  const reference = splitReference(text);
  if (!reference) {
    source.fault(path, 'bad_reference', `"${text}" is not a reference`, {
      hint: `write <task name>.<${word}>`,
    });
    return undefined;
  }
  if (!isTask(source, path, reference.task, taskNames)) return undefined;
  return { kind: 'reference', task: reference.task, slot: reference.name, hold };
}

/** Whether the protocol has the task; otherwise the reason is in the document. */
export function isTask(
  source: SourceDocument,
  path: Path,
  name: string,
  taskNames: ReadonlySet<string>,
): boolean {
  if (taskNames.has(name)) return true;
  source.fault(path, 'unknown_task', `there is no task "${name}" in this protocol`, {
    hint: hintFor(name, taskNames),
  });
  return false;
}
