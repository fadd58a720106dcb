import { z } from 'zod';
import type { JsonObject } from '../../json.js';
import {
  choice,
  flag,
  free,
  integer,
  list,
  make,
  map,
  number,
  said,
  text,
  time,
  zodOf,
  type FieldType,
  type JsonSchema,
  type Rules,
  type Shape,
} from './field.js';
import { maxNameLength, unnamedPerson } from '../../vocabulary.js';

/** Types of the fields of request bodies: each has a description, a schema and the rules that hold a body to it. */

/** A type with further keys of its schema and with rules. */
export function ruled<T>(type: FieldType<T>, keys: JsonSchema, rules: Rules): FieldType<T> {
  return { schema: { ...type.schema, ...keys }, zod: () => type.zod(), rules };
}

/** Lengths are in characters and inclusive. */
export const line = (
  [minLength, maxLength]: readonly [number, number],
  description?: string,
  example?: string,
): FieldType<string> =>
  ruled(text(description, example), { minLength, maxLength }, ({ IsString, Length }) => [
    IsString(),
    Length(minLength, maxLength),
  ]);

/** The name of a record, which people choose. */
export const recordName = (description: string, example: string): FieldType<string> =>
  ruled(text(description, example), { minLength: 1, maxLength: maxNameLength }, ({ IsWellFormedName }) => [
    IsWellFormedName(),
  ]);

/** The name of a type, a laboratory or a device, as it stands in definitions. */
export const definedName = (description?: string, example?: string): FieldType<string> =>
  line([1, 200], description, example);

/** Bounds are inclusive. */
export const whole = (
  [minimum, maximum]: readonly [number, number],
  description: string,
  example?: number,
): FieldType<number> =>
  ruled(integer(description, example), { minimum, maximum }, ({ IsInt, Min, Max }) => [
    IsInt(),
    Min(minimum),
    Max(maximum),
  ]);

/** A number of seconds, or another that is not whole. Bounds are inclusive. */
export const amount = (
  [minimum, maximum]: readonly [number, number],
  description: string,
  example?: number,
): FieldType<number> =>
  ruled(number(description, example), { minimum, maximum }, ({ IsNumber, Min, Max }) => [
    IsNumber({ allowNaN: false, allowInfinity: false }),
    Min(minimum),
    Max(maximum),
  ]);

/** A moment in ISO 8601 with its time zone. */
export const moment = (description: string, example = '2026-11-23T18:00:00Z'): FieldType<string> =>
  ruled(time(description), said(undefined, example), ({ IsMoment }) => [IsMoment()]);

export const yesNo = (description: string, example?: boolean): FieldType<boolean> =>
  ruled(flag(description), said(undefined, example), ({ IsBoolean }) => [IsBoolean()]);

export const oneOf = <const T extends string>(
  values: readonly T[],
  description: string,
  example?: T,
): FieldType<T> => ruled(choice(values, description), said(undefined, example), ({ IsIn }) => [IsIn(values)]);

/** Some of the values, each at most once. */
export const someOf = <const T extends string>(
  values: readonly T[],
  description: string,
  example?: T[],
): FieldType<T[]> =>
  ruled(
    list(choice(values), description),
    { maxItems: values.length, uniqueItems: true, ...said(undefined, example) },
    ({ IsArray, ArrayUnique, IsIn }) => [IsArray(), ArrayUnique(), IsIn(values, { each: true })],
  );

/** Names of one to 200 definitions, each once. */
export const definedNames = (description: string, example: string[]): FieldType<string[]> =>
  ruled(
    list(line([1, 200]), description),
    { minItems: 1, maxItems: 200, uniqueItems: true, example },
    ({ IsArray, ArrayMinSize, ArrayMaxSize, ArrayUnique, IsString, Length }) => [
      IsArray(),
      ArrayMinSize(1),
      ArrayMaxSize(200),
      ArrayUnique(),
      IsString({ each: true }),
      Length(1, 200, { each: true }),
    ],
  );

/** Values by name, of at most 64 KiB. */
export const values = (description: string, example?: JsonObject): FieldType<JsonObject> =>
  ruled(free<JsonObject>(description), said(undefined, example), ({ IsObject, IsInline }) => [
    IsObject(),
    IsInline(),
  ]);

