import { DeviceFileRecord } from '@lab/contracts';
import { deviceFileKey } from '@lab/object-store';
import { describe, expect, it } from 'vitest';
import { expectProblem, sharedHarness, taskRecord } from '../twins.js';

const gateway = sharedHarness();

const id = '5f0c1d0e9a7b4c3d2e1f0a9b8c7d6e5f';
const record: DeviceFileRecord = {
  ...{ id, lab: 'lab', device: 'reader', computer: 'pc', name: 'a.csv', path: 'run/a.csv', size: 5 },
  ...{ sha256: 'b'.repeat(64), media_type: 'text/csv', made_at: '2026-11-28T08:00:00.000Z' },
  ...{ modified_at: '2026-11-28T08:00:01.000Z', stored_at: '2026-11-28T08:00:02.000Z', matched: null },
  ...{ attached_by: null, reason: null, attempt_id: null, task_run_id: null, task: null },
  ...{ protocol_run: null, campaign: null, delete_due_at: null, delete_by: null, delete_reason: null },
};
const address = `/api/labs/lab/devices/reader/files/${id}`;
const attachment = { task: 'measure', reason: 'typed the wrong id', by: 'ada' };

describe('a file of a device', () => {
  it('is listed and read', async () => {
    gateway.records.deviceFiles.push(record);
    expect((await gateway.send('GET', '/api/device-files?lab=lab')).body['items']).toEqual([record]);
    expect((await gateway.send('GET', address)).body).toEqual(record);
  });

  it('is none of another device', async () => {
    gateway.records.deviceFiles.push(record);
    expectProblem(await gateway.send('GET', address.replace('reader', 'other')), 404, 'not_found');
    expectProblem(
      await gateway.send('GET', `${address.replace('/lab/', '/other/')}/content`),
      404,
      'not_found',
    );
  });

  it('is downloaded as it is, to be saved and not shown', async () => {
    gateway.records.deviceFiles.push(record);
    gateway.files.contents.set(deviceFileKey(id), Buffer.from('hello'));
    const { status, headers, text } = await gateway.send('GET', `${address}/content`);
    expect([status, text, headers.get('etag')]).toEqual([200, 'hello', `"${record.sha256}"`]);
    expect(headers.get('content-disposition')).toBe('attachment; filename="a.csv"');
    expect(headers.get('content-security-policy')).toContain('sandbox');
  });

  it('is attached to a task of its laboratory, by the person who asks', async () => {
    gateway.records.deviceFiles.push(record);
    gateway.records.taskRuns.push(taskRecord({ id: 't1', name: 'measure' }));
    gateway.records.labs.set('task_run/t1', ['lab']);
    expect((await gateway.send('POST', `${address}/attach`, attachment)).status).toBe(200);
    const asked = { taskRunId: 't1', by: 'ada', reason: 'typed the wrong id' };
    expect(gateway.deviceFiles.attached).toEqual([[id, { lab: 'lab', name: 'reader' }, asked]]);
  });

  it('is not attached to a task of another laboratory, or without a reason', async () => {
    gateway.records.deviceFiles.push(record);
    gateway.records.taskRuns.push(taskRecord({ id: 't1', name: 'measure' }));
    gateway.records.labs.set('task_run/t1', ['other']);
    expectProblem(await gateway.send('POST', `${address}/attach`, attachment), 404, 'not_found');
    const { reason: _reason, ...without } = attachment;
    expectProblem(await gateway.send('POST', `${address}/attach`, without), 422, 'invalid');
  });

  it('is not attached to a task that has not begun', async () => {
    gateway.records.deviceFiles.push(record);
    gateway.records.taskRuns.push(taskRecord({ id: 't1', name: 'measure' }));
    gateway.records.labs.set('task_run/t1', ['lab']);
    gateway.deviceFiles.hasBegun = false;
    expectProblem(await gateway.send('POST', `${address}/attach`, attachment), 409, 'wrong_state');
    gateway.deviceFiles.hasBegun = true;
  });

  it('is deleted by the person who asks, with a reason', async () => {
    gateway.records.deviceFiles.push(record);
    const asked = { reason: 'a test of the camera', by: 'ada' };
    expect((await gateway.send('POST', `${address}/delete`, asked)).status).toBe(200);
    expect(gateway.deviceFiles.deleted).toEqual([[id, asked]]);
    expectProblem(await gateway.send('POST', `${address}/delete`, { by: 'ada' }), 422, 'invalid');
    expect((await gateway.send('POST', `${address}/keep`, { by: 'ada' })).status).toBe(200);
    expect(gateway.deviceFiles.keptIds).toEqual([id]);
    gateway.deviceFiles.deleted.length = 0;
    expectProblem(await gateway.send('POST', `${address}/keep`, {}), 409, 'wrong_state');
  });

  it.each([
    ['attached', 'belongs to the task "measure"'],
    ['planned', 'has a deletion already, by eve, which begins at 2026-11-30T00:00:00.000Z'],
    ['held', 'a legal hold on the laboratory "lab" is in force'],
  ] as const)('is not deleted when it is %s', async (obstacle, words) => {
    const planned = { delete_by: 'eve', delete_due_at: '2026-11-30T00:00:00.000Z' };
    gateway.records.deviceFiles.push({ ...record, task: 'measure', ...planned });
    gateway.deviceFiles.obstacle = obstacle;
    const answer = await gateway.send('POST', `${address}/delete`, { reason: 'x' });
    gateway.deviceFiles.obstacle = undefined;
    expectProblem(answer, 409, 'wrong_state');
    expect(answer.text).toContain(JSON.stringify(words).slice(1, -1));
  });
});
