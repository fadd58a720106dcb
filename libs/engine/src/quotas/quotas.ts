import { ServiceError, type UsageKind } from '@lab/contracts';
import { type RowSet, type Usage, type UsageRow, usageOf } from '../rows/index.js';

/** Limits of what an owner or a laboratory stores; null: no limit. */
export interface Quota {
  /** Task runs. */
  records: number | null;
  /** Bytes of files. */
  bytes: number | null;
}

/** Quotas by name. What a name leaves out is that of `default`. */
export type QuotaTable = Readonly<Record<string, Partial<Quota>>>;

/** The configured quotas. */
export interface Quotas {
  owner: QuotaTable;
  lab: QuotaTable;
}

export const noQuotas: Quotas = { owner: {}, lab: {} };

/** Name under which a {@link QuotaTable} has the quota of everybody. */
const everybody = 'default';

export function quotaOf(quotas: Quotas, kind: UsageKind, name: string): Quota {
  const table = quotas[kind];
  const none: Quota = { records: null, bytes: null };
  // Work without an owner is nobody's.
  if (kind === 'owner' && name === '') return none;
  return { ...none, ...table[everybody], ...(Object.hasOwn(table, name) ? table[name] : {}) };
}

/** The names that have a quota of their own. */
export function namesWithQuota(quotas: Quotas, kind: UsageKind): string[] {
  return Object.keys(quotas[kind]).filter((name) => name !== everybody);
}

/** The share of the limit that is used most; null: there is no limit. 1: it is used up. */
export function shareOf(used: Usage, quota: Quota): number | null {
  const shares = (['records', 'bytes'] as const).flatMap((what) => {
    const limit = quota[what];
    return limit === null ? [] : [limit === 0 ? Math.max(1, used[what]) : used[what] / limit];
  });
  return shares.length === 0 ? null : Math.max(...shares);
}

/** From this share of a limit, people are warned. */
export const warnedShare = 0.8;

/** The owners and laboratories that have used so much of a limit that people are warned. */
export function* nearlyUsed({ usage }: Pick<RowSet, 'usage'>, quotas: Quotas): Iterable<UsageRow> {
  if (!hasQuotas(quotas)) return;
  for (const row of usage.values()) {
    const share = shareOf(row, quotaOf(quotas, row.kind, row.name));
    if (share !== null && share >= warnedShare) yield row;
  }
}

function hasQuotas({ owner, lab }: Quotas): boolean {
  return Object.keys(owner).length + Object.keys(lab).length > 0;
}

/** New work, as quotas count it. */
export interface NewWork {
  owner: string;
  labs: readonly string[];
  /** Number of its task runs. */
  records: number;
}

/** A quota that has no room for new work. */
export interface Shortage {
  kind: UsageKind;
  name: string;
  what: keyof Quota;
  used: number;
  limit: number;
  /** What the new work needs; 0: nobody knows yet. */
  needed: number;
}

/**
 * The first quota without room. Records may reach the limit. The size of files is known only when the work has ended, so new
 * work needs that the limit is not reached.
 */
export function shortageFor(
  { usage }: Pick<RowSet, 'usage'>,
  quotas: Quotas,
  { owner, labs, records }: NewWork,
): Shortage | undefined {
  const users: [UsageKind, string][] = [
    ['owner', owner],
    ...labs.map((lab): [UsageKind, string] => ['lab', lab]),
  ];
  for (const [kind, name] of users) {
    const quota = quotaOf(quotas, kind, name);
    const used = usageOf(usage, kind, name);
    if (quota.records !== null && used.records + records > quota.records)
      return { kind, name, what: 'records', used: used.records, limit: quota.records, needed: records };
    if (quota.bytes !== null && used.bytes >= quota.bytes)
      return { kind, name, what: 'bytes', used: used.bytes, limit: quota.bytes, needed: 0 };
  }
  return undefined;
}

/** @throws ServiceError `quota_exceeded` */
export function refuseShortage(rows: Pick<RowSet, 'usage'>, quotas: Quotas, work: NewWork): void {
  const shortage = shortageFor(rows, quotas, work);
  if (shortage === undefined) return;
  throw new ServiceError(
    'quota_exceeded',
    `${wordsOf(shortage)}; delete ended work, since archiving makes no room, or ask an administrator for a higher quota`,
  );
}

function wordsOf({ kind, name, what, used, limit, needed }: Shortage): string {
  const who = nameOf({ kind, name });
  return what === 'records'
    ? `${who} has ${inDigits(used)} of at most ${inDigits(limit)} task runs, and this needs ${inDigits(needed)} more`
    : `${who} has ${inBytes(used)} of files, and the limit is ${inBytes(limit)}`;
}

/** For example `laboratory "color_lab"`. */
export function nameOf({ kind, name }: { kind: UsageKind; name: string }): string {
  return `${kind === 'lab' ? 'laboratory' : 'owner'} "${name}"`;
}

const inDigits = (count: number): string => count.toLocaleString('en-US');

function inBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(4))} ${units[power]}`;
}
