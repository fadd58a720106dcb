import type { WorkKind } from '@lab/contracts';
import type { Change, Store } from '@lab/engine';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { campaign, definition, lead, protocolRun, putDefinition, t0, taskRun, trial } from '../rows.js';
import type { StoreUnderTest } from './store.contract.js';

/** The guarantees of every {@link Store} for ended work, its archive and its resume. */
export function endedContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`ended work, on ${name}`, () => {
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

    test('an ended run is read completely with its tasks and its campaign, and an unfinished one is not read', async () => {
      const inside = protocolRun('r1', { name: 'x', campaignId: 'c1', state: 'failed', endedAt: t0 });
      const tasks = [
        taskRun('t1', { runId: 'r1', state: 'completed', outputParameters: { n: 1 }, endedAt: t0 }),
        taskRun('t2', { runId: 'r1', state: 'skipped', reason: { code: 'a', message: 'b' }, endedAt: t0 }),
      ];
      await commit(
        { op: 'insertCampaign', row: campaign('c1', { name: 'x', state: 'running' }) },
        { op: 'insertProtocolRun', row: inside },
        { op: 'insertProtocolRun', row: protocolRun('r2', { name: 'y', state: 'running' }) },
        ...[...tasks].reverse().map((row) => ({ op: 'insertTaskRun', row }) as const),
        { op: 'insertTaskRun', row: taskRun('t3', { name: 'z', state: 'failed', endedAt: t0 }) },
      );
      expect(await store.ended('protocolRun', 'x')).toEqual({
        campaign: campaign('c1', { name: 'x', state: 'running' }),
        protocolRuns: [inside],
        taskRuns: tasks,
        trials: [],
        definitions: [definition],
        archivedAt: null,
      });
      expect(await store.ended('campaign', 'x')).toBeUndefined();
      expect(await store.ended('protocolRun', 'y')).toBeUndefined();
      expect(await store.ended('protocolRun', 'z')).toBeUndefined();
      expect(await store.ended('protocolRun', 'a\u0000')).toBeUndefined();
    });

    test('an ended campaign is read with its runs that did not complete', async () => {
      const over = campaign('c1', { name: 'x', state: 'cancelled', endedAt: t0 });
      const runs = (['completed', 'failed', 'cancelled'] as const).map((state, n) =>
        protocolRun(`r${n}`, { campaignId: 'c1', state, endedAt: t0 }),
      );
      const tasks = runs.map((run) => taskRun(`t ${run.id}`, { runId: run.id, state: 'failed' }));
      await commit(
        { op: 'insertCampaign', row: over },
        ...[...runs].reverse().map((row) => ({ op: 'insertProtocolRun', row }) as const),
        ...tasks.map((row) => ({ op: 'insertTaskRun', row }) as const),
        ...[2, 1].map((n) => ({ op: 'insertTrial', row: trial('c1', n) }) as const),
        { op: 'insertProtocolRun', row: protocolRun('r9', { name: 'alone', state: 'failed' }) },
      );
      expect(await store.ended('campaign', 'x')).toEqual({
        campaign: over,
        protocolRuns: runs.slice(1),
        taskRuns: tasks.slice(1),
        trials: [trial('c1', 1), trial('c1', 2)],
        definitions: [definition],
        archivedAt: null,
      });
      expect(await store.ended('protocolRun', 'alone')).toMatchObject({ campaign: null, taskRuns: [] });
      expect(await store.ended('campaign', 'y')).toBeUndefined();
    });

    test('ended work can be archived once and restored, and unfinished or dependent work cannot', async () => {
      await commit(
        { op: 'insertCampaign', row: campaign('c1', { name: 'over', state: 'failed', endedAt: t0 }) },
        {
          op: 'insertProtocolRun',
          row: protocolRun('r1', { name: 'in', campaignId: 'c1', state: 'failed' }),
        },
        { op: 'insertProtocolRun', row: protocolRun('r2', { name: 'on', state: 'running' }) },
        { op: 'insertTaskRun', row: taskRun('t1', { name: 'early', state: 'completed' }) },
        { op: 'insertTaskRun', row: taskRun('t2', { name: 'early', state: 'failed', createdAt: t0 + 1 }) },
      );
      const archived = (id: string, kind: WorkKind): Change => ({
        op: 'archive',
        row: { id, kind, name: id, archivedAt: t0 + 5, archivedBy: 'ada', restoredAt: null },
      });
      const wrong = { code: 'wrong_state', effect: 'none' };
      for (const [id, kind] of [
        ['r1', 'protocol_run'],
        ['r2', 'protocol_run'],
        ['r2', 'campaign'],
        ['x', 'task_run'],
      ] as const)
        await expect(commit(archived(id, kind))).rejects.toMatchObject(wrong);
      await commit(archived('c1', 'campaign'), archived('t2', 'task_run'));
      await expect(commit(archived('c1', 'campaign'))).rejects.toMatchObject(wrong);
      const since = { archivedAt: t0 + 5 };
      expect(await store.ended('campaign', 'over')).toMatchObject(since);
      expect(await store.ended('protocolRun', 'in')).toMatchObject(since);
      const labs = definition.kind === 'protocol' ? definition.body.protocol.labs : [];
      expect(await store.named('protocol_run', 'in')).toEqual({
        id: 'r1',
        name: 'in',
        state: 'failed',
        owner: protocolRun('r1').owner,
        labs,
        campaign: 'over',
        ...since,
      });
      expect(await store.named('protocol_run', 'on')).toMatchObject({ state: 'running', archivedAt: null });
      expect(await store.named('task_run', 'early')).toMatchObject({ id: 't2', ...since });
      expect(await store.named('campaign', 'early')).toBeUndefined();
      expect(await store.named('campaign', 'a\u0000')).toBeUndefined();
      const old = async (kind: WorkKind, before: number, after = '', limit = 10): Promise<string[]> =>
        (await store.endedBefore(kind, { before, after, limit })).map(({ id }) => id);
      expect(await old('campaign', t0 + 1)).toEqual([]);
      expect(await old('protocol_run', t0 + 1)).toEqual([]);
      await commit(
        ...['o1', 'o2', 'o3'].map((id): Change => ({
          op: 'insertProtocolRun',
          row: protocolRun(id, { name: id, state: 'completed', endedAt: t0 }),
        })),
        { op: 'insertTaskRun', row: taskRun('t9', { runId: 'o1', state: 'completed', endedAt: t0 }) },
      );
      expect(await old('protocol_run', t0)).toEqual([]);
      expect(await old('protocol_run', t0 + 1)).toEqual(['o1', 'o2', 'o3']);
      expect(await old('protocol_run', t0 + 1, 'o1', 1)).toEqual(['o2']);
      expect(await old('task_run', t0 + 1)).toEqual([]);
      // Work that is reopened in the same commit has not ended.
      await commit({ op: 'restore', id: 'c1', at: t0 + 9 });
      await expect(
        commit({ op: 'updateCampaign', id: 'c1', patch: { state: 'created' } }, archived('c1', 'campaign')),
      ).rejects.toMatchObject(wrong);
      await expect(commit({ op: 'restore', id: 'c1', at: t0 + 9 })).rejects.toMatchObject(wrong);
      expect(await store.named('campaign', 'over')).toMatchObject({ state: 'failed', archivedAt: null });
      await commit(archived('c1', 'campaign'));
      expect(await store.named('campaign', 'over')).toMatchObject(since);
    });

    test('ended work can be reopened with all of its rows', async () => {
      await commit(
        { op: 'insertProtocolRun', row: protocolRun('r1', { name: 'x', state: 'failed', endedAt: t0 }) },
        { op: 'insertTaskRun', row: taskRun('t1', { runId: 'r1', state: 'completed' }) },
        { op: 'insertTaskRun', row: taskRun('t2', { runId: 'r1', state: 'cancelled' }) },
      );
      await commit(
        { op: 'updateProtocolRun', id: 'r1', patch: { state: 'created', endedAt: null } },
        { op: 'updateTaskRun', id: 't2', patch: { state: 'created' } },
      );
      const rows = await store.load();
      expect(rows.protocolRuns).toMatchObject([{ id: 'r1', state: 'created', endedAt: null }]);
      expect(rows.taskRuns.map((row) => [row.id, row.state])).toEqual([
        ['t1', 'completed'],
        ['t2', 'created'],
      ]);
      await expect(
        commit({ op: 'updateTaskRun', id: 't1', patch: { state: 'created' } }),
      ).rejects.toMatchObject({ code: 'wrong_state', effect: 'none' });
    });
  });
}