/** An object that is kept with the record, of at most 64 KiB. */
export const freeObject = (description = 'Free object kept with the record.'): FieldType<JsonObject> =>
  ruled(
    make({ type: 'object', ...said(description) }, () => free<JsonObject>().zod()),
    {},
    ({ IsObject, IsInline }) => [IsObject(), IsInline()],
  );

/** A body inside of a body. */
export const nested = <T extends object>(shape: Shape<T>, description?: string): FieldType<T> =>
  ruled(
    make(
      { type: 'object', $ref: `#/components/schemas/${shape.name}`, ...said(description) },
      () => zodOf(shape) as unknown as z.ZodType<T>,
    ),
    {},
    ({ IsObject, ValidateNested, Type }) => [IsObject(), ValidateNested(), Type(() => shape)],
  );

/** Bodies of one class. @param least omitted: none */
export const bodies = <T extends object>(
  shape: Shape<T>,
  maxItems: number,
  description: string,
  least?: number,
): FieldType<T[]> =>
  ruled(
    list(shape as TypeOrShapeOf<T>, description),
    { maxItems, ...(least === undefined ? {} : { minItems: least }) },
    ({ IsArray, ArrayMinSize, ArrayMaxSize, IsObject, ValidateNested, Type }) => [
      IsArray(),
      ...(least === undefined ? [] : [ArrayMinSize(least)]),
      ArrayMaxSize(maxItems),
      // Without it a list passes in the place of an object.
      IsObject({ each: true }),
      ValidateNested({ each: true }),
      Type(() => shape),
    ],
  );

type TypeOrShapeOf<T> = FieldType<T> | (T extends object ? Shape<T> : never);

const anyObject = (): FieldType<JsonObject> => make({ type: 'object' }, () => free<JsonObject>().zod());

/** Task name to parameter name to value. */
export type TaskParameters = Record<string, JsonObject>;

export const taskParameters = (description: string, example?: TaskParameters): FieldType<TaskParameters> =>
  ruled(map(anyObject(), description), said(undefined, example), ({ IsMapOf, IsInline }) => [
    IsMapOf('object'),
    IsInline({ entries: true }),
  ]);

/** Parameters of tasks, one entry for each run. */
export const parameterRows = (description: string): FieldType<TaskParameters[]> =>
  ruled(
    list(map(anyObject()), description),
    { maxItems: 100_000 },
    ({ IsArray, ArrayMaxSize, IsMapOf, IsInline }) => [
      IsArray(),
      ArrayMaxSize(100_000),
      IsMapOf('object', { each: true }),
      IsInline({ entries: true, each: true }),
    ],
  );

/** Resource handle of a task to the name of a resource. */
export const resourcesOfTask = (): FieldType<Record<string, string>> =>
  ruled(
    map(text(), 'Resource handle of the task to the name of the resource that the task uses.'),
    { example: { beaker: 'beaker_1' } },
    ({ IsMapOf }) => [IsMapOf('string')],
  );

/** Name to a body of the class. */
export const bodiesByName = <T extends object>(
  shape: Shape<T>,
  description: string,
  example: object,
): FieldType<Record<string, T>> =>
  ruled(map(shape as TypeOrShapeOf<T>, description), { example }, ({ IsMapOf }) => [IsMapOf(shape)]);

export const owner = (): FieldType<string> =>
  line([0, 200], 'Label of the owner of the work. Default: empty.', 'ada');

export const priority = (example = 0): FieldType<number> =>
  whole([-1_000_000, 1_000_000], 'When work competes, the higher priority goes first. Default: 0.', example);

export const changedPriority = (): FieldType<number> =>
  whole(
    [-1_000_000, 1_000_000],
    'When work competes, the higher priority goes first. The scheduler uses the new priority at its next decision. Running tasks are not interrupted.',
    5,
  );

export const mostRunsAtOnce = (): FieldType<number> =>
  whole([1, 10_000], 'Most protocol runs of the campaign that may run at the same time. Default: 1.', 3);

export const by = (): FieldType<string> =>
  line([0, 200], `Person who decides, for the audit. Default: "${unnamedPerson}".`, 'ada');
