import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import type { Fault } from './rest/fault.js';
import { brokenRules } from './rest/fields/broken-rules.js';
import { takeRuledFields } from './rest/fields/field.js';
import * as ruleBook from './rest/fields/rules.js';
import { joinPath, type Schema } from './schema.js';

/**
 * The check of request bodies. It is a door of its own, `@lab/contracts/bodies`, because class-validator is half of all
 * modules of a process, and only the gateway and few commands check bodies.
 */

type Constructor<T extends object> = new () => T;

/**
 * A class with rules as a {@link Schema}. Unknown fields are faults, and every fault has its path. An optional field
 * that is null counts as absent and is not in the value.
 */
export function dtoSchema<T extends object>(dto: Constructor<T>): Schema<T> {
  layDownRules();
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

/** Gives class-validator the rules of all fields that are declared by now, those of the classes inside `dto` too. */
function layDownRules(): void {
  for (const { target, key, rules, optional } of takeRuledFields()) {
    for (const rule of rules(ruleBook).toReversed()) rule(target, key);
    if (optional) ruleBook.IsOptional()(target, key);
  }
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
