/**
 * SQL types of columns. `id` is text that is compared byte by byte: the order of ids is the order of creation under every
 * locale of the database.
 */
type ColumnKind =
  'id' | 'text' | 'integer' | 'bigint' | 'double precision' | 'boolean' | 'timestamptz' | 'jsonb';

/** The types that a column may have, given the values of its field; a time is milliseconds since 1970 in the field. */
type KindOf<Value> = [Value] extends [number]
  ? 'integer' | 'bigint' | 'double precision' | 'timestamptz'
  : [Value] extends [boolean]
    ? 'boolean'
    : [Value] extends [string]
      ? 'id' | 'text'
      : 'jsonb';

/** The column of a field: its type, followed by `?` if it may be null. */
type ColumnOf<Value> = null extends Value ? `${KindOf<NonNullable<Value>>}?` : KindOf<Value>;

/** A column for every field of a row. A field without a column, or with one that does not fit, is a compile error. */
export type Columns<Row> = { readonly [Field in keyof Row]-?: ColumnOf<Row[Field]> };

type Snake<Text> = Text extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${Snake<Tail>}`
    : `_${Lowercase<Head>}${Snake<Tail>}`
  : Text;

/** A row as the database gives it: the names of its columns, and times as ISO 8601 text. */
export type Stored<Row, Layout> = {
  [Field in keyof Row & keyof Layout & string as Snake<Field>]: Layout[Field] extends 'timestamptz'
    ? string
    : Layout[Field] extends 'timestamptz?'
      ? string | null
      : Row[Field];
};

interface Declaration<Layout> {
  name: string;
  columns: Layout;
  /** Fields whose columns a migration after that of the table adds. */
  later?: readonly (keyof Layout)[];
  /** Columns of the primary key in SQL. Default `id`. */
  key?: string;
  /** Further constraints of the table in SQL. */
  constraints?: readonly string[];
  /** Further columns in SQL, which the engine neither writes nor reads. */
  others?: readonly string[];
  /** Percentage to which PostgreSQL fills a page: the rest has room for new versions of rows that change often. */
  fillfactor?: number;
}

interface Column {
  field: string;
  /** The name of the field in snake_case. */
  name: string;
  kind: ColumnKind;
  nullable: boolean;
}

/** A table for the rows of one type of the engine: all statements and conversions follow from its one declaration. */
export class Table<Row extends object, Layout extends Columns<Row>> {
  readonly name: string;
  readonly columns: readonly Column[];

  constructor(private readonly declared: Declaration<Layout>) {
    this.name = declared.name;
    this.columns = Object.entries<string>(declared.columns as Record<string, string>).map(
      ([field, kind]) => ({
        field,
        name: snakeCase(field),
        kind: kind.replace('?', '') as ColumnKind,
        nullable: kind.endsWith('?'),
      }),
    );
  }

  /** The statement that creates the table. */
  get createStatement(): string {
    const { key = 'id', constraints = [], others = [], fillfactor } = this.declared;
    const later = new Set<unknown>(this.declared.later);
    const storage = fillfactor === undefined ? '' : ` with (fillfactor = ${fillfactor})`;
    const columns = this.columns
      .filter(({ field }) => !later.has(field))
      .map(
        ({ name, kind, nullable }) =>
          `${name} ${kind === 'id' ? 'text collate "C"' : kind}${nullable ? '' : ' not null'}`,
      );
    return `create table ${this.name} (
  ${[...columns, ...others, `primary key (${key})`, ...constraints].join(',\n  ')}
)${storage};`;
  }

  /**
   * A row, or some of its fields, as JSON from which the database reads columns: times are ISO 8601 text, and a field
   * that is absent stays absent.
   */
  toStored(part: Partial<Row>): Record<string, unknown> {
    const fields = part as Readonly<Record<string, unknown>>;
    const stored: Record<string, unknown> = {};
    for (const { field, name, kind } of this.columns) {
      const value = fields[field];
      if (value === undefined) continue;
      stored[name] =
        kind === 'timestamptz' && typeof value === 'number' ? new Date(value).toISOString() : value;
    }
    return stored;
  }

  /** The row of the engine that the database gave. */
  fromStored(stored: Stored<Row, Layout>): Row {
    const values = stored as Readonly<Record<string, unknown>>;
    const row: Record<string, unknown> = {};
    for (const { field, name, kind } of this.columns) {
      const value = values[name];
      row[field] = kind === 'timestamptz' && typeof value === 'string' ? Date.parse(value) : value;
    }
    return row as Row;
  }
}

/** Declares a table for rows of this type. The columns are given as literals, so that {@link Stored} knows their types. */
export const tableOf =
  <Row extends object>() =>
  <const Layout extends Columns<Row>>(declared: Declaration<Layout>): Table<Row, Layout> =>
    new Table<Row, Layout>(declared);

/** A row of a table as the database gives it. */
export type StoredOf<T> = T extends Table<infer Row, infer Layout> ? Stored<Row, Layout> : never;

const snakeNames = new Map<string, string>();

/** `maxProtocolRuns` as `max_protocol_runs`. */
export function snakeCase(field: string): string {
  let name = snakeNames.get(field);
  if (name === undefined) {
    name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(field, name);
  }
  return name;
}
