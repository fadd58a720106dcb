import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AttentionRecord, Page, UsageRecord } from '@lab/contracts';
import { eventually, isOver } from './api.js';
import { startLab, type Lab } from './lab.js';
import { svc } from './svc.js';

/** What docs/guide/quotas.md promises, with the whole service. A run of a campaign here has two task runs, and a note three files. */

let root = '';
let lab: Lab;

const config = `
retention: { undo_hours: 0 }
quotas:
  owners:
    ada: { records: 4 }
    bob: { records: 100, files_gb: 0.000001 }
`;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-quotas-'));
  const path = join(root, 'config.yml');
  await writeFile(path, config);
  lab = await startLab(['multiplication_lab'], { dataDir: join(root, 'data'), env: { SVC_CONFIG: path } });
  await lab.withAgent('bench_b');
});
afterAll(async () => {
  await lab.stack.dispose();
  await rm(root, { recursive: true, force: true });
});

const campaign = (name: string, owner: string, runs: number) => ({
  ...{ name, protocol: 'multiplication_of_a_file', max_protocol_runs: runs, owner },
  global_parameters: { write: { text: '6\n7\n2' } },
});
const note = (name: string, owner: string) => ({
  ...{ name, owner, type: 'write_file' },
  input_parameters: { text: 'x' },
});
const usageOf = async (name: string): Promise<UsageRecord | undefined> =>
  (await lab.api.call<Page<UsageRecord>>('GET', `/api/usage?kind=owner&name=${name}`)).body.items[0];
const remove = (kind: 'tasks' | 'campaigns', name: string, what = 'everything') =>
  lab.api.call('POST', `/api/${kind}/${name}/delete`, { reason: 'a test', what, by: 'ada' });
const codes = async (): Promise<string[]> =>
  (await lab.api.call<Page<AttentionRecord>>('GET', '/api/attention?state=open')).body.items.map(
    ({ reason }) => reason.code,
  );

it('a campaign waits at the limit of its owner, loses nothing, and goes on when work is deleted', async () => {
  expect((await lab.api.submit('tasks', note('first', 'ada'))).status).toBe(201);
  await eventually(() => lab.api.task('first'), isOver);
  expect((await lab.api.submit('campaigns', campaign('c', 'ada', 2))).status).toBe(201);
  const waiting = await eventually(
    () => lab.api.campaign('c'),
    ({ reason, protocol_runs_completed: done }) => reason?.code === 'waiting_for_quota' && done === 1,
  );
  expect(waiting).toMatchObject({ state: 'running', protocol_runs: [{ state: 'completed' }] });
  expect((await codes()).sort()).toEqual(['waits_for_quota']);
  expect(await usageOf('ada')).toMatchObject({ records: 3, max_records: 4, share: 0.75, max_bytes: null });

  const refused = await lab.api.submit('campaigns', campaign('d', 'ada', 1));
  expect(refused).toMatchObject({
    status: 409,
    body: {
      code: 'quota_exceeded',
      effect: 'none',
      detail: expect.stringContaining(
        'owner "ada" has 3 of at most 4 task runs, and this needs 2 more',
      ) as string,
    },
  });
  const dry = await lab.api.call('POST', '/api/campaigns?dry_run=true', campaign('d', 'ada', 1));
  expect(dry).toMatchObject({ status: 409, body: { code: 'quota_exceeded' } });
  // Exactly the limit, and no more.
  expect((await lab.api.submit('tasks', note('second', 'ada'))).status).toBe(201);
  expect((await lab.api.submit('tasks', note('third', 'ada'))).status).toBe(409);
  await eventually(codes, (open) => open.includes('quota_nearly_used'));
  expect((await lab.api.submit('tasks', note('third', 'eve'))).status).toBe(201);

  for (const name of ['first', 'second']) {
    await eventually(() => lab.api.task(name), isOver);
    expect((await remove('tasks', name)).status).toBe(200);
  }
  expect(await eventually(() => lab.api.campaign('c'), isOver)).toMatchObject({
    ...{ state: 'completed', protocol_runs_completed: 2, reason: null },
  });
  await remove('campaigns', 'c');
  await eventually(
    () => usageOf('ada'),
    (used) => used?.records === 0 && used.bytes === 0,
  );
  expect((await lab.api.submit('campaigns', campaign('d', 'ada', 2))).status).toBe(201);
  expect(await eventually(() => lab.api.campaign('d'), isOver)).toMatchObject({ state: 'completed' });
  expect(await eventually(codes, (open) => !open.includes('waits_for_quota'))).toEqual(['quota_nearly_used']);
});

it('files of accepted work are stored beyond the limit, and their deletion makes room', async () => {
  const names = ['one', 'two', 'three'];
  await lab.api.call('POST', '/api/queue/pause', { by: 'eve' });
  for (const name of names) expect((await lab.api.submit('tasks', note(name, 'bob'))).status).toBe(201);
  await lab.api.call('POST', '/api/queue/resume', { by: 'eve' });
  for (const name of names)
    expect(await eventually(() => lab.api.task(name), isOver)).toMatchObject({ state: 'completed' });
  const used = await usageOf('bob');
  expect(used).toMatchObject({ records: 3, files: 9, max_bytes: 1_000 });
  expect(used?.bytes).toBeGreaterThan(3_000);
  expect((await lab.api.submit('tasks', note('four', 'bob'))).body).toMatchObject({
    code: 'quota_exceeded',
    detail: expect.stringContaining('of files, and the limit is 1 kB') as string,
  });
  for (const name of names) await remove('tasks', name, 'files');
  await eventually(
    () => usageOf('bob'),
    (now) => now?.bytes === 0,
  );
  expect(await usageOf('bob')).toMatchObject({ records: 3, files: 0, bytes: 0 });
  expect((await lab.api.submit('tasks', note('four', 'bob'))).status).toBe(201);
});

it('the command and the metrics show what is used', async () => {
  const of = { SVC_URL: lab.stack.url };
  const { out } = await svc(of, 'usage', '--kind', 'owner', '--sort', '-name', '--limit', '2');
  expect(out.split('\n')[0]).toMatch(/^KIND +NAME +RECORDS +AT MOST +FILES +SIZE +SIZE AT MOST +USED$/);
  expect(out).toMatch(/^owner +bob +4 +100 +/m);
  expect(out).toContain('... and more, with --limit');
  const labs = await lab.api.call<Page<UsageRecord>>('GET', '/api/usage?kind=lab');
  expect(labs.body.items).toMatchObject([{ name: 'multiplication_lab', max_records: null, share: null }]);
  const metrics = await eventually(
    () => fetch(`${lab.stack.url}/metrics`).then((answer) => answer.text()),
    (text) => text.includes('svc_quota_share{'),
  );
  expect(metrics).toMatch(/^svc_quota_share\{.*kind="owner".*\} [1-9.]+$/m);
  expect(metrics).toMatch(/^svc_stored_records\{.*\} [1-9]/m);
});
