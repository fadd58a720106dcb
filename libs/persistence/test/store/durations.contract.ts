import type { Change, Store } from '@lab/engine';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { attempt, lead, protocolRun, putDefinition, t0, taskRun } from '../rows.js';
import type { StoreUnderTest } from './store.contract.js';

/** The guarantees of every {@link Store} for the durations and the lateness of tasks. */
export function durationsContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`durations, on ${name}`, () => {
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

    test('the durations of completed attempts are known by task, the latest first, also of finished work', async () => {
      expect(await store.durations(3)).toEqual([]);
      let number = 0;
      const took = async (id: string, task: string, ms: number, endedAt: number, more = {}): Promise<void> =>
        commit(
          { op: 'insertAttempt', row: attempt(id, task, { number: (number += 1), createdAt: t0 }) },
          {
            op: 'updateAttempt',
            id,
            patch: { state: 'completed', createdAt: endedAt - ms, endedAt, ...more },
          },
        );
      await commit(
        { op: 'insertProtocolRun', row: protocolRun('r1', { type: 'mix' }) },
        { op: 'insertProtocolRun', row: protocolRun('r2', { type: 'mix' }) },
        { op: 'insertTaskRun', row: taskRun('t1', { name: 'pour', runId: 'r1' }) },
        { op: 'insertTaskRun', row: taskRun('t2', { name: 'pour', runId: 'r2' }) },
        { op: 'insertTaskRun', row: taskRun('t3', { name: 'pour', type: 'rinse' }) },
        { op: 'insertTaskRun', row: taskRun('t4', { name: 'heat', runId: 'r2' }) },
      );
      await took('a1', 't1', 1_500, t0 + 10_000);
      await took('a2', 't2', 2_500, t0 + 30_000);
      await took('a3', 't3', 700, t0 + 20_000);
      await took('a4', 't2', 9_000, t0 + 40_000, { state: 'failed' });
      await took('a5', 't1', 9_000, t0 + 40_000, { reason: { code: 'completed_by_person', message: '' } });
      await took('a6', 't1', 250, t0 + 15_000);
      await took('a7', 't1', 100, t0 + 5_000);
      await commit({ op: 'updateTaskRun', id: 't3', patch: { state: 'cancelled', endedAt: t0 } });
      await commit({ op: 'updateProtocolRun', id: 'r1', patch: { state: 'cancelled', endedAt: t0 } });
      const found = await (await under.sibling()).durations(3);
      expect(found.sort((a, b) => (a.task < b.task ? -1 : 1))).toEqual([
        { protocol: 'mix', task: 'pour', ms: [2_500, 250, 1_500] },
        { protocol: null, task: 'rinse', ms: [700] },
      ]);
    });

    test('the lateness of a start is kept', async () => {
      await commit({ op: 'insertTaskRun', row: taskRun('t1', { state: 'queued' }) });
      await commit({ op: 'updateTaskRun', id: 't1', patch: { state: 'running', lateByS: 2.125 } });
      expect((await store.load()).taskRuns).toMatchObject([{ id: 't1', lateByS: 2.125 }]);
    });
  });
}
