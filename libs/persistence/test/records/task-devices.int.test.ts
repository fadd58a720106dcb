import type { ListPosition, ListRequest, Portion, TaskRunRecord } from '@lab/contracts';
import type { Change } from '@lab/engine';
import { asRole, testPostgres, type TestPostgres } from '@lab/testkit/testing';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openRecords, openStore, type PostgresStore, type Records } from '../../src/index.js';
import { lead, putDefinition, t0, taskRun } from '../rows.js';

let postgres: TestPostgres;
let admin: pg.Client;
let store: PostgresStore;
let records: Records;
let epoch: number;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  const { url } = await postgres.freshDatabase();
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
  store = await openStore({ url: asRole(url, 'orchestrator') });
  records = openRecords({ url: asRole(url, 'gateway') });
  epoch = await lead(store, 'first');
  await store.commit(epoch, [putDefinition]);
});
afterEach(async () => {
  await records.close();
  await store.close();
  await admin.end();
});

const devices = ['hall.arm', 'hall.oven', 'cellar.arm', 'cellar.shaker.2'];
type Slots = Record<string, { lab_name: string; name: string }>;
const slots = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(...devices)).map((given) =>
  Object.fromEntries(
    Object.entries(given).map(([slot, device]): [string, Slots[string]] => {
      const [lab_name = '', ...name] = device.split('.');
      return [slot, { lab_name, name: name.join('.') }];
    }),
  ),
);

const of = (device: string): Omit<ListRequest, 'sort' | 'descending'> => ({
  ...{ limit: 3, filters: { device, archived: 'false' }, after: null },
});

async function pagesOf(device: string, sort: string, descending: boolean): Promise<string[]> {
  const seen: string[] = [];
  let after: ListPosition | null = null;
  do {
    const { items, end }: Portion<TaskRunRecord> = await records.list('tasks', {
      ...of(device),
      sort,
      descending,
      after,
    });
    seen.push(...items.map(({ id }) => id));
    after = end;
  } while (after !== null);
  return seen;
}

test('the pages of a device have each task that has it now, once and in order, whatever devices it had', async () => {
  let n = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ first: slots, then: fc.option(slots), tie: fc.nat(4), gone: fc.boolean() }), {
        maxLength: 25,
      }),
      async (given) => {
        await admin.query('delete from task_run');
        const tasks = given.map((each) => ({ ...each, id: `t${String((n += 1)).padStart(6, '0')}` }));
        const insert = ({ id, first, tie }: (typeof tasks)[number]): Change => ({
          op: 'insertTaskRun',
          row: taskRun(id, {
            name: `task ${tie} ${id}`,
            devices: first,
            createdAt: t0 + tie,
            state: 'queued',
          }),
        });
        await store.commit(epoch, tasks.map(insert));
        await store.commit(
          epoch,
          tasks.flatMap(({ id, then }): Change[] => [
            { op: 'updateTaskRun', id, patch: { ...(then === null ? {} : { devices: then }), priority: 1 } },
          ]),
        );
        await admin.query('delete from task_run where id = any($1)', [
          tasks.flatMap(({ gone, id }) => (gone ? [id] : [])),
        ]);
        const stay = tasks.filter(({ gone }) => !gone);
        for (const device of devices) {
          const having = stay.filter(({ first, then }) =>
            Object.values(then ?? first).some(({ lab_name, name }) => `${lab_name}.${name}` === device),
          );
          const inOrder = having.sort((a, b) => a.tie - b.tie || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
          expect(await pagesOf(device, 'created_at', false)).toEqual(inOrder);
          expect(await pagesOf(device, 'created_at', true)).toEqual(inOrder.toReversed());
          expect(await pagesOf(device, 'name', false)).toEqual(inOrder);
        }
        const { rows } = await admin.query(
          'select count(*)::int as left from task_device where not exists ' +
            '(select from task_run where task_run.id = task_device.task_run_id)',
        );
        expect(rows).toEqual([{ left: 0 }]);
      },
    ),
    { numRuns: 30 },
  );
});
