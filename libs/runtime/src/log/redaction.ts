import { concealed, Secret } from './secret.js';

const secretKey =
  /(pass(word|wd|phrase)|secret|(^|[a-z_-])token$|^token$|authorization|cookie|api_?-?key|credential|private_?key)/i;
const urlCredentials = /([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;
const maxDepth = 6;

/** Text without the user and password parts of any address in it. */
export function withoutCredentials(text: string): string {
  return text.includes('://') ? text.replace(urlCredentials, `$1${concealed}@`) : text;
}

/**
 * A copy of a value that is fit for a log. It conceals fields with names of secrets, {@link Secret} values and
 * credentials in addresses. Errors become plain objects with message, code, stack and cause.
 */
export function redacted(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return withoutCredentials(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Secret) return concealed;
  if (depth >= maxDepth) return '[deep]';
  if (value instanceof Error) return describeError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((item) => redacted(item, depth + 1));
  if (value instanceof Map || value instanceof Set) return redacted([...value], depth);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      secretKey.test(key) && item !== undefined && item !== null ? concealed : redacted(item, depth + 1),
    ]),
  );
}

function describeError(error: Error, depth: number): Record<string, unknown> {
  const { code, cause, effect } = error as Error & { code?: unknown; effect?: unknown };
  const inner = error instanceof AggregateError ? error.errors : undefined;
  return {
    type: error.name,
    message: withoutCredentials(error.message),
    ...(code === undefined ? {} : { code }),
    ...(effect === undefined ? {} : { effect }),
    ...(error.stack === undefined ? {} : { stack: withoutCredentials(error.stack) }),
    ...(cause === undefined ? {} : { cause: redacted(cause, depth + 1) }),
    ...(inner === undefined ? {} : { errors: redacted(inner, depth + 1) }),
  };
}
