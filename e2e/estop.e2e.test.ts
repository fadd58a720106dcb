import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmergencyStopRecord, EmergencyStopReport } from '@lab/contracts';
import { eventually, isOver } from './api.js';
import { startFaultyLab, type Lab } from './lab.js';

/** An emergency stop during motion, and its effect over a restart of all processes. */

let dataDir = '';
let lab: Lab;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-estop-'));
  lab = await startFaultyLab({ dataDir });
});
afterAll(async () => {
  await lab?.stack.dispose();
  await rm(dataDir, { recursive: true, force: true });
});

const place = 'faulty_lab';
const brittle = { brittle: { lab_name: place, name: 'brittle' } };
const multiplier = { multiplier: { lab_name: 'multiplication_lab', name: 'multiplier_a' } };
const multiply = (name: string) => ({
  name,
  type: 'multiply',
  devices: multiplier,
  input_parameters: { number: 3 },
});

const report = async ({ api }: Lab) =>
  (
    await api.call<{ report?: { steps: number; stops: number } }>(
      'GET',
      `/api/labs/${place}/devices/brittle?report=true`,
    )
  ).body.report;

describe('an emergency stop', () => {
  it('stops moving devices, blocks every start even after a restart, and ends when a person releases it', async () => {
    const first = lab;
    const { api } = first;
    const made = (await api.rpc<{ steps: number }>(place, 'brittle', 'count')).body.steps;
    await api.submit('tasks', {
      name: 'moving',
      type: 'misbehave',
      devices: brittle,
      input_parameters: { mode: 'long_step' },
    });
    await eventually(
      () => api.rpc<{ steps: number }>(place, 'brittle', 'count'),
      (answer) => answer.body.steps === made + 2,
    );

    const stopped = await api.call<EmergencyStopReport>('POST', '/api/estop', { reason: 'spill', by: 'ada' });
    expect(stopped.status).toBe(201);
    const { confirmed, complete, devices: _devices, ...engaged } = stopped.body;
    expect([confirmed, complete]).toEqual([false, true]);
    expect(stopped.body).toMatchObject({ scope: 'all', reason: 'spill', by: 'ada', released_at: null });
    await eventually(
      () => report(first),
      (value) => (value?.stops ?? 0) >= 1,
    );
    const task = await eventually(() => api.task('moving'), isOver);
    expect(task).toMatchObject({ state: 'needs_attention', reason: { code: 'emergency_stop' } });
    const halted = await eventually(
      () => api.device('multiplier_a'),
      (device) => device.halted !== null,
    );
    expect(halted.halted).toContain('spill');

    const call = await api.forcedRpc<{ code: string; effect: string }>(place, 'brittle', 'step');
    expect([call.status, call.body.code, call.body.effect]).toEqual([503, 'device_unavailable', 'none']);
    expect((await api.rpc(place, 'brittle', 'count')).body).toEqual({ steps: made + 2 });
    await api.submit('tasks', multiply('patient'));
    await api.submit('tasks', {
      name: 'without device',
      type: 'write_file',
      input_parameters: { text: 'x' },
    });
    expect(await first.stack.stop()).toBe(0);

    const second = await startFaultyLab({ dataDir, idle: false });
    lab = second;
    expect(await second.api.all<EmergencyStopRecord>('/api/estop')).toEqual([engaged]);
    await eventually(
      () => second.api.devices(),
      (devices) =>
        devices.filter((each) => each.computer === 'svc_computer').every((each) => each.halted !== null),
    );
    expect((await second.api.task('patient')).state).toBe('queued');
    expect((await second.api.task('without device')).state).toBe('queued');

    const released = await second.api.call<EmergencyStopRecord[]>('POST', '/api/estop/release', { by: 'bo' });
    expect([released.status, released.body.map(({ id }) => id)]).toEqual([200, [stopped.body.id]]);
    expect((await eventually(() => second.api.task('patient'), isOver)).state).toBe('completed');
    expect((await eventually(() => second.api.task('without device'), isOver)).state).toBe('completed');
    expect((await second.api.device('brittle')).halted).toBeNull();

    const [item] = (await second.api.attention()).filter(({ subject }) => subject === 'moving');
    expect((await second.api.resolve(item?.id ?? '', { action: 'failed', by: 'bo' })).status).toBe(200);
    expect((await second.api.task('moving')).state).toBe('failed');
    const all = await second.api.all<EmergencyStopRecord>('/api/estop?all=true');
    expect(all.find(({ id }) => id === stopped.body.id)).toMatchObject({ released_by: 'bo' });
  });

  it('of one device does not affect other devices', async () => {
    const { api } = lab;
    const request = { lab_name: place, device_name: 'brittle' };
    const { body, status } = await api.call<EmergencyStopRecord>('POST', '/api/estop', request);
    expect([status, body.scope, body.by]).toEqual([201, `device:${place}.brittle`, 'unknown']);
    await api.submit('tasks', multiply('beside'));
    expect((await eventually(() => api.task('beside'), isOver)).state).toBe('completed');
    await eventually(
      () => api.device('brittle'),
      (device) => device.halted !== null,
    );
    expect((await api.device('multiplier_a')).halted).toBeNull();

    const unknown = await api.call<{ code: string }>('POST', '/api/estop', {
      ...request,
      device_name: 'none',
    });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'unknown_device']);
    await api.call('POST', '/api/estop/release', { id: body.id });
    const twice = await api.call<{ code: string }>('POST', '/api/estop/release', { id: body.id });
    expect([twice.status, twice.body.code]).toEqual([409, 'wrong_state']);
    // The release is on record before the device has left its stop.
    await eventually(
      () => api.device('brittle'),
      (device) => device.halted === null && device.state === 'idle',
    );
    expect(await api.rpc(place, 'brittle', 'step')).toMatchObject({ status: 200 });
  });
});
