import {
  longestPage,
  storedLists as shapes,
  type ListRequest,
  type ListShape,
  type Portion,
  type SortKind,
  type StoredItems,
  type StoredListName,
} from '@lab/contracts';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Database } from '../schema/index.js';
import { conditionOf, fieldOf, idOf, readWith, storedLists, type StoredList } from './lists.js';
import type { Codes } from './shapes.js';

const sqlTypes: Readonly<Record<SortKind, RawBuilder<unknown>>> = {
  time: sql.raw('timestamptz'),
  number: sql.raw('bigint'),
  text: sql.raw('text'),
};

interface Placed {
  place_value: string | number;
  place_id: string;
}

/**
 * Reads one page: the records after a position, ordered by a field and then by id. Inserts meanwhile neither repeat nor
 * hide a record that was there before.
 *
 * @param owner name or id of the owner, for a list of its parts
 */
export async function readPage<Name extends StoredListName>(
  db: Kysely<Database>,
  name: Name,
  request: ListRequest,
  codesOf: CodesOf,
  owner?: string,
): Promise<Portion<StoredItems[Name]>> {
  const list = readWith(storedLists[name], request.filters);
  const shape: ListShape = shapes[name];
  const field = fieldOf(list, request.sort);
  const rowId = idOf(list);
  const limit = Math.min(request.limit, longestPage);
  const direction = request.descending ? sql`desc` : sql`asc`;
  const conditions = Object.entries(request.filters).map(([filter, value]) => {
    const declared = shape.filters[filter];
    if (declared === undefined) throw new Error(`the list ${name} has no filter ${filter}`);
    return conditionOf(list, filter, declared, value);
  });
  if (owner !== undefined && list.within !== undefined) conditions.push(list.within(owner));
  if (request.within !== undefined) {
    if (list.ofLabs === undefined) throw new Error(`the list ${name} does not know the labs of its records`);
    conditions.push(list.ofLabs(request.within));
  }
  if (request.after !== null) {
    const { value, id } = request.after;
    const kind = shape.sort[request.sort];
    if (kind === undefined) throw new Error(`the list ${name} is not sorted by ${request.sort}`);
    const position = sql`(${value}::${sqlTypes[kind]}, ${id}::text)`;
    conditions.push(sql`(${field}, ${rowId}) ${request.descending ? sql`<` : sql`>`} ${position}`);
  }
  const { rows } = await sql<Placed>`
    select ${list.columns}, ${field} as place_value, ${rowId} as place_id
    from ${sourceOf(list, owner ?? '')}
    where ${conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)}
    order by ${field} ${direction}, ${rowId} ${direction}
    limit ${limit + 1}`.execute(db);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    items: await recordsOf(
      name,
      shown.map(({ place_value: _value, place_id: _id, ...row }) => row),
      codesOf,
    ),
    end: last === undefined ? null : { value: last.place_value, id: last.place_id },
  };
}

/** Filters that leave few records of a list where it has them: each has an index. */
const narrowing = ['task_run', 'attempt', 'protocol_run', 'campaign', 'device', 'person', 'owner'];

/** How a request for a page can be made smaller, in words. */
export function narrowerList(name: StoredListName, { sort, filters }: ListRequest): string {
  const shape: ListShape = shapes[name];
  const usual = shape.usual.replace(/^-/, '');
  const fitting = ['since', ...narrowing].filter((filter) => filter in shape.filters && !(filter in filters));
  const more = new Intl.ListFormat('en', { type: 'disjunction' }).format(
    fitting.map((filter) => `${filter}=`),
  );
  const order = sort === usual ? '' : ` and leave out sort=, so that the list is sorted by ${usual}`;
  return `${more === '' ? 'use a smaller limit=' : `add ${more}`}${order}`;
}

type CodesOf = (definitionHashes: readonly string[]) => Promise<Codes>;

/** Reads the record of the first row of a list that fits a condition. @param which condition, with the order if any */
export async function readOne<Name extends StoredListName>(
  db: Kysely<Database>,
  name: Name,
  which: RawBuilder<unknown>,
  codesOf: CodesOf,
): Promise<StoredItems[Name] | undefined> {
  const row = await readRow<object>(db, name, which);
  return row && (await recordsOf(name, [row], codesOf))[0];
}

/** Reads the first row of a list that fits a condition. @param more further columns, each after a comma */
export async function readRow<Row>(
  db: Kysely<Database>,
  name: StoredListName,
  which: RawBuilder<unknown>,
  more = sql``,
): Promise<Row | undefined> {
  const list = storedLists[name];
  const { rows } = await sql<Row>`
    select ${list.columns}${more} from ${sourceOf(list, '')} where ${which}`.execute(db);
  return rows[0];
}

function sourceOf({ from }: StoredList<never, unknown>, owner: string): RawBuilder<unknown> {
  return typeof from === 'function' ? from(owner) : from;
}

async function recordsOf<Name extends StoredListName>(
  name: Name,
  rows: readonly object[],
  codesOf: CodesOf,
): Promise<StoredItems[Name][]> {
  const list = storedLists[name];
  const definition = list.definition as ((row: unknown) => string) | undefined;
  const codes = await codesOf(definition === undefined ? [] : rows.map(definition));
  const record = list.record as (row: unknown, codes: Codes) => StoredItems[Name];
  return rows.map((row) => record(row, codes));
}
