import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import type { ZodType } from 'zod';
import type { Fault } from './rest/fault.js';
import { brokenRules } from './rest/fields/broken-rules.js';

export type Checked<T> = { ok: true; value: T } | { ok: false; faults: Fault[] };

/** A shape that a message or body must have. It does not depend on the library that declares it. */
export interface Schema<T> {
  check(input: unknown): Checked<T>;
}

/** A zod schema as a {@link Schema}. */
export function zodSchema<T>(schema: ZodType<T>): Schema<T> {
  return {
    check(input) {
      const result = schema.safeParse(input);
      if (result.success) return { ok: true, value: result.data };
      const faults = result.error.issues.map((issue) => ({
        path: pathOf(issue.path),
        code: issue.code,
        message: issue.message,
      }));
      return { ok: false, faults };
    },
  };
}

type Constructor<T extends object> = new () => T;

/**
 * A class with rules as a {@link Schema}. Unknown fields are faults, and every fault has its path. An optional field
 * that is null counts as absent and is not in the value.
 */
export function dtoSchema<T extends object>(dto: Constructor<T>): Schema<T> {
  return {
    check(input) {
      if (typeof input !== 'object' || input === null || Array.isArray(input)) {
        return { ok: false, faults: [{ path: '', code: 'type', message: 'must be a JSON object' }] };
      }
      const value = plainToInstance(dto, input);
      const errors = validateSync(value, {
        whitelist: true,
        forbidNonWhitelisted: true,
        forbidUnknownValues: true,
      });
      if (errors.length > 0) return { ok: false, faults: dtoFaults(errors) };
      leaveOutNulls(value);
      return { ok: true, value };
    },
  };
}

/** Removes null fields. The rules accept null for an absent field; this way readers meet only one of the two. */
function leaveOutNulls(value: unknown): void {
  if (Array.isArray(value)) {
    for (const each of value) leaveOutNulls(each);
    return;
  }
  // An object without a class is data of the user, in which null is a value.
  if (typeof value !== 'object' || value === null || !isOfClass(value)) return;
  const fields = value as Record<string, unknown>;
  for (const [name, field] of Object.entries(fields)) {
    if (field === null) delete fields[name];
    else leaveOutNulls(field);
  }
}

function isOfClass(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== null;
}

/** Converts the error tree of class-validator to a list of faults with full paths. */
export function dtoFaults(errors: readonly ValidationError[], parent = ''): Fault[] {
  return errors.flatMap((error) => {
    const path = joinPath(parent, error.property);
    const own = brokenRules(error).map(([rule, message]) =>
      rule === 'whitelistValidation'
        ? {
            path,
            code: 'unknown_field',
            message: `${error.property} is not a field here`,
            hint: `fields here: ${fieldsOf(error.target).join(', ')}`,
          }
        : { path, code: rule, message },
    );
    return [...own, ...dtoFaults(error.children ?? [], path)];
  });
}

/** The fields that the class of an object declares. */
function fieldsOf(target: object | undefined): string[] {
  if (target === undefined) return [];
  const metadata = getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false);
  return [...new Set(metadata.map(({ propertyName }) => propertyName))];
}

function joinPath(parent: string, property: string): string {
  if (/^\d+$/.test(property)) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
}

function pathOf(segments: readonly PropertyKey[]): string {
  return segments.reduce<string>((path, segment) => joinPath(path, String(segment)), '');
}
