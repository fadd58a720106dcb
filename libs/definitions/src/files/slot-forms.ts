import type { JsonValue } from '@lab/contracts';
import { z } from 'zod';
import { splitReference } from '../model/bindings.js';
import { hintFor } from '../model/suggest.js';
import type { DeviceSlot, ResourceSlot } from '../model/types.js';
import type { Path } from '../documents/diagnostic.js';
import type { SourceDocument } from '../documents/source-document.js';
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
  if (!isMapping(entry)) {
    source.fault(
      path,
      'wrong_type',
      `a device is {lab_name, name}, a dynamic allocation or task.handle, not ${kindOf(entry)}`,
    );
    return undefined;
  }
  const before = source.diagnostics.length;
  if (Object.hasOwn(entry, 'ref')) {
    const slot = readShape(source, path, entry, referenceShape);
    if (slot?.ref === undefined) return undefined;
    return readReference(source, [...path, 'ref'], slot.ref, slot.hold ?? false, taskNames, 'device handle');
  }
  if (Object.hasOwn(entry, 'allocation_type')) {
    const slot = readShape(source, path, entry, dynamicDeviceShape);
    if (source.diagnostics.length > before || slot?.device_type === undefined) return undefined;
    return {
      kind: 'dynamic',
      device_type: slot.device_type,
      allowed_labs: slot.allowed_labs ?? null,
      allowed_devices: slot.allowed_devices ?? null,
      hold: slot.hold ?? false,
    };
  }
  const slot = readShape(source, path, entry, specificDeviceShape);
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
  if (!isMapping(entry)) {
    source.fault(
      path,
      'wrong_type',
      `a resource is its name, a dynamic allocation or task.handle, not ${kindOf(entry)}`,
    );
    return undefined;
  }
  const before = source.diagnostics.length;
  if (Object.hasOwn(entry, 'ref')) {
    const slot = readShape(source, path, entry, referenceShape);
    if (slot?.ref === undefined) return undefined;
    return readReference(
      source,
      [...path, 'ref'],
      slot.ref,
      slot.hold ?? false,
      taskNames,
      'resource handle',
    );
  }
  if (Object.hasOwn(entry, 'allocation_type')) {
    const slot = readShape(source, path, entry, dynamicResourceShape);
    if (source.diagnostics.length > before || slot?.resource_type === undefined) return undefined;
    return { kind: 'dynamic', resource_type: slot.resource_type, hold: slot.hold ?? false };
  }
  const slot = readShape(source, path, entry, specificResourceShape);
  return slot?.name === undefined
    ? undefined
    : { kind: 'specific', name: slot.name, hold: slot.hold ?? false };
}

function readReference(
  source: SourceDocument,
  path: Path,
  text: string,
  holds: boolean,
  taskNames: ReadonlySet<string>,
  word: string,
): { kind: 'reference'; task: string; slot: string; hold: boolean } | undefined {
  const reference = splitReference(text);
  if (!reference) {
    source.fault(path, 'bad_reference', `"${text}" is not a reference`, {
      hint: `write <task name>.<${word}>`,
    });
    return undefined;
  }
  if (!taskNames.has(reference.task)) {
    const hint = hintFor(reference.task, taskNames);
    source.fault(path, 'unknown_task', `there is no task "${reference.task}" in this protocol`, {
      ...(hint === undefined ? {} : { hint }),
    });
    return undefined;
  }
  return { kind: 'reference', task: reference.task, slot: reference.name, hold: holds };
}
