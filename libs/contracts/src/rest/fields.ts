import {
  ArrayMaxSize,
  IsArray,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { Type } from 'class-transformer';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsInline, IsMapOf } from './rules.js';
import { TaskFailurePolicy } from './failure-policy.js';

/** Fields that several bodies have: each is one decorator, with its description and all its rules. */

/** Decorators as one, in the order in which they would be written one below the other. */
export function together(...decorators: ((target: object, key: string) => void)[]): PropertyDecorator {
  return (target, key) => {
    for (const decorate of decorators.toReversed()) decorate(target, String(key));
  };
}

// A type and not an interface: only a type may be taken for a schema, which may have further keys.
type Said = { description: string; example?: unknown };

/** Name of a type, laboratory or device, as it stands in definitions. */
export const DefinedName = (said: Partial<Said>): PropertyDecorator =>
  together(JSONSchema(said), IsString(), Length(1, 200));

/** Label of who the work belongs to. */
export const Owner = (): PropertyDecorator =>
  together(
    JSONSchema({ description: 'Label of who the work belongs to. Default empty.', example: 'ada' }),
    IsOptional(),
    IsString(),
    Length(0, 200),
  );

export const Priority = (example = 0): PropertyDecorator =>
  OptionalWhole(
    { description: 'Higher goes first when work contends. Default 0.', example },
    -1_000_000,
    1_000_000,
  );

/** Bounds are inclusive. */
export const OptionalWhole = (said: Said, min: number, max: number): PropertyDecorator =>
  together(JSONSchema(said), IsOptional(), IsInt(), Min(min), Max(max));

/** A number of seconds, or another that is not whole. Bounds are inclusive. */
export const Amount = (said: Said, min: number, max: number): PropertyDecorator =>
  together(JSONSchema(said), IsNumber({ allowNaN: false, allowInfinity: false }), Min(min), Max(max));

export const OptionalAmount = (said: Said, min: number, max: number): PropertyDecorator =>
  together(
    JSONSchema(said),
    IsOptional(),
    IsNumber({ allowNaN: false, allowInfinity: false }),
    Min(min),
    Max(max),
  );

export const MostRunsAtOnce = (): PropertyDecorator =>
  OptionalWhole({ description: 'Cap on simultaneous protocol runs. Default 1.', example: 3 }, 1, 10_000);

/** Task name to parameter name to value. */
export const ParametersOfTasks = (said: Said): PropertyDecorator =>
  together(
    JSONSchema({ additionalProperties: { type: 'object' }, ...said }),
    IsOptional(),
    IsMapOf('object'),
    IsInline({ entries: true }),
  );

/** Resource handle of a task to the name of a resource. */
export const ResourcesOfTask = (): PropertyDecorator =>
  together(
    JSONSchema({
      description: 'Resource handle of the task to the name of the resource it shall use.',
      additionalProperties: { type: 'string' },
      example: { beaker: 'beaker_1' },
    }),
    IsOptional(),
    IsMapOf('string'),
  );

/** Device handle of a task to a device. @param Reference class of what names a device */
export const DevicesOfTask = (Reference: new () => object): PropertyDecorator =>
  together(
    JSONSchema({
      description: 'Device handle of the task to the device it shall use.',
      additionalProperties: { $ref: '#/components/schemas/DeviceReference' },
      example: { cleaner: { lab_name: 'color_lab', name: 'cleaning_station' } },
    }),
    IsOptional(),
    IsMapOf(Reference),
  );

/** Task name to what is done about its failures. */
export const FailurePolicyOfTasks = (): PropertyDecorator =>
  together(
    JSONSchema({
      description: 'Task name to what is done about its failures, over what the protocol says.',
      additionalProperties: { $ref: '#/components/schemas/TaskFailurePolicy' },
      example: { mix_colors: { timeout: 600, on_failure: 'ask' } },
    }),
    IsOptional(),
    IsMapOf(TaskFailurePolicy),
  );

/** At most 1,000 bodies of a class. */
export const OptionalList = (Item: new () => object, description: string): PropertyDecorator =>
  together(
    JSONSchema({ type: 'array', items: { $ref: `#/components/schemas/${Item.name}` }, description }),
    IsOptional(),
    IsArray(),
    ArrayMaxSize(1_000),
    ValidateNested({ each: true }),
    Type(() => Item),
  );
