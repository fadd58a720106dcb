import { isolation, type JsonObject } from '@lab/contracts';
import { z } from 'zod';
import type { DeviceDefinition, InputFileSpec, TaskDefinition } from '../model/index.js';
import type { Path, SourceDocument } from '../documents/index.js';
import type { DefinitionIndex } from './index-of.js';
import { readParameterSpecs } from './parameter-specs.js';
import { checkName, checkNames, isMapping, optionalMapping, optionalText, readShape } from './shape.js';

const taskShape = z.strictObject({
  type: z.string(),
  desc: z.string(),
  devices: optionalMapping,
  device_types: z.array(z.string()).nullish(),
  input_parameters: optionalMapping,
  output_parameters: optionalMapping,
  input_resources: optionalMapping,
  output_resources: optionalMapping,
  input_files: optionalMapping,
  isolation: z
    .enum(isolation.options, { message: `isolation is ${isolation.options.join(', ')}` })
    .default('single_use'),
  retry_safe: z.boolean().nullish(),
});

const slotShape = z.strictObject({ type: z.string(), desc: optionalText });
const fileShape = z.strictObject({
  desc: z.string(),
  required: z.boolean().default(true),
  media_type: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/, {
      message: 'a media type is two words with a slash between them, in small letters, such as text/csv',
    })
    .nullish(),
});

/**
 * Reads `task.yml` without its code. Faults are recorded in the document; faulty parts are left out. A device type that
 * no package defines is a warning: the protocols that need it are at fault.
 */
export function readTask(
  source: SourceDocument,
  deviceTypes: DefinitionIndex<DeviceDefinition>,
): Omit<TaskDefinition, 'module'> {
  const task = readShape(source, [], source.value, taskShape) ?? {};
  if (task.type !== undefined) checkName(source, ['type'], task.type, 'value', true);
  const devices = readTypes(source, ['devices'], task.devices ?? {});
  for (const [handle, { type }] of Object.entries(devices)) {
    deviceTypes.need(source, ['devices', handle, 'type'], type, 'warn');
  }
  for (const [index, type] of (task.device_types ?? []).entries()) {
    deviceTypes.need(source, ['device_types', index], type, 'warn');
  }
  const inputResources = readTypes(source, ['input_resources'], task.input_resources ?? {});
  const inputFiles = readFiles(source, ['input_files'], task.input_files ?? {});
  // A key that is missing or empty gives no other output than the input.
  const declaresOutputs = isMapping(source.value) && (source.value['output_resources'] ?? null) !== null;
  return {
    type: task.type ?? '',
    desc: task.desc ?? '',
    devices,
    input_parameters: readParameterSpecs(source, ['input_parameters'], task.input_parameters ?? {}),
    output_parameters: readParameterSpecs(source, ['output_parameters'], task.output_parameters ?? {}),
    input_resources: inputResources,
    output_resources: declaresOutputs
      ? readTypes(source, ['output_resources'], task.output_resources ?? {})
      : inputResources,
    isolation: task.isolation ?? 'single_use',
    // Absent when not declared, so that the hash does not cover it.
    ...(Object.keys(inputFiles).length === 0 ? {} : { input_files: inputFiles }),
    ...(task.retry_safe === true ? { retry_safe: true } : {}),
    ...(source.isTranslated ? { unchecked_outputs: true } : {}),
  };
}

function readTypes(
  source: SourceDocument,
  path: Path,
  entries: JsonObject,
): Record<string, { type: string }> {
  checkNames(source, path, entries);
  const types: Record<string, { type: string }> = {};
  for (const [name, entry] of Object.entries(entries)) {
    const slot = readShape(source, [...path, name], entry, slotShape);
    if (slot?.type !== undefined) types[name] = { type: slot.type };
  }
  return types;
}

function readFiles(source: SourceDocument, path: Path, entries: JsonObject): Record<string, InputFileSpec> {
  checkNames(source, path, entries);
  const files: Record<string, InputFileSpec> = {};
  for (const [name, entry] of Object.entries(entries)) {
    const file = readShape(source, [...path, name], entry, fileShape);
    if (file?.desc === undefined) continue;
    files[name] = {
      desc: file.desc,
      required: file.required ?? true,
      ...(file.media_type == null ? {} : { media_type: file.media_type }),
    };
  }
  return files;
}
