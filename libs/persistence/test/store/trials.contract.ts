import { isServiceError, type ErrorCode } from '@lab/contracts';
import type { Change, Store } from '@lab/engine';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { campaign, lead, putDefinition, trial } from '../rows.js';
import type { StoreUnderTest } from './store.contract.js';

/** The guarantees of every {@link Store} for the trials of campaigns. */
export function trialsContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`trials, on ${name}`, () => {
    let under: StoreUnderTest;
    let store: Store;
    let epoch: number;

    beforeEach(async () => {
      under = await open();
      store = under.store;
      epoch = await lead(store, 'first');
      await store.commit(epoch, [putDefinition]);
    });

    afterEach(() => under.dispose());

    const commit = (...changes: Change[]): Promise<void> => store.commit(epoch, changes);

    async function refused(code: ErrorCode, changes: Change[]): Promise<void> {
      const before = await store.load();
      const error: unknown = await commit(...changes).then(
        () => new Error('the commit was applied'),
        (reason: unknown) => reason,
      );
      expect(isServiceError(error) ? `${error.code}/${error.effect}` : error).toBe(`${code}/none`);
      expect(await store.load()).toEqual(before);
    }

    test('of unfinished campaigns are read by number, each once, and change only as permitted', async () => {
      await commit(
        { op: 'insertCampaign', row: campaign('c1') },
        { op: 'insertCampaign', row: campaign('c2', { state: 'failed' }) },
        { op: 'insertTrial', row: trial('c2', 1) },
        ...[10, 9, 2].map((n) => ({ op: 'insertTrial' as const, row: trial('c1', n) })),
      );
      await commit(
        { op: 'updateTrial', id: 'c1/9', patch: { state: 'running' } },
        { op: 'updateTrial', id: 'c1/9', patch: { state: 'failed', additional: { 'mix.note': 'x' } } },
        { op: 'updateTrial', id: 'c1/9', patch: { state: 'running' } },
      );
      expect((await store.load()).trials).toEqual([
        trial('c1', 2),
        trial('c1', 9, { state: 'running', additional: { 'mix.note': 'x' } }),
        trial('c1', 10),
      ]);
      await refused('wrong_state', [{ op: 'insertTrial', row: trial('c1', 9) }]);
      await refused('wrong_state', [{ op: 'insertTrial', row: trial('c3', 1) }]);
      await refused('wrong_state', [{ op: 'updateTrial', id: 'c1/2', patch: { state: 'measured' } }]);
      await refused('wrong_state', [{ op: 'updateTrial', id: 'c1/3', patch: { state: 'running' } }]);
    });
  });
}
