import type { ZodType } from 'zod';
import type { Fault } from './rest/fault.js';

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

/** The path of a field, or of an item of a list, inside of a value. */
export function joinPath(parent: string, property: string): string {
  if (/^\d+$/.test(property)) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
}

function pathOf(segments: readonly PropertyKey[]): string {
  return segments.reduce<string>((path, segment) => joinPath(path, String(segment)), '');
}
