import { lists, type ListName, type ListRequest, type Portion } from '@lab/contracts';

/**
 * One page of a list that is in memory, by the same rules by which the database reads a page.
 *
 * @param idOf unique among the records
 * @param aliases filter to field, where their names differ; a field that is a list passes when one of its values matches
 */
export function portionOf<Item extends object>(
  items: readonly Item[],
  name: ListName,
  request: ListRequest,
  idOf: (item: Item) => string,
  aliases: Readonly<Record<string, string>> = {},
): Portion<Item> {
  const kept = items.filter((item) => passes(item, name, request.filters, aliases));
  const placed = kept.map((item) => ({
    item,
    value: fieldOf(item, request.sort) as string | number,
    id: idOf(item),
  }));
  const sign = request.descending ? -1 : 1;
  type Place = (typeof placed)[number] | NonNullable<ListRequest['after']>;
  const order = (a: Place, b: Place): number => sign * (compare(a.value, b.value) || compare(a.id, b.id));
  placed.sort(order);
  const { after } = request;
  const behind = after === null ? placed : placed.filter((place) => order(place, after) > 0);
  const shown = behind.slice(0, request.limit);
  const last = behind.length > request.limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(({ item }) => item),
    end: last === undefined ? null : { value: last.value, id: last.id },
  };
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Whether a record belongs to at least one lab, and only to labs among those that the caller may see.
 *
 * @param within undefined: the caller may see records of all labs and of none
 */
export function isWithin(labs: readonly string[], within: readonly string[] | undefined): boolean {
  return within === undefined || (labs.length > 0 && labs.every((lab) => within.includes(lab)));
}

/** Whether a record passes all filters of a list. @param aliases see {@link portionOf} */
export function passes(
  item: object,
  name: ListName,
  filters: ListRequest['filters'],
  aliases: Readonly<Record<string, string>> = {},
): boolean {
  const shape = lists[name];
  return Object.entries(filters).every(([filter, wanted]) => {
    const declared = shape.filters[filter];
    const kind = declared?.kind;
    const value = fieldOf(item, aliases[filter] ?? filter);
    if (kind === 'flag' || kind === 'one_of') return true;
    if (kind === 'choice') return (wanted as readonly string[]).includes(String(value));
    if (declared?.kind === 'at_least')
      return declared.values.indexOf(String(value)) >= declared.values.indexOf(String(wanted));
    if (kind === 'exact') return Array.isArray(value) ? value.includes(wanted) : value === wanted;
    if (kind === 'above') return Number(value) > Number(wanted);
    if (kind === 'since') return String(value) >= String(wanted);
    if (kind === 'until') return String(value) < String(wanted);
    return String(fieldOf(item, aliases[filter] ?? 'name'))
      .toLowerCase()
      .includes(String(wanted).toLowerCase());
  });
}

function fieldOf(item: object, key: string): unknown {
  return (item as Readonly<Record<string, unknown>>)[key];
}
