import type { JsonObject, JsonValue } from '@lab/contracts';
import { jsonEqual } from '@lab/ports';
import { z, type ZodObject } from 'zod';
import { checkValue, hintFor, type ParameterSpec, type ParameterSpecs } from '../model/index.js';
import type { Path, SourceDocument } from '../documents/index.js';
import { checkName, isMapping, json, readShape } from './shape.js';

const common = { desc: z.string(), value: json.optional() };
const unit = z.string().refine((text) => text.trim() !== '', {
  message: 'a unit must not be blank; a number without one has the unit n/a',
});

const shapes = {
  int: z.strictObject({
    type: z.literal('int'),
    ...common,
    unit,
    min: z.number().int().optional(),
    max: z.number().int().optional(),
  }),
  float: z.strictObject({
    type: z.literal('float'),
    ...common,
    unit,
    min: z.number().optional(),
    max: z.number().optional(),
  }),
  str: z.strictObject({ type: z.literal('str'), ...common }),
  bool: z.strictObject({ type: z.literal('bool'), ...common }),
  dict: z.strictObject({ type: z.literal('dict'), ...common }),
  choice: z.strictObject({
    type: z.literal('choice'),
    ...common,
    choices: z.array(json).min(1, { message: 'there must be at least one choice' }),
  }),
  list: z.strictObject({
    type: z.literal('list'),
    ...common,
    element_type: z.enum(['int', 'float', 'str', 'bool', 'dict', 'choice'], {
      message: 'the element type is one of int, float, str, bool, dict, choice',
    }),
    length: z.number().int().nonnegative({ message: 'the length must not be negative' }).optional(),
    min: z.array(z.number()).optional(),
    max: z.array(z.number()).optional(),
  }),
};

type TypeName = keyof typeof shapes;

/**
 * Reads the parameters of a task type. An entry without `type` whose values are all mappings is a group for display:
 * its parameters count as if they stood beside it.
 */
export function readParameterSpecs(source: SourceDocument, path: Path, entries: JsonObject): ParameterSpecs {
  const specs: ParameterSpecs = {};
  const add = (name: string, entry: JsonValue, at: Path): void => {
    checkName(source, at, name, 'key');
    if (Object.hasOwn(specs, name)) {
      source.fault(at, 'duplicate_parameter', `the parameter "${name}" stands in two groups`, {
        what: 'key',
      });
      return;
    }
    const spec = readSpec(source, at, entry);
    if (spec) specs[name] = spec;
  };
  for (const [name, entry] of Object.entries(entries)) {
    if (isGroup(entry)) {
      checkName(source, [...path, name], name, 'key', true);
      for (const [inner, spec] of Object.entries(entry)) add(inner, spec, [...path, name, inner]);
    } else {
      add(name, entry, [...path, name]);
    }
  }
  return specs;
}

function isGroup(entry: JsonValue): entry is JsonObject {
  if (!isMapping(entry) || Object.hasOwn(entry, 'type')) return false;
  const values = Object.values(entry);
  return values.length > 0 && values.every(isMapping);
}

function readSpec(source: SourceDocument, path: Path, entry: JsonValue): ParameterSpec | undefined {
  const type = isMapping(entry) && Object.hasOwn(entry, 'type') ? entry['type'] : undefined;
  if (typeof type !== 'string' || !Object.hasOwn(shapes, type)) {
    if (type === undefined) readShape(source, path, entry, z.object({ type: z.string(), desc: z.string() }));
    else {
      source.fault(
        [...path, 'type'],
        'unknown_parameter_type',
        `there is no parameter type ${JSON.stringify(type)}`,
        { hint: hintFor(String(type), Object.keys(shapes)) },
      );
    }
    return undefined;
  }
  const shape: ZodObject = shapes[type as TypeName];
  const before = source.diagnostics.length;
  const spec = readShape(source, path, entry, shape) as ParameterSpec | undefined;
  if (!spec || source.diagnostics.length > before) return undefined;
  checkSpec(source, path, spec);
  return spec;
}

function checkSpec(source: SourceDocument, path: Path, spec: ParameterSpec): void {
  if (spec.type === 'int' || spec.type === 'float') {
    if (spec.min !== undefined && spec.max !== undefined && spec.min > spec.max) {
      source.fault(
        [...path, 'min'],
        'min_above_max',
        `the minimum ${spec.min} is above the maximum ${spec.max}`,
      );
      return;
    }
  }
  if (spec.type === 'choice') {
    for (const [index, choice] of spec.choices.entries()) {
      if (!spec.choices.slice(0, index).some((earlier) => jsonEqual(earlier, choice))) continue;
      source.fault([...path, 'choices', index], 'duplicate_choice', 'the choice stands twice', {
        hint: 'keep one of the two',
      });
    }
  }
  if (spec.type === 'list') {
    const before = source.diagnostics.length;
    checkListSpec(source, path, spec);
    if (source.diagnostics.length > before) return;
  }
  if (spec.value !== undefined) {
    for (const fault of checkValue(spec, spec.value, '')) {
      source.fault(
        [...path, 'value', ...elementPath(fault.path)],
        'bad_default',
        `the default ${fault.message}`,
        { hint: fault.hint },
      );
    }
  }
}

function checkListSpec(source: SourceDocument, path: Path, spec: ParameterSpec & { type: 'list' }): void {
  for (const key of ['min', 'max'] as const) {
    const bounds = spec[key];
    if (bounds === undefined) continue;
    if (spec.element_type !== 'int' && spec.element_type !== 'float') {
      source.fault(
        [...path, key],
        'bounds_without_numbers',
        `elements of type ${spec.element_type} have no ${key}`,
        { what: 'key' },
      );
    } else if (spec.length !== undefined && bounds.length !== spec.length) {
      source.fault(
        [...path, key],
        'bounds_length',
        `"${key}" must have ${spec.length} elements, not ${bounds.length}`,
      );
    }
  }
  for (const [index, min] of (spec.min ?? []).entries()) {
    const max = spec.max?.[index];
    if (max !== undefined && min > max) {
      source.fault(
        [...path, 'min', index],
        'min_above_max',
        `the minimum ${min} is above the maximum ${max}`,
      );
    }
  }
}

/** `[2]` as the path part 2, which `checkValue` appends for an element of a list. */
export function elementPath(text: string): Path {
  const index = /^\[(\d+)\]$/.exec(text);
  return index ? [Number(index[1])] : [];
}
