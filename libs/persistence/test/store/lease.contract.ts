import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '@lab/engine';
import { lead, protocolRun, putDefinition } from '../rows.js';
import type { StoreUnderTest } from './store.contract.js';

/** The guarantees of every {@link Store} for leases, and for many names at once. */
export function leaseContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the contract of leases on ${name}`, () => {
    let under: StoreUnderTest;
    let store: Store;
    let epoch: number;

    beforeEach(async () => {
      under = await open();
      store = under.store;
      epoch = await lead(store, 'first');
    });

    afterEach(() => under.dispose());

    test('no other process leads before the lease ends', async () => {
      const other = await under.sibling();
      const own = await store.lead('first', 60_000);
      expect(own).toBeGreaterThan(epoch);
      expect(await other.lead('second', 300)).toBeNull();
      expect(await store.renew(own ?? 0, 300)).toBe(true);
      await expect.poll(() => other.lead('second', 60_000), { interval: 20 }).not.toBeNull();
      await expect(store.commit(own ?? 0, [])).rejects.toMatchObject({
        code: 'stale_message',
        effect: 'none',
      });
      expect(await store.renew(own ?? 0, 60_000)).toBe(false);
      await store.resign(own ?? 0);
      expect(await store.lead('first', 300)).toBeNull();
    });

    test('a lease lasts from its latest confirmation on', async () => {
      const other = await under.sibling();
      const own = await store.lead('first', 200);
      expect(await store.renew(own ?? 0, 60_000)).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 250));
      expect(await other.lead('second', 200)).toBeNull();
      // An ended lease can still be confirmed as long as nobody else has led.
      expect(await store.renew(own ?? 0, 0)).toBe(true);
      expect(await store.renew(own ?? 0, 60_000)).toBe(true);
      expect(await other.lead('second', 200)).toBeNull();
    });

    test('the next process leads at once after the leader returned the leadership', async () => {
      const other = await under.sibling();
      const own = await store.lead('first', 60_000);
      await store.resign(own ?? 0);
      expect(await other.lead('second', 60_000)).toBeGreaterThan(own ?? 0);
    });

    test('the same name may lead again at any time', async () => {
      const own = await store.lead('first', 60_000);
      const next = await store.lead('first', 60_000);
      expect(next).toBeGreaterThan(own ?? 0);
      await expect(store.commit(own ?? 0, [])).rejects.toMatchObject({ code: 'stale_message' });
    });

    test('one of many simultaneous requests gets the leadership', async () => {
      const rivals = await Promise.all([1, 2, 3, 4].map(() => under.sibling()));
      const epochs = await Promise.all(rivals.map((rival, n) => rival.lead(`rival ${n}`, 60_000)));
      expect(epochs.filter((each) => each !== null)).toHaveLength(1);
    });

    test('many names of runs are found, whatever their beginnings', async () => {
      const runs = ['µ_run_3', 'µ_run_150', 'µ_run_151', 'µ_rum_1', 'µ', '\u{1f52c}', 'a'];
      await store.commit(epoch, [
        putDefinition,
        ...runs.map((name, n) => ({
          op: 'insertProtocolRun' as const,
          row: protocolRun(`r${n}`, { name }),
        })),
      ]);
      const names = Array.from({ length: 150 }, (_, n) => `µ_run_${n + 1}`);
      expect(await store.takenNames('protocolRun', names)).toEqual(new Set(['µ_run_3', 'µ_run_150']));
      const unlike = Array.from({ length: 150 }, (_, n) => String.fromCodePoint(0x1f500 + n * 2));
      expect(await store.takenNames('protocolRun', [...unlike, 'a'])).toEqual(new Set(['\u{1f52c}', 'a']));
      expect(await store.takenNames('protocolRun', unlike)).toEqual(new Set(['\u{1f52c}']));
    });
  });
}
