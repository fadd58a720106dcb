/** Equal as JSON (RFC 8259): the order of fields does not count, and an undefined field counts as absent. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => jsonEqual(item, b[index]))
    );
  }
  const left = fieldsOf(a);
  const right = new Map(fieldsOf(b));
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && jsonEqual(value, right.get(key)))
  );
}

const fieldsOf = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, field]) => field !== undefined);
