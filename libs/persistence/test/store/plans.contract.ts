import type { Change, Store } from '@lab/engine';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lead, putDefinition, taskRun } from '../rows.js';
import type { StoreUnderTest } from './store.contract.js';

const plan = (minute: number) => ({
  start: `2026-11-21T03:${minute}:00.000Z`,
  end: `2026-11-21T03:${minute}:30.000Z`,
  at: '2026-11-21T02:55:00.000Z',
  devices: { mixer: 'color_lab.mixer_1' },
});

/** The guarantees of every {@link Store} for the plans of tasks. */
export function plansContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`plans, on ${name}`, () => {
    let under: StoreUnderTest;
    let store: Store;
    let epoch: number;

    beforeEach(async () => {
      under = await open();
      store = under.store;
      epoch = await lead(store, 'first');
    });

    afterEach(() => under.dispose());

    const plansOf = async (id: string) => {
      const row = (await store.load()).taskRuns.find((each) => each.id === id);
      return [row?.firstPlan, row?.lastPlan];
    };
    const note = (id: string, minute: number): Change => ({
      op: 'notePlans',
      plans: [{ id, plan: plan(minute) }],
    });

    test('a first plan stays over later plans, commits of other fields and the next leader', async () => {
      await store.commit(epoch, [
        putDefinition,
        { op: 'insertTaskRun', row: taskRun('t1') },
        { op: 'insertTaskRun', row: taskRun('t2') },
        note('t1', 10),
      ]);
      expect(await plansOf('t1')).toEqual([plan(10), null]);
      expect(await plansOf('t2')).toEqual([null, null]);
      await store.commit(epoch, [note('t1', 20)]);
      await store.commit(epoch, [{ op: 'updateTaskRun', id: 't1', patch: { lastPlan: plan(30) } }]);
      await lead(store, 'second');
      expect(await plansOf('t1')).toEqual([plan(10), plan(30)]);
    });

    test('the first plans of 1,000 tasks are one change, and those of tasks that are not there change nothing', async () => {
      const ids = Array.from({ length: 1_000 }, (_, index) => `t${index}`);
      const inserted = ids.map((id): Change => ({ op: 'insertTaskRun', row: taskRun(id) }));
      await store.commit(epoch, [putDefinition, ...inserted]);
      const plans = [...ids, 'missing'].map((id) => ({ id, plan: plan(10) }));
      await store.commit(epoch, [{ op: 'notePlans', plans }]);
      const rows = (await store.load()).taskRuns;
      expect(rows.filter(({ firstPlan }) => firstPlan?.start === plan(10).start)).toHaveLength(1_000);
    });
  });
}
