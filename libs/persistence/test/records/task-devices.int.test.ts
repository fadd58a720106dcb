import { testPostgres, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openRecords, openStore } from '../../src/index.js';

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());

/** Ended tasks of 300 devices in turn. */
const tasks = `
insert into definition (hash, kind, body) values ('h', 'protocol',
  '{"protocol": {"type": "p"}, "tasks": {"mix": {"type": "mix", "module": {"hash": "m"}}}}');
insert into task_run (id, name, type, owner, priority, state, definition_hash, devices, resources, input_parameters, input_files,
  output_files, attempt, failures, failure_policy, meta, created_at)
select 't' || lpad(n::text, 5, '0'), 'task_' || n, 'mix', 'ada', 0, 'completed', 'h', jsonb_build_object('arm',
  jsonb_build_object('lab_name', 'hall', 'name', 'robot_' || n % 300)), '{}', '{}', '{}', '[]', 1, 0, '{}', '{}',
  now() - make_interval(secs => 9000 - n)
from generate_series(1, 9000) n;
analyze;`;

test('the tasks of one device among hundreds are found by an index, newest first', async () => {
  const { url } = await postgres.freshDatabase();
  await (await openStore({ url })).close();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await admin.query(tasks);
    const records = openRecords({ url });
    const page = await records.list('tasks', {
      sort: 'created_at',
      descending: true,
      limit: 50,
      after: null,
      filters: { device: 'hall.robot_7', archived: 'false' },
    });
    expect(page.items.map(({ name }) => name)).toEqual(
      Array.from({ length: 30 }, (_, n) => `task_${8_707 - n * 300}`),
    );
    // A session reports its use of indexes when it ends.
    await records.close();
    await vi.waitFor(async () => {
      const { rows } = await admin.query<{ scans: number }>(
        `select idx_scan::int as scans from pg_stat_user_indexes where indexrelname = 'task_run_devices'`,
      );
      expect(rows).toEqual([{ scans: 1 }]);
    });
  } finally {
    await admin.end();
  }
});
