import { isServiceError, type ErrorCode } from '@lab/contracts';
import type { AttentionRow, Change, EmergencyStopRow, Store, WorkingRows } from '@lab/engine';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  attempt,
  auditRow,
  campaign,
  definition,
  hash,
  lead,
  optimizer,
  outageOf,
  protocolRun,
  putDefinition,
  others,
  t0,
  taskRun,
  trial,
} from '../rows.js';

/** A fresh store, a second connection to the same rows, and the published events. */
export interface StoreUnderTest {
  store: Store;
  /** The store of another process on the same rows. */
  sibling(): Promise<Store>;
  /** Every event as stored, oldest first. */
  events(): Promise<{ aggregate: string; seq: number; type: string; body: unknown; at: number }[]>;
  dispose(): Promise<void>;
}

const device = { kind: 'device', key: 'color_lab.mixer_1' } as const;

/** The guarantees of every {@link Store}. */
export function storeContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the store contract on ${name}`, () => {
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

    async function refused(code: ErrorCode, changes: Change[], text?: RegExp): Promise<void> {
      const before = await store.load();
      const error: unknown = await commit(...changes).then(
        () => new Error('the commit was applied'),
        (reason: unknown) => reason,
      );
      expect(isServiceError(error) ? `${error.code}/${error.effect}` : error).toBe(`${code}/none`);
      if (text !== undefined) expect((error as Error).message).toMatch(text);
      expect(await store.load()).toEqual(before);
    }

    describe('leadership', () => {
      test('every leader gets a higher epoch', async () => {
        const other = await under.sibling();
        expect(await lead(other, 'second')).toBeGreaterThan(epoch);
        expect(await lead(store, 'first')).toBeGreaterThan(epoch + 1);
      });

      test('a deposed leader changes nothing', async () => {
        const other = await under.sibling();
        await lead(other, 'second');
        await refused('stale_message', [{ op: 'insertCampaign', row: campaign('c1') }]);
        await refused('stale_message', []);
      });

      test('an unknown epoch is refused', async () => {
        await expect(store.commit(epoch + 1, [])).rejects.toMatchObject({ code: 'stale_message' });
      });

      test('at most one of two simultaneous leaders gets each name', async () => {
        const other = await under.sibling();
        const wins: string[] = [];
        const race = async (who: string, rival: Store): Promise<void> => {
          let own = await lead(rival, who);
          for (let n = 0; n < 15; n += 1) {
            try {
              await rival.commit(own, [
                { op: 'insertProtocolRun', row: protocolRun(`${who}-${n}`, { name: `shared ${n}` }) },
                { op: 'tell', event: { aggregate: 'protocol_run/shared', type: who, body: {}, at: t0 } },
              ]);
              wins.push(`${who}-${n}`);
            } catch (error) {
              if (!isServiceError(error)) throw error;
              expect(['stale_message', 'duplicate_name']).toContain(error.code);
              if (error.code === 'stale_message') own = await lead(rival, who);
            }
          }
        };
        await Promise.all([race('a', store), race('b', other)]);
        const runs = (await store.load()).protocolRuns;
        expect(runs.map((row) => row.id).sort()).toEqual([...wins].sort());
        expect(new Set(runs.map((row) => row.name)).size).toBe(runs.length);
        expect((await under.events()).map((event) => event.seq)).toEqual(wins.map((_, index) => index + 1));
      });
    });

    describe('rows', () => {
      test('are read as they were written, in every field', async () => {
        const rows = {
          campaign: campaign('c1', {
            state: 'running',
            ending: { state: 'cancelled', reason: { code: 'x', message: 'y' }, since: t0 + 5 },
            reason: { code: 'a', message: 'b', stack: 'c' },
            startedAt: t0 + 1,
            optimize: true,
            optimizer,
          }),
          trial: trial('c1', 1, {
            state: 'measured',
            outputs: { 'analyze.score': -1.5e-300 },
            additional: { 'analyze.colors': [1, [2]] },
          }),
          run: protocolRun('r1', { campaignId: 'c1', state: 'running', startedAt: t0 + 1 }),
          task: taskRun('t1', {
            runId: 'r1',
            state: 'needs_attention',
            reason: { code: 'unknown_outcome', message: 'lost' },
            cancelRequestedAt: t0 + 7,
            outputParameters: { ph: -1.5e-300, big: 1e21, list: [[], {}], text: 'a\\u0000b\n"' },
            outputResources: { beaker: { name: 'beaker_1', type: 'beaker', meta: {} } },
            outputFiles: [{ name: 'a b.csv', size: 3, sha256: 'f'.repeat(64) }],
            attempt: 1,
            computer: 'bench pc',
            allocationTimeout: null,
            meta: { '': { __proto__x: 1 } },
            queuedAt: t0 + 2,
            startedAt: t0 + 3,
          }),
          attempt: attempt('a1', 't1', {
            state: 'needs_attention',
            reason: { code: 'u', message: 'v' },
            deadlineAt: t0 + 60_000,
            calls: {
              effects: 2,
              last_confirmed: null,
              in_doubt: { device: 'l.d', function: 'f', call_id: 'c' },
            },
          }),
          asked: {
            id: 'i1',
            kind: 'task',
            state: 'open',
            taskRunId: 't1',
            attemptId: 'a1',
            ...{ device: null, computer: 'bench pc' },
            reason: { code: 'u', message: 'v' },
            known: { devices: ['l.d'] },
            openedAt: t0,
            ...{ resolvedAt: null, resolution: null, claim: null },
          } satisfies AttentionRow,
          stop: {
            ...{ id: 'h1', scope: 'lab:color_lab', by: 'ada', reason: 'spill', at: t0 },
            ...{ releasedAt: null, releasedBy: null },
          } satisfies EmergencyStopRow,
        };
        const drain = { id: 'd1', campaignId: null, by: 'ada', at: t0, endedAt: null, endedBy: null };
        const outage = outageOf('l.d', { until: t0 + 9 });
        const pause = { id: 'q1', by: 'ada', at: t0, resumedAt: null, resumedBy: null };
        await commit(
          { op: 'insertCampaign', row: rows.campaign },
          { op: 'insertProtocolRun', row: rows.run },
          { op: 'insertTaskRun', row: rows.task },
          { op: 'insertAttempt', row: rows.attempt },
          { op: 'insertTrial', row: rows.trial },
          { op: 'claim', ...device, taskRunId: 't1', fence: 1, at: t0 + 3 },
          {
            op: 'putResource',
            row: { name: 'beaker_1', type: 'beaker', lab: 'color_lab', meta: { full: true } },
          },
          { op: 'putAgent', row: { computer: 'bench pc', inc: 2 ** 40, session: 's' } },
          { op: 'putAttention', row: rows.asked },
          { op: 'putAttention', row: { ...rows.asked, id: 'i2', kind: 'process' } },
          { op: 'putEmergencyStop', row: rows.stop },
          { op: 'putEmergencyStop', row: { ...rows.stop, id: 'h0', releasedAt: t0 + 9, releasedBy: 'eve' } },
          { op: 'putQueuePause', row: pause },
          { op: 'putQueuePause', row: { ...pause, id: 'q0', resumedAt: t0 + 9, resumedBy: 'eve' } },
          { op: 'putDrain', row: drain },
          { op: 'putDrain', row: { ...drain, id: 'd2', campaignId: rows.campaign.id } },
          { op: 'putDrain', row: { ...drain, id: 'd0', endedAt: t0 + 9, endedBy: 'eve' } },
          { op: 'putOutage', row: outage },
          { op: 'putOutage', row: outageOf('l.e') },
          { op: 'putOutage', row: outageOf('l.e', { endedAt: t0 + 3, endedBy: 'eve' }) },
          ...others.changes,
          { op: 'audit', row: auditRow },
        );
        const claimed = { ...rows.asked, claim: { by: 'ada', since: t0, until: t0 + 600_000 } };
        await commit({ op: 'claimAttention', row: claimed, by: 'ada' });
        await commit({
          op: 'putAttention',
          row: { ...rows.asked, id: 'i2', state: 'resolved', resolvedAt: t0 },
        });
        expect(await store.load()).toEqual({
          campaigns: [rows.campaign],
          protocolRuns: [rows.run],
          taskRuns: [rows.task],
          attempts: [rows.attempt],
          trials: [rows.trial],
          allocations: [{ ...device, taskRunId: 't1', heldByRunId: null, fence: 1, since: t0 + 3 }],
          resources: [{ name: 'beaker_1', type: 'beaker', lab: 'color_lab', meta: { full: true } }],
          agents: [{ computer: 'bench pc', inc: 2 ** 40, session: 's' }],
          attention: [claimed],
          emergencyStops: [rows.stop, { ...rows.stop, id: 'h0', releasedAt: t0 + 9, releasedBy: 'eve' }],
          drains: [drain, { ...drain, id: 'd2', campaignId: rows.campaign.id }],
          ...{ queuePauses: [pause], outages: [outage] },
          ...others.left,
          usage: [{ kind: 'owner', name: 'ada', records: 1, files: 1, bytes: 3 }],
          definitions: [definition],
        } satisfies WorkingRows);
      });

      test('an update sets the named fields, also to null, and keeps the others', async () => {
        await commit(
          { op: 'insertTaskRun', row: taskRun('t1', { reason: { code: 'x', message: 'y' }, queuedAt: t0 }) },
          { op: 'insertTaskRun', row: taskRun('t2') },
        );
        await commit(
          { op: 'updateTaskRun', id: 't1', patch: { reason: null, queuedAt: null, priority: 9 } },
          { op: 'updateTaskRun', id: 't2', patch: { state: 'queued', devices: {}, computer: 'pc' } },
        );
        expect((await store.load()).taskRuns).toEqual([
          taskRun('t1', { priority: 9 }),
          taskRun('t2', { state: 'queued', devices: {}, computer: 'pc' }),
        ]);
      });

      test('changes of one commit build on each other', async () => {
        await commit(
          { op: 'insertTaskRun', row: taskRun('t1') },
          { op: 'updateTaskRun', id: 't1', patch: { state: 'queued', queuedAt: t0 } },
          { op: 'updateTaskRun', id: 't1', patch: { state: 'running', startedAt: t0 + 1 } },
          { op: 'insertAttempt', row: attempt('a1', 't1') },
          { op: 'updateAttempt', id: 'a1', patch: { state: 'never_ran', endedAt: t0 + 2 } },
          { op: 'insertAttempt', row: attempt('a2', 't1', { number: 2 }) },
        );
        const rows = await store.load();
        expect(rows.taskRuns).toEqual([taskRun('t1', { state: 'running', queuedAt: t0, startedAt: t0 + 1 })]);
        expect(rows.attempts).toEqual([attempt('a2', 't1', { number: 2 })]);
        await commit(
          { op: 'updateTaskRun', id: 't1', patch: { state: 'queued' } },
          { op: 'updateTaskRun', id: 't1', patch: { state: 'running', computer: 'pc' } },
          { op: 'updateAttempt', id: 'a2', patch: { state: 'failed', endedAt: t0 + 3 } },
          { op: 'insertAttempt', row: attempt('a3', 't1', { number: 3 }) },
        );
        expect((await store.load()).attempts.map((row) => row.id)).toEqual(['a3']);
      });

      test('a definition keeps its first content', async () => {
        const other = { ...definition, body: { ...definition.body, hash: 'other' } } as typeof definition;
        await commit({ op: 'putDefinition', row: other }, { op: 'insertTaskRun', row: taskRun('t1') });
        const [stored] = (await store.load()).definitions;
        expect(stored).toEqual(definition);
        expect(JSON.stringify(stored?.body)).toBe(JSON.stringify(definition.body));
      });

      test('resources and agents are replaced by later ones', async () => {
        const resource = { name: 'b', type: 'beaker', lab: 'l', meta: {} };
        await commit(
          { op: 'putResource', row: resource },
          { op: 'putAgent', row: { computer: 'p', inc: 1, session: 'x' } },
        );
        await commit(
          { op: 'putResource', row: { ...resource, meta: { n: 1 } } },
          { op: 'putResource', row: { ...resource, meta: { n: 2 } } },
          { op: 'putAgent', row: { computer: 'p', inc: 2, session: 'y' } },
        );
        const rows = await store.load();
        expect(rows.resources).toEqual([{ ...resource, meta: { n: 2 } }]);
        expect(rows.agents).toEqual([{ computer: 'p', inc: 2, session: 'y' }]);
      });

      test('ended work is not loaded, but all tasks of an unfinished run are', async () => {
        await commit(
          { op: 'insertCampaign', row: campaign('c1', { state: 'completed' }) },
          { op: 'insertCampaign', row: campaign('c2', { state: 'paused' }) },
          { op: 'insertProtocolRun', row: protocolRun('r1', { state: 'failed' }) },
          { op: 'insertProtocolRun', row: protocolRun('r2', { state: 'needs_attention' }) },
          { op: 'insertTaskRun', row: taskRun('t1', { runId: 'r1', state: 'completed' }) },
          { op: 'insertTaskRun', row: taskRun('t2', { runId: 'r2', state: 'completed' }) },
          { op: 'insertTaskRun', row: taskRun('t3', { state: 'skipped' }) },
          { op: 'insertTaskRun', row: taskRun('t4', { state: 'queued' }) },
          { op: 'insertAttempt', row: attempt('a1', 't1', { state: 'completed' }) },
          { op: 'insertAttempt', row: attempt('a2', 't4', { state: 'uncertain' }) },
        );
        const rows = await store.load();
        expect(
          [rows.campaigns, rows.protocolRuns, rows.taskRuns, rows.attempts].map((table) =>
            table.map((row) => row.id),
          ),
        ).toEqual([['c2'], ['r2'], ['t2', 't4'], ['a2']]);
      });

      test('a store opened later finds the same rows', async () => {
        await commit(
          { op: 'insertTaskRun', row: taskRun('t1') },
          { op: 'claim', ...device, taskRunId: 't1', fence: 1, at: t0 },
        );
        expect(await (await under.sibling()).load()).toEqual(await store.load());
      });
    });

    describe('conflicts', () => {
      test('the name of a protocol run or a campaign is taken permanently', async () => {
        await commit(
          { op: 'insertProtocolRun', row: protocolRun('r1', { name: 'x', state: 'completed' }) },
          { op: 'insertCampaign', row: campaign('c1', { name: 'x', state: 'failed' }) },
        );
        await refused(
          'duplicate_name',
          [{ op: 'insertProtocolRun', row: protocolRun('r2', { name: 'x' }) }],
          /"x"/,
        );
        await refused(
          'duplicate_name',
          [{ op: 'insertCampaign', row: campaign('c2', { name: 'x' }) }],
          /"x"/,
        );
        await refused(
          'duplicate_name',
          [
            { op: 'insertProtocolRun', row: protocolRun('r3', { name: 'new' }) },
            { op: 'insertProtocolRun', row: protocolRun('r4', { name: 'x' }) },
          ],
          /"x"/,
        );
        expect(await store.takenNames('protocolRun', ['x', 'y', 'x'])).toEqual(new Set(['x']));
        expect(await store.takenNames('campaign', ['x', 'y'])).toEqual(new Set(['x']));
        expect(await store.takenNames('campaign', [])).toEqual(new Set());
      });

      test('the name of an on-demand task is taken until it has ended', async () => {
        await commit({ op: 'insertTaskRun', row: taskRun('t1', { name: 'x' }) });
        await refused('duplicate_name', [{ op: 'insertTaskRun', row: taskRun('t2', { name: 'x' }) }], /"x"/);
        await commit({ op: 'updateTaskRun', id: 't1', patch: { state: 'cancelled', endedAt: t0 } });
        await commit({ op: 'insertTaskRun', row: taskRun('t2', { name: 'x' }) });
        expect((await store.load()).taskRuns.map((row) => row.id)).toEqual(['t2']);
        expect(await store.takenNames('onDemandTask', ['x', 'y'])).toEqual(new Set(['x']));
      });

      test('a repeated write of an ended task does not free the name of its successor', async () => {
        await commit(
          { op: 'insertTaskRun', row: taskRun('t1', { name: 'x', state: 'queued' }) },
          { op: 'insertAttempt', row: attempt('a1', 't1') },
        );
        await commit(
          { op: 'updateTaskRun', id: 't1', patch: { state: 'cancelled' } },
          { op: 'updateAttempt', id: 'a1', patch: { state: 'cancelled' } },
          { op: 'insertTaskRun', row: taskRun('t2', { name: 'x' }) },
          { op: 'insertAttempt', row: attempt('a2', 't1', { number: 2 }) },
        );
        await commit(
          { op: 'updateTaskRun', id: 't1', patch: { meta: { note: 'late' } } },
          { op: 'updateAttempt', id: 'a1', patch: { endedAt: t0 } },
        );
        await refused('duplicate_name', [{ op: 'insertTaskRun', row: taskRun('t3', { name: 'x' }) }]);
        await refused('wrong_state', [{ op: 'insertAttempt', row: attempt('a3', 't1', { number: 3 }) }]);
      });

      test('a task of a run may have the name of an on-demand task, but not of another task of the run', async () => {
        await commit(
          { op: 'insertProtocolRun', row: protocolRun('r1') },
          { op: 'insertTaskRun', row: taskRun('t1', { name: 'x' }) },
          { op: 'insertTaskRun', row: taskRun('t2', { name: 'x', runId: 'r1' }) },
        );
        await refused('wrong_state', [
          { op: 'insertTaskRun', row: taskRun('t3', { name: 'x', runId: 'r1' }) },
        ]);
        expect(await store.takenNames('onDemandTask', ['y'])).toEqual(new Set());
      });

      test('a task run has at most one unfinished attempt', async () => {
        await commit(
          { op: 'insertTaskRun', row: taskRun('t1') },
          { op: 'insertAttempt', row: attempt('a1', 't1') },
        );
        await refused('wrong_state', [{ op: 'insertAttempt', row: attempt('a2', 't1', { number: 2 }) }]);
        await commit({ op: 'updateAttempt', id: 'a1', patch: { state: 'never_ran' } });
        await commit({ op: 'insertAttempt', row: attempt('a2', 't1', { number: 2 }) });
      });

      test('an identifier is used once', async () => {
        await commit({ op: 'insertTaskRun', row: taskRun('t1') });
        await refused('wrong_state', [{ op: 'insertTaskRun', row: taskRun('t1', { name: 'other' }) }]);
      });

      test.each<[string, Change]>([
        ['campaign', { op: 'updateCampaign', id: 'none', patch: { priority: 1 } }],
        ['protocol run', { op: 'updateProtocolRun', id: 'none', patch: { priority: 1 } }],
        ['task run', { op: 'updateTaskRun', id: 'none', patch: { priority: 1 } }],
        ['attempt', { op: 'updateAttempt', id: 'none', patch: { state: 'failed' } }],
      ])('an update of a %s that does not exist is refused', async (what, change) => {
        await refused('wrong_state', [change], new RegExp(`there is no ${what} none`));
      });

      test.each<[string, Change[], Change]>([
        [
          'campaign',
          [{ op: 'insertCampaign', row: campaign('x', { state: 'completed' }) }],
          { op: 'updateCampaign', id: 'x', patch: { state: 'running' } },
        ],
        [
          'protocol run',
          [{ op: 'insertProtocolRun', row: protocolRun('x', { state: 'created' }) }],
          { op: 'updateProtocolRun', id: 'x', patch: { state: 'completed' } },
        ],
        [
          'task run',
          [{ op: 'insertTaskRun', row: taskRun('x', { state: 'cancelled' }) }],
          { op: 'updateTaskRun', id: 'x', patch: { state: 'running' } },
        ],
        [
          'attempt',
          [
            { op: 'insertTaskRun', row: taskRun('t1') },
            { op: 'insertAttempt', row: attempt('x', 't1', { state: 'completed' }) },
          ],
          { op: 'updateAttempt', id: 'x', patch: { state: 'running' } },
        ],
      ])('a %s changes its state only as the table permits', async (_what, setup, change) => {
        await commit(...setup);
        await refused('wrong_state', [change], /cannot become/);
      });

      test('states are judged step by step within a commit', async () => {
        await commit({ op: 'insertTaskRun', row: taskRun('t1', { state: 'queued' }) });
        await refused('wrong_state', [
          { op: 'updateTaskRun', id: 't1', patch: { state: 'cancelled' } },
          { op: 'updateTaskRun', id: 't1', patch: { state: 'running' } },
        ]);
        await refused('wrong_state', [
          { op: 'insertTaskRun', row: taskRun('t2') },
          { op: 'updateTaskRun', id: 't2', patch: { state: 'completed' } },
        ]);
      });

      test('a state may be written again unchanged', async () => {
        await commit({ op: 'insertTaskRun', row: taskRun('t1', { state: 'queued' }) });
        await commit({ op: 'updateTaskRun', id: 't1', patch: { state: 'queued', priority: 5 } });
        expect((await store.load()).taskRuns).toEqual([taskRun('t1', { state: 'queued', priority: 5 })]);
      });
    });

    describe('allocations', () => {
      beforeEach(() =>
        commit(
          { op: 'insertProtocolRun', row: protocolRun('r1') },
          { op: 'insertProtocolRun', row: protocolRun('r2') },
          { op: 'insertTaskRun', row: taskRun('t1', { runId: 'r1' }) },
          { op: 'insertTaskRun', row: taskRun('t2', { runId: 'r1' }) },
        ),
      );

      test('a claim takes a free unit and raises the fence by one', async () => {
        await commit({ op: 'claim', ...device, taskRunId: 't1', fence: 1, at: t0 });
        await refused(
          'wrong_state',
          [{ op: 'claim', ...device, taskRunId: 't2', fence: 2, at: t0 }],
          /not free/,
        );
        await commit({ op: 'release', ...device, at: t0 + 2 });
        await refused(
          'wrong_state',
          [{ op: 'claim', ...device, taskRunId: 't2', fence: 1, at: t0 }],
          /fence/,
        );
        await refused(
          'wrong_state',
          [{ op: 'claim', ...device, taskRunId: 't2', fence: 3, at: t0 }],
          /fence/,
        );
        await commit({ op: 'claim', ...device, taskRunId: 't2', fence: 2, at: t0 + 9 });
        expect((await store.load()).allocations).toEqual([
          { ...device, taskRunId: 't2', heldByRunId: null, fence: 2, since: t0 + 9 },
        ]);
      });

      test('the first claim of a unit has fence 1', async () => {
        await refused(
          'wrong_state',
          [{ op: 'claim', ...device, taskRunId: 't1', fence: 2, at: t0 }],
          /fence/,
        );
      });

      test('a hold passes only to the next task of the run', async () => {
        await commit({ op: 'claim', ...device, taskRunId: 't1', fence: 1, at: t0 });
        const pass = { op: 'pass', ...device, taskRunId: 't2', at: t0 + 1 } as const;
        await refused('wrong_state', [{ ...pass, runId: 'r1', fence: 2 }], /not held/);
        await refused(
          'wrong_state',
          [{ op: 'hold', ...device, taskRunId: 't2', runId: 'r1' }],
          /not allocated/,
        );
        await commit({ op: 'hold', ...device, taskRunId: 't1', runId: 'r1' });
        expect((await store.load()).allocations).toEqual([
          { ...device, taskRunId: 't1', heldByRunId: 'r1', fence: 1, since: t0 },
        ]);
        await refused(
          'wrong_state',
          [{ op: 'claim', ...device, taskRunId: 't2', fence: 2, at: t0 }],
          /not free/,
        );
        await refused('wrong_state', [{ ...pass, runId: 'r2', fence: 2 }], /not held/);
        await refused('wrong_state', [{ ...pass, runId: 'r1', fence: 3 }], /fence/);
        await commit({ ...pass, runId: 'r1', fence: 2 });
        expect((await store.load()).allocations).toEqual([
          { ...device, taskRunId: 't2', heldByRunId: 'r1', fence: 2, since: t0 + 1 },
        ]);
        await commit({ op: 'release', ...device, at: t0 + 2 });
        expect((await store.load()).allocations).toEqual([
          { ...device, taskRunId: null, heldByRunId: null, fence: 2, since: t0 + 2 },
        ]);
      });

      test('a release makes the unit free for a claim in the same commit', async () => {
        await commit({ op: 'claim', ...device, taskRunId: 't1', fence: 1, at: t0 });
        await commit(
          { op: 'release', ...device, at: t0 + 1 },
          { op: 'claim', ...device, taskRunId: 't2', fence: 2, at: t0 + 1 },
        );
        expect((await store.load()).allocations).toMatchObject([{ taskRunId: 't2', fence: 2 }]);
      });

      test('a device and a resource of the same name are different', async () => {
        await commit(
          { op: 'claim', kind: 'device', key: 'x', taskRunId: 't1', fence: 1, at: t0 },
          { op: 'claim', kind: 'resource', key: 'x', taskRunId: 't2', fence: 1, at: t0 },
        );
        expect((await store.load()).allocations).toHaveLength(2);
      });

      test('a unit that nobody ever claimed may be released', async () => {
        await commit({ op: 'release', ...device, at: t0 + 2 });
        await commit({ op: 'claim', ...device, taskRunId: 't1', fence: 1, at: t0 });
      });
    });

    describe('atomicity', () => {
      test('a single conflict cancels the whole commit', async () => {
        await commit(
          { op: 'insertTaskRun', row: taskRun('t1') },
          { op: 'claim', ...device, taskRunId: 't1', fence: 1, at: t0 },
        );
        const good: Change[] = [
          { op: 'insertCampaign', row: campaign('c1') },
          { op: 'insertTaskRun', row: taskRun('t2') },
          { op: 'updateTaskRun', id: 't1', patch: { state: 'queued' } },
          { op: 'claim', kind: 'resource', key: 'beaker_1', taskRunId: 't2', fence: 1, at: t0 },
          { op: 'putResource', row: { name: 'b', type: 't', lab: 'l', meta: {} } },
          { op: 'putAgent', row: { computer: 'p', inc: 1, session: 's' } },
          { op: 'tell', event: { aggregate: 'task_run/t2', type: 'x', body: {}, at: t0 } },
        ];
        const conflict: Change = { op: 'claim', ...device, taskRunId: 't2', fence: 2, at: t0 };
        await refused('wrong_state', [...good, conflict]);
        await refused('wrong_state', [...good.slice(0, 2), conflict, ...good.slice(2)]);
        expect(await under.events()).toEqual([]);
        await commit(...good);
        expect(await under.events()).toHaveLength(1);
      });

      test('events of one record are numbered without gaps', async () => {
        const tell = (aggregate: string, type: string): Change => ({
          op: 'tell',
          event: { aggregate, type, body: { type }, at: t0 },
        });
        await commit(tell('task_run/a', '1'), tell('task_run/b', '2'), tell('task_run/a', '3'));
        await refused('wrong_state', [
          tell('task_run/a', 'lost'),
          { op: 'updateTaskRun', id: 'none', patch: {} },
        ]);
        await commit(tell('task_run/a', '4'));
        expect(
          (await under.events()).map(({ aggregate, seq, type, at }) => [aggregate, seq, type, at]),
        ).toEqual([
          ['task_run/a', 1, '1', t0],
          ['task_run/b', 1, '2', t0],
          ['task_run/a', 2, '3', t0],
          ['task_run/a', 3, '4', t0],
        ]);
      });
    });

    test('only the definitions of unfinished work are loaded', async () => {
      await commit(
        { op: 'putDefinition', row: { ...definition, hash: 'unused' } as typeof definition },
        { op: 'insertProtocolRun', row: protocolRun('r1') },
      );
      expect((await store.load()).definitions.map((row) => row.hash)).toEqual([hash]);
    });
  });
}
