import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditRecord, DeviceDetail, Page, Problem, QueuePage } from '@lab/contracts';
import { eventually, isOver } from './api.js';
import { startFaultyLab, type Lab } from './lab.js';

/** What people do with single devices: out of service, back, and restart. */

let dataDir = '';
let lab: Lab;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-devices-'));
  lab = await startFaultyLab({ dataDir });
});
afterAll(async () => {
  await lab?.stack.dispose();
  await rm(dataDir, { recursive: true, force: true });
});

const at = '/api/labs/multiplication_lab/devices/multiplier_a';
const act = (verb: string, body?: object) =>
  lab.api.call<DeviceDetail & Problem>('POST', `${at}/${verb}`, body);
const multiply = (name: string) =>
  lab.api.submit('tasks', {
    name,
    type: 'multiply',
    devices: { multiplier: { lab_name: 'multiplication_lab', name: 'multiplier_a' } },
    input_parameters: { number: 3, factor: 2 },
  });

describe('a device', () => {
  it('out of service gets no task, also after a restart of the service, until a person puts it back', async () => {
    const disabled = await act('disable', { reason: 'worn', by: 'ada' });
    expect([disabled.status, disabled.body.out_of_service]).toMatchObject([
      200,
      { by: 'ada', reason: 'worn' },
    ]);
    expect((await multiply('waits')).status).toBe(201);
    expect(await lab.stack.stop()).toBe(0);
    lab = await startFaultyLab({ dataDir });
    expect((await lab.api.device('multiplier_a')).out_of_service).toMatchObject({ by: 'ada', until: null });
    const queue = await eventually(
      async () => (await lab.api.call<QueuePage>('GET', '/api/queue')).body,
      ({ items }) => items.length > 0,
    );
    expect(queue.items[0]?.waits_for[0]).toMatchObject({
      code: 'out_of_service',
      unit: 'multiplication_lab.multiplier_a',
      message: expect.stringContaining('by ada: worn') as string,
    });
    expect((await act('enable', { by: 'bob' })).body.out_of_service).toBeNull();
    expect(await eventually(() => lab.api.task('waits'), isOver)).toMatchObject({ state: 'completed' });
  });

  it('that a person restarts initialises again and serves the next task', async () => {
    const restarted = await act('restart', { reason: 'the cable was loose', by: 'ada' });
    expect(restarted.status).toBe(202);
    await multiply('next');
    expect(await eventually(() => lab.api.task('next'), isOver)).toMatchObject({ state: 'completed' });
    const { body } = await lab.api.call<Page<AuditRecord>>('GET', '/api/audit?limit=500');
    const acts = body.items.filter(({ subject }) => subject === 'device/multiplication_lab.multiplier_a');
    expect(acts.map(({ action, by }) => `${action} by ${by}`).sort()).toEqual([
      'device.disable by ada',
      'device.enable by bob',
      'device.restart by ada',
    ]);
  });
});
