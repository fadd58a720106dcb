import { fieldNamesOf, type Shape } from '@lab/contracts';

/** The fields of a record that no column of the row, or no column of the same type, has. */
type Differing<Record, Row> = {
  [
    Field in keyof Record as Field extends keyof Row
      ? Row[Field] extends Record[Field]
        ? never
        : Field
      : Field
  ]: Record[Field];
};

/**
 * The record that people read, from a row: each field is the column of the same name, unless `differing` gives it.
 *
 * @param differing every field that has no such column, and those with another value than their column
 */
export function recordOf<Record extends object, Row extends object>(
  shape: Shape<Record>,
  row: Row,
  differing: Differing<Record, Row> & Partial<Record>,
): Record {
  const columns = row as Readonly<{ [column: string]: unknown }>;
  const given = differing as Readonly<{ [field: string]: unknown }>;
  const fields = fieldNamesOf(shape).map((name) => [name, name in given ? given[name] : columns[name]]);
  return Object.fromEntries(fields) as Record;
}
