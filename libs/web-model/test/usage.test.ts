import type { UsageRecord } from '@lab/api-client';
import { describe, expect, it } from 'vitest';
import { quotaSize, roomStateOf, roomTone, usageOf, Words } from '../src/index.js';
import { german } from '../src/words/german.js';

const usage = (more: Partial<UsageRecord>): UsageRecord => ({
  ...{ kind: 'owner', name: 'ada', records: 30, files: 3, bytes: 400, share: null },
  ...{ max_records: null, max_bytes: null, ...more },
});

describe('what is used of a quota', () => {
  it('has a share of each limit, and stands as the service says of the one that is used most', () => {
    expect(usageOf(usage({ max_records: 100, max_bytes: 500, share: 0.8 }))).toEqual({
      records: { used: 30, most: 100, share: 0.3, state: 'room' },
      bytes: { used: 400, most: 500, share: 0.8, state: 'nearly_used' },
      state: 'nearly_used',
    });
  });

  it('has no share without a limit, and is used up beyond it and of nothing', () => {
    const free = { most: undefined, share: undefined, state: 'no_limit' };
    expect(usageOf(usage({ max_records: 20, share: 1.5 }))).toEqual({
      records: { used: 30, most: 20, share: 1.5, state: 'used_up' },
      bytes: { used: 400, ...free },
      state: 'used_up',
    });
    expect(usageOf(usage({ max_bytes: 0, share: 1 })).bytes).toMatchObject({ share: 1, state: 'used_up' });
    expect(usageOf(usage({})).state).toBe('no_limit');
  });

  it('warns from 80 % on, as the service does, with a tone', () => {
    expect([undefined, 0, 0.79, 0.8, 0.99, 1, 2].map(roomStateOf)).toEqual([
      ...['no_limit', 'room', 'room', 'nearly_used', 'nearly_used', 'used_up', 'used_up'],
    ]);
    expect((['no_limit', 'room', 'nearly_used', 'used_up'] as const).map(roomTone)).toEqual([
      ...['idle', 'good', 'warning', 'alarm'],
    ]);
  });

  it('has a size in the units of quotas', () => {
    const words = new Words('de', german);
    expect([0, 999, 1_500, 2_500_000, 200e9].map((bytes) => quotaSize(words, bytes))).toEqual([
      ...['0 kB', '1 kB', '1,5 kB', '2,5 MB', '200 GB'],
    ]);
  });
});
