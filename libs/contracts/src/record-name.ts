/** Longest name of a record, in characters. */
export const maxNameLength = 200;

/** True for the name of a record: 1 to 200 characters without control characters and without spaces at the ends. */
export function isWellFormedName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length >= 1 &&
    value.length <= maxNameLength &&
    value.trim() === value &&
    value.isWellFormed() &&
    // eslint-disable-next-line no-control-regex -- control characters are exactly what is refused
    !/[\u0000-\u001f\u007f-\u009f]/.test(value)
  );
}
