import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DeletionRecord, LegalHoldRecord } from '@lab/contracts';
import { eventually, isOver } from './api.js';
import { startLab, type Lab } from './lab.js';
import { svc } from './svc.js';

/** What docs/guide/deleting.md promises, with the whole service. */

let root = '';
let lab: Lab;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-deletion-'));
  const config = join(root, 'config.yml');
  await writeFile(config, 'retention: { undo_hours: 0 }\n');
  lab = await startLab(['multiplication_lab'], { dataDir: join(root, 'data'), env: { SVC_CONFIG: config } });
  await lab.withAgent('bench_b');
});
afterAll(async () => {
  await lab.stack.dispose();
  await rm(root, { recursive: true, force: true });
});

/** A campaign of which each run has a file, over. */
async function campaign(name: string): Promise<void> {
  const body = {
    ...{ name, protocol: 'multiplication_of_a_file', max_protocol_runs: 3, owner: 'ada' },
    global_parameters: { write: { text: '6\n7\n2' } },
  };
  expect((await lab.api.submit('campaigns', body)).status).toBe(201);
  expect(await eventually(() => lab.api.campaign(name), isOver)).toMatchObject({ state: 'completed' });
}

const filesOnDisk = async (): Promise<string[]> =>
  (await readdir(join(root, 'data', 'files', 'objects'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
const deletionOf = (name: string): Promise<DeletionRecord | undefined> =>
  lab.api.all<DeletionRecord>('/api/deletions').then((all) => all.find((each) => each.name === name));
const isDone = (deletion: DeletionRecord | undefined): boolean => deletion?.state === 'done';

it('deletes a campaign with its files and records, and keeps everything else', async () => {
  await campaign('kept');
  await campaign('doomed');
  const before = await filesOnDisk();
  const of = { SVC_URL: lab.stack.url };
  const said = await svc(of, 'delete', 'campaign', 'doomed', '--reason', 'a test', '--by', 'ada');
  expect([said.err, said.code]).toEqual(['', 0]);
  const done = await eventually(() => deletionOf('doomed'), isDone);
  expect(done).toMatchObject({ owner: 'ada', removed: { task_runs: 6 }, ended_by: null });
  expect(done?.removed?.files).toBeGreaterThan(0);
  expect(before.length - (await filesOnDisk()).length).toBe(done?.removed?.files);
  for (const path of [
    'campaigns/doomed',
    'protocols/doomed_run_1',
    'tasks/write?protocol_run_name=doomed_run_1',
  ])
    expect((await lab.api.call('GET', `/api/${path}`)).status).toBe(404);
  expect(await lab.api.all('/api/logs?campaign=doomed')).toEqual([]);
  expect(await lab.api.all('/api/tasks?campaign=kept')).toHaveLength(6);
  const zip = await fetch(`${lab.stack.url}/api/campaigns/kept/files.zip`);
  expect([zip.status, (await zip.arrayBuffer()).byteLength > 100]).toEqual([200, true]);
  const acts = (await lab.api.all<{ action: string }>('/api/audit?subject=campaign/doomed')).map(
    ({ action }) => action,
  );
  expect(acts.filter((act) => act.startsWith('campaign.'))).toEqual([
    'campaign.deleted',
    'campaign.delete',
    'campaign.archive',
  ]);
  // The name is free, and the journal of the devices is whole.
  await campaign('doomed');
  expect((await lab.api.all('/api/effects?campaign=doomed')).length).toBeGreaterThan(3);
});

it('deletes only the files of work, whose records say what they were', async () => {
  await lab.api.submit('tasks', { name: 'notes', type: 'write_file', input_parameters: { text: 'x' } });
  const before = await eventually(() => lab.api.task('notes'), isOver);
  const body = { reason: 'too large', what: 'files', by: 'ada' };
  expect((await lab.api.call('POST', '/api/tasks/notes/delete', body)).status).toBe(200);
  await eventually(() => deletionOf('notes'), isDone);
  expect(await lab.api.task('notes')).toEqual(before);
  const gone = await lab.api.call<{ detail: string }>('GET', '/api/tasks/notes/files/notes.txt');
  expect([gone.status, gone.body.detail]).toEqual([
    404,
    expect.stringMatching(/^The files of this work were deleted at .* by ada: too large\.$/),
  ]);
});

it('a legal hold prevents a deletion until it is released', async () => {
  await lab.api.submit('tasks', { name: 'proof', type: 'write_file', input_parameters: { text: 'x' } });
  await eventually(() => lab.api.task('proof'), isOver);
  const asked = { kind: 'task_run', name: 'proof', reason: 'dispute 17', by: 'eve' };
  const hold = await lab.api.call<LegalHoldRecord>('POST', '/api/legal-holds', asked);
  expect(hold.status).toBe(201);
  const remove = () => lab.api.call('POST', '/api/tasks/proof/delete', { reason: 'a test', by: 'ada' });
  expect(await remove()).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('dispute 17') as string },
  });
  await lab.api.call('POST', `/api/legal-holds/${hold.body.id}/release`, { by: 'eve' });
  expect((await remove()).status).toBe(200);
  await eventually(() => deletionOf('proof'), isDone);
});
