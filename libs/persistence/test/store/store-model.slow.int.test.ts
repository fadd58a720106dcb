import { attemptStates, isServiceError, runStates, taskRunStates, trialStates } from '@lab/contracts';
import { MemoryStore } from '@lab/engine/testing';
import type { Change, Store } from '@lab/engine';
import { asRole, testPostgres, type TestPostgres } from '@lab/testkit/testing';
import * as fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore, type PostgresStore } from '../../src/index.js';
import { attempt, campaign, lead, protocolRun, putDefinition, t0, taskRun, trial } from '../rows.js';

let postgres: TestPostgres;

let real: PostgresStore;
let admin: pg.Client;

beforeAll(async () => {
  postgres = await testPostgres();
  real = await openStore({ url: asRole(postgres.url, 'orchestrator') });
  admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
});

afterAll(async () => {
  await real.close();
  await admin.end();
  await postgres.stop();
});

const taskIds = ['t0', 't1', 't2', 't3'];
const runIds = ['r0', 'r1'];

/** Rows that changes may refer to. Chance decides whether a change is valid in the present state. */
const setup: Change[] = [
  putDefinition,
  { op: 'insertCampaign', row: campaign('c0') },
  ...runIds.map((id): Change => ({ op: 'insertProtocolRun', row: protocolRun(id, { campaignId: 'c0' }) })),
  ...taskIds.map((id, n): Change => ({
    op: 'insertTaskRun',
    row: taskRun(id, { runId: n < 2 ? 'r0' : null, state: 'queued' }),
  })),
];

const id = fc.constantFrom('n0', 'n1', 'n2');
const name = fc.constantFrom('x', 'y', 'task t2');
const task = fc.constantFrom(...taskIds);
const run = fc.constantFrom(...runIds);
const spot = fc.record({
  kind: fc.constantFrom('device' as const, 'resource' as const),
  key: fc.constantFrom('a', 'b'),
});
const fence = fc.integer({ min: 1, max: 4 });
const at = fc.integer({ min: t0, max: t0 + 86_400_000 });
const json = fc
  .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, never>)
  .filter((value) => !/\\u(0000|d[89a-f])/.test(JSON.stringify(value)));
const reason = fc
  .option(fc.record({ code: fc.constant('c'), message: fc.string({ maxLength: 5 }) }), { nil: null })
  .filter((value) => value === null || (value.message.isWellFormed() && !value.message.includes('\u0000')));

const update = fc.oneof(
  fc.record({
    op: fc.constant('updateTaskRun' as const),
    id: fc.oneof(task, id),
    patch: fc.record(
      {
        state: fc.constantFrom(...taskRunStates),
        meta: json,
        reason,
        startedAt: fc.option(at, { nil: null }),
        outputParameters: json,
        outputFiles: fc.constant(null).map(() => [{ name: 'f', size: 5, sha256: '' }]),
      },
      { requiredKeys: ['state'] },
    ),
  }),
  fc.record({
    op: fc.constant('updateProtocolRun' as const),
    id: fc.oneof(run, id),
    patch: fc.record(
      { state: fc.constantFrom(...runStates), parameters: fc.constant({}), endedAt: at },
      { requiredKeys: ['state'] },
    ),
  }),
  fc.record({
    op: fc.constant('updateCampaign' as const),
    id: fc.constantFrom('c0', 'n0'),
    patch: fc.record(
      { state: fc.constantFrom(...runStates), runsStarted: fc.nat(9) },
      { requiredKeys: ['state'] },
    ),
  }),
  fc.record({
    op: fc.constant('updateAttempt' as const),
    id,
    patch: fc.record({ state: fc.constantFrom(...attemptStates), reason }, { requiredKeys: ['state'] }),
  }),
  fc.record({
    op: fc.constant('updateTrial' as const),
    id: fc.constantFrom('c0/1', 'c0/2', 'n0/1'),
    patch: fc.record(
      {
        state: fc.constantFrom(...trialStates),
        outputs: fc.constant({ 'analyze.score': 0.1 }),
        additional: json,
      },
      { requiredKeys: ['state'] },
    ),
  }),
);
let numbers = 0;
const insert = fc.oneof(
  fc.tuple(id, name, fc.option(run, { nil: null })).map(([key, label, runId]): Change => ({
    op: 'insertTaskRun',
    row: taskRun(key, { name: label, runId }),
  })),
  fc
    .tuple(id, name)
    .map(([key, label]): Change => ({ op: 'insertProtocolRun', row: protocolRun(key, { name: label }) })),
  fc
    .tuple(id, name)
    .map(([key, label]): Change => ({ op: 'insertCampaign', row: campaign(key, { name: label }) })),
  fc
    .tuple(id, task)
    .map(([key, of]): Change => ({ op: 'insertAttempt', row: attempt(key, of, { number: (numbers += 1) }) })),
  fc.integer({ min: 1, max: 3 }).map((n): Change => ({ op: 'insertTrial', row: trial('c0', n) })),
);
const other = fc
  .oneof(
    fc.record({ op: fc.constant('claim' as const), taskRunId: task, fence, at, spot }),
    fc.record({ op: fc.constant('pass' as const), runId: run, taskRunId: task, fence, at, spot }),
    fc.record({ op: fc.constant('hold' as const), taskRunId: task, runId: run, spot }),
    fc.record({ op: fc.constant('release' as const), at, spot }),
  )
  .map(({ spot: where, ...change }): Change => ({ ...change, ...where }));
