import type { ListPosition, UsageKind, UsageQuery, UsageRecord } from '@lab/contracts';
import { namesWithQuota, quotaOf, type Quotas, shareOf } from '../quotas/index.js';
import { type RowSet, usageKey, usageOf } from '../rows/index.js';

/** A page of the usage. */
export interface UsagePart {
  items: UsageRecord[];
  /** Sort value and key of its last record; null: there are no further records. */
  end: ListPosition | null;
}

interface Place {
  value: string | number;
  id: string;
}

/** The usage that the caller may see, with a record for each name that has a quota or is asked for. */
export function describeUsage(rows: Pick<RowSet, 'usage'>, quotas: Quotas, query: UsageQuery): UsagePart {
  const { sort, descending, after, limit } = query;
  const sign = descending ? -1 : 1;
  const order = (a: Place, b: Place): number => sign * (compare(a.value, b.value) || compare(a.id, b.id));
  const places = [...visible(rows, quotas, query)]
    .map((record) => ({ record, value: sortValue(record, sort), id: usageKey(record.kind, record.name) }))
    .filter((place) => after === null || order(place, after) > 0)
    .sort(order);
  const page = places.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(({ record }) => record),
    end: last === undefined || page.length === places.length ? null : { value: last.value, id: last.id },
  };
}

/** A share is sorted by millionths, because the cursor of a page has whole numbers. */
function sortValue(record: UsageRecord, sort: UsageQuery['sort']): string | number {
  return sort === 'share' ? Math.round((record.share ?? 0) * 1e6) : record[sort];
}

function* visible(
  { usage }: Pick<RowSet, 'usage'>,
  quotas: Quotas,
  { rights: { see }, owner, kind: kinds, name: wanted }: UsageQuery,
): Iterable<UsageRecord> {
  const names: Readonly<Record<UsageKind, Set<string>>> = {
    owner: new Set([...namesWithQuota(quotas, 'owner'), ...(owner === null ? [] : [owner])]),
    lab: new Set([...namesWithQuota(quotas, 'lab'), ...(see === 'all' ? [] : see)]),
  };
  for (const { kind, name } of usage.values()) names[kind].add(name);
  const isSeen = (kind: UsageKind, name: string): boolean =>
    kind === 'owner' ? owner === null || name === owner : see === 'all' || see.includes(name);
  for (const kind of kinds ?? (['owner', 'lab'] as const))
    for (const name of names[kind]) {
      if (!isSeen(kind, name) || (wanted !== undefined && name !== wanted)) continue;
      const used = usageOf(usage, kind, name);
      const quota = quotaOf(quotas, kind, name);
      const { records: maxRecords, bytes: maxBytes } = quota;
      yield {
        kind,
        name,
        ...used,
        max_records: maxRecords,
        max_bytes: maxBytes,
        share: shareOf(used, quota),
      };
    }
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
