import type { UsageKind } from '@lab/contracts';

/** Numbers of stored task runs, and of files that they left and their bytes. */
export interface Usage {
  records: number;
  files: number;
  bytes: number;
}

/** What an owner or a laboratory uses. The store counts it with each commit and each deletion. */
export interface UsageRow extends Usage {
  kind: UsageKind;
  name: string;
}

/** Code of the reason of a campaign that starts no further run because a quota has no room. */
export const waitingForQuota = 'waiting_for_quota';

export function usageKey(kind: UsageKind, name: string): string {
  return `${kind}/${name}`;
}

/** @param rows by {@link usageKey} */
export function usageOf(rows: ReadonlyMap<string, UsageRow>, kind: UsageKind, name: string): Usage {
  return rows.get(usageKey(kind, name)) ?? { records: 0, files: 0, bytes: 0 };
}
