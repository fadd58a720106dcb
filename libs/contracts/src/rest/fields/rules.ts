import { plainToInstance } from 'class-transformer';
import {
  ValidateBy,
  validateSync,
  type ValidationArguments,
  type ValidationOptions,
  buildMessage,
} from 'class-validator';
import { isWellFormedName, maxNameLength } from '../../record-name.js';
import { brokenRules } from './broken-rules.js';
import { isInline, maxInlineBytes } from './inline.js';

/** The rules that the fields of request bodies can have. Only `@lab/contracts/bodies` loads this file. */
export { Type } from 'class-transformer';
export {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsIP,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';

/**
 * A value that is small enough for a message. With `entries` each value of a map is, with `each` each item of a list.
 */
export function IsInline(options: ValidationOptions & { entries?: boolean } = {}): PropertyDecorator {
  const { entries = false, ...rest } = options;
  const fits = (value: unknown): boolean =>
    entries && typeof value === 'object' && value !== null
      ? Object.values(value).every(isInline)
      : isInline(value);
  return ValidateBy(
    {
      name: 'isInline',
      validator: {
        validate: (value) => fits(value),
        defaultMessage: buildMessage(
          (each) =>
            `${each}$property must be at most ${maxInlineBytes / 1024} KiB as JSON${entries ? ' for each task' : ''}: put larger data into files`,
          rest,
        ),
      },
    },
    rest,
  );
}

export function IsWellFormedName(options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isWellFormedName',
      validator: {
        validate: (value) => isWellFormedName(value),
        defaultMessage: buildMessage(
          (each) =>
            `${each}$property must be 1 to ${maxNameLength} characters without control characters or surrounding spaces`,
          options,
        ),
      },
    },
    options,
  );
}

/** A moment in ISO 8601 with a time zone, so that it means the same everywhere. */
export function IsMoment(options?: ValidationOptions): PropertyDecorator {
  const isMoment = (value: unknown): boolean =>
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(value) &&
    !Number.isNaN(Date.parse(value));
  return ValidateBy(
    {
      name: 'isMoment',
      validator: {
        validate: isMoment,
        defaultMessage: buildMessage(
          (each) =>
            `${each}$property must be a time in ISO 8601 with a time zone, such as 2026-11-23T18:00:00Z`,
          options,
        ),
      },
    },
    options,
  );
}

/** An object used as a map whose values are finite numbers within the bounds, both inclusive. */
export function IsNumbers(
  bounds: { min: number; max: number },
  options?: ValidationOptions,
): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isNumbers',
      validator: {
        validate: (value) => numbersFault(value, bounds) === undefined,
        defaultMessage: (args?: ValidationArguments) =>
          `${args?.property ?? ''} ${numbersFault(args?.value, bounds) ?? 'is invalid'}`,
      },
    },
    options,
  );
}

function numbersFault(value: unknown, { min, max }: { min: number; max: number }): string | undefined {
  if (!isPlainObject(value)) return 'must be an object';
  for (const [key, entry] of Object.entries(value))
    if (typeof entry !== 'number' || !Number.isFinite(entry) || entry < min || entry > max)
      return `must map names to numbers from ${min} to ${max}, but "${key}" is not one`;
  return undefined;
}

type MapValue = 'string' | 'object' | (new () => object);

/** An object used as a map, each of whose values is a string, an object, or an instance of a class with rules. */
export function IsMapOf(kind: MapValue, options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isMapOf',
      validator: {
        validate: (value) => mapFault(value, kind) === undefined,
        defaultMessage: (args?: ValidationArguments) => {
          const values: unknown[] = options?.each && Array.isArray(args?.value) ? args.value : [args?.value];
          const index = values.findIndex((value) => mapFault(value, kind) !== undefined);
          const where = options?.each ? `${args?.property ?? ''}[${index}]` : (args?.property ?? '');
          return `${where} ${mapFault(values[index], kind) ?? 'is invalid'}`;
        },
      },
    },
    options,
  );
}

function mapFault(value: unknown, kind: MapValue): string | undefined {
  if (!isPlainObject(value)) return 'must be an object';
  for (const [key, entry] of Object.entries(value)) {
    if (kind === 'string') {
      if (typeof entry !== 'string') return `must map names to strings, but "${key}" is not one`;
    } else if (!isPlainObject(entry)) {
      return `must map names to objects, but "${key}" is not one`;
    } else if (kind !== 'object') {
      const errors = validateSync(plainToInstance(kind, entry), {
        whitelist: true,
        forbidNonWhitelisted: true,
      });
      const first = errors[0] && brokenRules(errors[0])[0]?.[1];
      if (first !== undefined) return `has a fault in "${key}": ${first}`;
    }
  }
  return undefined;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
