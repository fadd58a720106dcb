import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EffectRecord } from '@lab/contracts';
import { eventually, isOver } from './api.js';
import { startFaultyLab, type Lab } from './lab.js';

/** The question of an auditor: who moved the device, when, with what, and with which code. */

const svc = fileURLToPath(new URL('../apps/cli/bin/svc.mjs', import.meta.url));
const place = 'faulty_lab';

let lab: Lab;

beforeAll(async () => {
  lab = await startFaultyLab();
});
afterAll(() => lab?.stack.dispose());

const say = (...args: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [svc, ...args, '--url', lab.api.url], (error, out) =>
      error === null ? resolve(out) : reject(new Error(out, { cause: error })),
    );
  });

/** The stored calls of a function of `brittle`, oldest first, once the last is one of ann and all have ended. */
const callsOf = (name: string): Promise<EffectRecord[]> =>
  eventually(
    async () =>
      (
        await lab.api.all<EffectRecord>(`/api/effects?lab=${place}&device=brittle&function=${name}`)
      ).reverse(),
    (calls) => calls.at(-1)?.person === 'ann' && calls.every(({ state }) => state !== 'running'),
  );

describe('the record of what moved', () => {
  it('names task, person, arguments, result and code of each call, and the code can be read', async () => {
    const { api } = lab;
    const brittle = { brittle: { lab_name: place, name: 'brittle' } };
    await api.submit('tasks', {
      ...{ name: 'mover', type: 'misbehave', devices: brittle },
      input_parameters: { mode: 'long_step' },
    });
    await eventually(
      () => api.device('brittle'),
      ({ doing }) => doing?.function === 'step',
    );
    const running = await eventually(
      () => api.all<EffectRecord>('/api/effects?state=running'),
      (calls) => calls.length > 0,
    );
    expect(running[0]).toMatchObject({ task: 'mover', device: 'brittle', ended_at: null });

    // A task has the device: a person needs a reason, also with authentication off.
    const held = await api.rpc<{ code: string }>(place, 'brittle', 'step', { seconds: 0 });
    expect([held.status, held.body.code]).toEqual([409, 'device_in_use']);
    await api.call('POST', '/api/tasks/mover/cancel');
    await eventually(() => api.task('mover'), isOver);

    const step = `/api/rpc/${place}/brittle/step?by=ann`;
    expect((await api.call('POST', step, { seconds: 0.1 })).status).toBe(200);
    await api.call('POST', `/api/rpc/${place}/brittle/fail?by=ann`, { message: 'no grip' });

    const steps = await callsOf('step');
    expect(steps[0]).toMatchObject({ task: 'mover', person: null, computer: 'svc_computer' });
    const last = steps.at(-1);
    expect(last).toMatchObject({
      ...{ person: 'ann', task: null, attempt_id: null, arguments: { seconds: 0.1 }, state: 'completed' },
      ...{ error: null, result: { steps: expect.any(Number) as number } },
    });
    const tookMs = Date.parse(last?.ended_at ?? '') - Date.parse(last?.began_at ?? '');
    expect(tookMs).toBeGreaterThanOrEqual(90);
    expect(Math.abs(last?.clock_offset_ms ?? Infinity)).toBeLessThan(1_000);
    const [failed] = await callsOf('fail');
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'device_error' } });
    expect(failed?.error?.message).toContain('no grip');

    const now = new Date();
    const time = `${now.getHours()}:${String(now.getMinutes()).padStart(2, '0')}`;
    const said = await say('effects', '--device', `${place}.brittle`, '--around', time);
    expect(said).toMatch(/faulty_lab\.brittle +step \{"seconds":0\.1\} +ann +completed/);
    expect(said).toMatch(/faulty_lab\.brittle +step .* mover +/);
    expect(await say('effects', last?.id ?? '')).toContain('by            ann');
    expect(await say('code', last?.code_hash ?? '')).toContain('the step was stopped half way');
    expect(await say('audit')).toMatch(/ACTION|no acts/);
  });
});
