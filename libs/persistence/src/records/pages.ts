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
import { conditionOf, fieldOf, storedLists } from './lists.js';
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
 * Reads one page: the records after a position, ordered by a field and then by id. Records that are inserted
 * meanwhile neither repeat nor hide a record that was there before.
 *
 * @param owner name or id of the owner, for a list of its parts
 * @param codesOf reads the hashes of the code of definitions
 */
export async function readPage<Name extends StoredListName>(
  db: Kysely<Database>,
  name: Name,
  request: ListRequest,
  codesOf: (definitionHashes: readonly string[]) => Promise<Codes>,
  owner?: string,
): Promise<Portion<StoredItems[Name]>> {
  const list = storedLists[name];
  const shape: ListShape = shapes[name];
  const field = fieldOf(list, request.sort);
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
    conditions.push(sql`(${field}, ${list.id}) ${request.descending ? sql`<` : sql`>`} ${position}`);
  }
  const { rows } = await sql<Placed>`
    select ${list.columns}, ${field} as place_value, ${list.id} as place_id
    from ${typeof list.from === 'function' ? list.from(owner ?? '') : list.from}
    where ${conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)}
    order by ${field} ${direction}, ${list.id} ${direction}
    limit ${limit + 1}`.execute(db);
  const shown = rows.slice(0, limit);
  const definition = list.definition as ((row: unknown) => string) | undefined;
  const codes = await codesOf(definition === undefined ? [] : shown.map(definition));
  const record = list.record as (row: unknown, codes: Codes) => StoredItems[Name];
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(({ place_value: _value, place_id: _id, ...row }) => record(row, codes)),
    end: last === undefined ? null : { value: last.place_value, id: last.place_id },
  };
}