const put = fc.oneof(
  fc.record({
    op: fc.constant('putResource' as const),
    row: fc.record({ name, type: name, lab: name, meta: json }),
  }),
  fc.record({
    op: fc.constant('putAgent' as const),
    row: fc.record({ computer: name, inc: fc.nat(), session: name }),
  }),
  fc.record({
    op: fc.constant('tell' as const),
    event: fc.record({ aggregate: name, type: name, body: json, at }),
  }),
);

/** Updates stand before inserts, as names and attempts are judged by the outcome of a commit. */
const commit = fc
  .tuple(
    fc.array(update, { maxLength: 2 }),
    fc.array(insert, { maxLength: 2 }),
    fc.array(fc.oneof(other, put), { maxLength: 3 }),
  )
  .map((parts): Change[] => parts.flat());

test('any sequence of commits has the same outcome and leaves the same rows as in memory', async () => {
  let applied = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(commit, { minLength: 5, maxLength: 25 }), async (commits) => {
      await admin.query(
        'truncate campaign, protocol_run, task_run, attempt, trial, allocation, resource, agent, attention, emergency_stop, queue_pause, drain, audit, definition, outbox, usage, stored_files, definition_lab',
      );
      const memory = new MemoryStore();
      const epochs = [await lead(memory, 'x'), await lead(real, 'x')] as const;
      for (const changes of [setup, ...commits]) {
        const expected = await outcome(memory, epochs[0], changes);
        const actual = await outcome(real, epochs[1], changes);
        // The store may report any of several conflicts.
        if (changes.length === 1) expect(actual).toBe(expected);
        else expect(actual === 'applied').toBe(expected === 'applied');
        if (actual === 'applied') applied += 1;
        else refused += 1;
      }
      expect(ordered(await real.load())).toEqual(ordered(await memory.load()));
      for (const kind of ['protocolRun', 'campaign', 'onDemandTask'] as const)
        expect(await real.takenNames(kind, ['x', 'y', 'task t2', 'z'])).toEqual(
          await memory.takenNames(kind, ['x', 'y', 'task t2', 'z']),
        );
    }),
    { numRuns: 40 },
  );
  expect(Math.min(applied, refused)).toBeGreaterThan(40);
});

async function outcome(store: Store, epoch: number, changes: Change[]): Promise<string> {
  try {
    await store.commit(epoch, changes);
    return 'applied';
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return error.code;
  }
}

/** Rows sorted by their text, because the port promises no order. */
function ordered(rows: Awaited<ReturnType<Store['load']>>): Record<string, unknown[]> {
  const byKey = (a: object, b: object): number => (keyOf(a) < keyOf(b) ? -1 : 1);
  return Object.fromEntries(
    Object.entries(rows).map(([table, list]) => [table, [...(list as object[])].sort(byKey)]),
  );
}

function keyOf(row: object): string {
  const {
    kind = '',
    id: own = '',
    key = '',
    name: label = '',
    computer = '',
    hash = '',
  } = row as Record<string, string>;
  return [kind, own, key, label, computer, hash].join('/');
}
