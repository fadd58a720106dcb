import type { DeviceDetail, Problem } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { eventually, isOver } from '../api.js';
import { lab } from './lab.js';

const show = <T = DeviceDetail>(device: string, query = '') =>
  lab.api.call<T>('GET', `/api/labs/faulty_lab/devices/${device}${query}`);

async function steps(): Promise<number> {
  return (await lab.api.rpc<{ steps: number }>('faulty_lab', 'brittle', 'count')).body.steps;
}

describe('the functions of a device', () => {
  it('are listed with description, parameters and timeout', async () => {
    const { status, body } = await show('brittle');
    expect(status).toBe(200);
    expect(body.functions).toContainEqual({
      name: 'step',
      kind: 'effect',
      timeout_s: 60,
      description: 'Counts a step',
      parameters: { seconds: { type: 'float', unit: 's', min: 0, value: 0, desc: 'How long it takes' } },
    });
    expect(body.functions.map(({ name }) => name)).not.toContain('hidden');
    expect(body).not.toHaveProperty('report');
  });

  it('are part of the report of the device on request', async () => {
    expect((await show('brittle', '?report=true')).body.report).toEqual({ steps: await steps(), stops: 0 });
    expect((await show<Problem>('brittle', '?report=yes')).status).toBe(422);
  });

  it('of an unknown device or laboratory are answered with 404', async () => {
    expect((await show<Problem>('none')).body).toMatchObject({ status: 404, code: 'unknown_device' });
    const answer = await lab.api.call<Problem>('GET', '/api/labs/nowhere/devices/brittle');
    expect(answer.body).toMatchObject({ status: 404, code: 'unknown_lab' });
  });
});

describe('a task', () => {
  it.each([
    ['calls_undeclared', 'has no function hidden'],
    ['calls_inherited', 'has no function inherited'],
    ['wrong_argument', 'arguments.seconds: -1 is below the minimum of 0 s'],
  ])('that %s fails with that reason, and the device never receives the call', async (mode, message) => {
    const before = await steps();
    const answer = await lab.api.submit('tasks', {
      name: mode,
      type: 'misbehave',
      devices: { brittle: { lab_name: 'faulty_lab', name: 'brittle' } },
      input_parameters: { mode },
    });
    expect(answer.status).toBe(201);
    const task = await eventually(() => lab.api.task(mode), isOver);
    expect(task.state).toBe('failed');
    expect(task.reason?.message).toContain(message);
    // The task makes one step before it misbehaves.
    expect(await steps()).toBe(before + 1);
  });
});

describe('a call of a device function', () => {
  it.each([
    [{ seconds: -1 }, 'arguments.seconds', 'below_min'],
    [{ seconds: 'long' }, 'arguments.seconds', 'type'],
    [{ second: 1 }, 'arguments.second', 'unknown_parameter'],
  ])(
    'with wrong parameters such as %o is refused with the path before the device receives it',
    async (parameters, path, code) => {
      const before = await steps();
      const { status, body } = await lab.api.rpc<Problem>('faulty_lab', 'brittle', 'step', parameters);
      expect(status).toBe(422);
      expect(body).toMatchObject({ code: 'invalid', effect: 'none', errors: [{ path, code }] });
      expect(await steps()).toBe(before);
    },
  );

  it('is refused when a required parameter is missing', async () => {
    const { body } = await lab.api.rpc<Problem>('multiplication_lab', 'multiplier_a', 'multiply', { a: 2 });
    expect(body).toMatchObject({ status: 422, errors: [{ path: 'arguments.b', code: 'missing_parameter' }] });
  });

  it('with correct parameters reaches the device, with defaults for omitted parameters', async () => {
    const before = await steps();
    const { status, body } = await lab.api.rpc('faulty_lab', 'brittle', 'step');
    expect({ status, body }).toEqual({ status: 200, body: { steps: before + 1 } });
  });
});
