/** The same value as JSON, whatever the order of fields; a field that is undefined is none. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [left, right] = [Object.entries(a), Object.entries(b)].map((entries) =>
    entries.filter(([, value]) => value !== undefined),
  );
  if (left === undefined || right === undefined || Array.isArray(a) !== Array.isArray(b)) return false;
  return (
    left.length === right.length &&
    left.every(
      ([key, value]) =>
        Object.hasOwn(b, key) && isSameJson(value, (b as Readonly<Record<string, unknown>>)[key]),
    )
  );
}
