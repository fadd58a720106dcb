import { describe, expect, it } from 'vitest';
import {
  nearlyUsed,
  quotaOf,
  type Quotas,
  refuseShortage,
  shareOf,
  shortageFor,
} from '../../src/quotas/index.js';
import { type UsageRow, usageKey } from '../../src/rows/index.js';

const quotas: Quotas = {
  owner: { default: { records: 10, bytes: 1_000 }, ada: { records: 20 }, eve: { records: null } },
  lab: { color_lab: { bytes: 500 } },
};

const rowsOf = (...rows: UsageRow[]) => ({
  usage: new Map(rows.map((row) => [usageKey(row.kind, row.name), row])),
});
const used = (kind: UsageRow['kind'], name: string, records: number, bytes = 0): UsageRow => ({
  ...{ kind, name, records, bytes },
  files: 1,
});

describe('the quota of a name', () => {
  it.each([
    ['owner', 'bob', { records: 10, bytes: 1_000 }],
    ['owner', 'ada', { records: 20, bytes: 1_000 }],
    ['owner', 'eve', { records: null, bytes: 1_000 }],
    ['owner', 'toString', { records: 10, bytes: 1_000 }],
    ['owner', '', { records: null, bytes: null }],
    ['lab', 'color_lab', { records: null, bytes: 500 }],
    ['lab', 'other_lab', { records: null, bytes: null }],
  ] as const)('of %s "%s" takes from the default what it leaves out', (kind, name, quota) => {
    expect(quotaOf(quotas, kind, name)).toEqual(quota);
  });
});

describe('new work', () => {
  const work = { owner: 'bob', labs: [], records: 3 };

  it('may reach the limit of records and not exceed it', () => {
    expect(shortageFor(rowsOf(used('owner', 'bob', 7)), quotas, work)).toBeUndefined();
    expect(shortageFor(rowsOf(used('owner', 'bob', 8)), quotas, work)).toMatchObject({
      ...{ kind: 'owner', name: 'bob', what: 'records' },
      ...{ used: 8, limit: 10, needed: 3 },
    });
  });

  it('needs that the limit of files is not reached', () => {
    expect(shortageFor(rowsOf(used('owner', 'bob', 0, 999)), quotas, work)).toBeUndefined();
    expect(shortageFor(rowsOf(used('owner', 'bob', 0, 1_000)), quotas, work)).toMatchObject({
      what: 'bytes',
    });
  });

  it('needs room in each of its laboratories', () => {
    const rows = rowsOf(used('lab', 'color_lab', 0, 500));
    expect(shortageFor(rows, quotas, { ...work, labs: ['other_lab'] })).toBeUndefined();
    expect(shortageFor(rows, quotas, { ...work, labs: ['other_lab', 'color_lab'] })).toMatchObject({
      ...{ kind: 'lab', name: 'color_lab', what: 'bytes' },
    });
  });

  it.each([
    [
      used('owner', 'ada', 18_000),
      'owner "ada" has 18,000 of at most 20 task runs, and this needs 3 more; delete ended work, since archiving makes no room',
    ],
    [
      used('owner', 'ada', 0, 1_234_567_890),
      'owner "ada" has 1.235 GB of files, and the limit is 1 kB; delete',
    ],
    [
      used('lab', 'color_lab', 0, 500),
      'laboratory "color_lab" has 500 bytes of files, and the limit is 500 bytes;',
    ],
  ])('is refused with who, how much, the limit and what to do', (row, message) => {
    const refused = (): void =>
      refuseShortage(rowsOf(row), quotas, { owner: 'ada', labs: ['color_lab'], records: 3 });
    expect(refused).toThrow(expect.objectContaining({ code: 'quota_exceeded', effect: 'none' }) as Error);
    expect(refused).toThrow(message);
  });
});

describe('the share of a quota', () => {
  it('is that of the limit that is used most', () => {
    expect(shareOf({ records: 5, files: 9, bytes: 900 }, { records: 10, bytes: 1_000 })).toBe(0.9);
    expect(shareOf({ records: 5, files: 9, bytes: 900 }, { records: 10, bytes: null })).toBe(0.5);
    expect(shareOf({ records: 5, files: 9, bytes: 900 }, { records: null, bytes: null })).toBeNull();
  });

  it('is worth a warning from 80 %, if there is a limit', () => {
    const rows = rowsOf(
      used('owner', 'bob', 8),
      used('owner', 'ada', 15),
      used('owner', '', 99),
      used('lab', 'x', 99),
    );
    expect([...nearlyUsed(rows, quotas)].map(({ name }) => name)).toEqual(['bob']);
    expect([...nearlyUsed(rows, { owner: {}, lab: {} })]).toEqual([]);
  });
});
