import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@lab/sdk';
import { expect } from 'vitest';
import type { DeviceUnderTest } from './device-under-test.js';

/**
 * Sessions with instruments that answer messages. The tests with servers record them when `SVC_RECORDINGS` names a folder
 * (those of each protocol, the slow ones of `@lab/sila`, and `e2e/other-systems.e2e.test.ts`); others replay the recordings.
 */
export interface MessageSession {
  /** Init parameters without the address. */
  parameters: JsonObject;
  run(device: DeviceUnderTest): Promise<void>;
}

export const fixtures = join(import.meta.dirname, '..', 'fixtures');

export const httpSession: MessageSession = {
  parameters: {
    identity: { path: '/info', value: 'serial', equals: 'PR-0042' },
    functions: {
      temperature: { request: { path: '/temperature' }, answer: { path: 'celsius', type: 'float' } },
      set_temperature: {
        parameters: { target: { type: 'float', unit: 'C' } },
        request: { method: 'PUT', path: '/temperature', body: { celsius: '{target}' } },
      },
      measure: {
        parameters: { well: { type: 'str' } },
        request: { method: 'POST', path: '/wells/{well}/measurements', body: { nm: 450 } },
        wait: {
          request: { path: '/measurements/{answer.id}' },
          done: { path: 'state', equals: 'done' },
          every: 0.05,
        },
        answer: { path: 'result.absorbance', type: 'int' },
      },
      refuse: { request: { method: 'POST', path: '/refuse' } },
    },
  },
  async run(device) {
    expect(await device.call('temperature')).toBe(22);
    expect(await device.call('set_temperature', { target: 37.5 })).toBeNull();
    expect(await device.call('temperature')).toBe(37.5);
    expect(await device.call('measure', { well: 'A1' })).toBe(420);
    await expect(device.call('refuse')).rejects.toThrow('the lid is open');
  },
};

export const mqttSession: MessageSession = {
  parameters: {
    identity: { topic: 'bath/serial', value: 'serial', equals: 'WB-7' },
    state: {
      temperature: { topic: 'bath/temperature', path: 'celsius', type: 'float', unit: 'C' },
      phase: { topic: 'bath/phase', type: 'str' },
    },
    functions: {
      read_temperature: { state: 'temperature' },
      set_target: {
        kind: 'idempotent',
        parameters: { target: { type: 'float', unit: 'C' } },
        publish: { topic: 'bath/set/target', payload: { celsius: '{target}' } },
      },
      fill: {
        parameters: { volume: { type: 'float', unit: 'l' } },
        publish: { topic: 'bath/do/fill', payload: { litres: '{volume}' } },
        ...{ request: true, failed: { path: 'ok', equals: false, reason: 'error' } },
        answer: { path: 'level', type: 'float' },
      },
      circulate: { publish: { topic: 'bath/do/circulate' }, until: { state: 'phase', equals: 'mixed' } },
    },
  },
  async run(device) {
    expect(await device.call('fill', { volume: 1.5 })).toBe(1.5);
    expect(await device.call('read_temperature')).toBe(21.5);
    expect(await device.call('set_target', { target: 40 })).toBeUndefined();
    expect(await device.call('circulate')).toBeUndefined();
    await expect(device.call('fill', { volume: 5 })).rejects.toThrow('it would overflow');
  },
};

export const opcuaSession: MessageSession = {
  parameters: {
    security: { policy: 'None' },
    identity: { read: '/Objects/Reactor/SerialNumber', equals: 'R-17' },
    functions: {
      temperature: { read: '/Objects/Reactor/Temperature' },
      set_target: { write: '/Objects/Reactor/Target' },
      target: { read: '/Objects/Reactor/Target' },
      phase: { read: '/Objects/Reactor/Phase' },
      dose: { method: '/Objects/Reactor/Dose' },
    },
  },
  async run(device) {
    expect(await device.call('temperature')).toBe(21.5);
    expect(await device.call('set_target', { value: 37 })).toBeUndefined();
    expect(await device.call('target')).toBe(37);
    expect(await device.call('phase')).toBe('Heating');
    expect(await device.call('dose', { volume: 4.5 })).toBe(4.5);
    await expect(device.call('dose', { volume: 101 })).rejects.toThrow('BadOutOfRange');
  },
};

/** With the feature of the peers of `@lab/sila`. */
export const silaSession: MessageSession = {
  parameters: { insecure: true },
  async run(device) {
    expect(await device.call('Bench_Move', { To: 12, Seconds: 0 })).toEqual({ Position: 12 });
    expect(await device.call('Bench_Position')).toBe(12);
    expect(await device.call('Bench_Heat', { Seconds: 0.2, Fail: false })).toEqual({ Reached: 37.5 });
    await expect(device.call('Bench_Move', { To: 13, Seconds: 0 })).rejects.toThrow(
      'Blocked: the stage is blocked',
    );
    expect(await device.report()).toMatchObject({ lock: 'not held' });
  },
};

/** With the node of MADSci of `e2e/other-systems`: two answers at once, an action that lasts, files in both directions, refusals. */
export const madsciSession: MessageSession = {
  parameters: { node: 'bench', poll: 0.1, functions: { measure: { kind: 'query' } } },
  async run(device) {
    expect(await device.call('measure', { wavelength: 450 })).toMatchObject({
      result: { wavelength: 450, absorbance: 0.42 },
    });
    expect(await device.call('move', { seconds: 0.9, to: 'rack' })).toMatchObject({ result: 'at rack' });
    const copied = (await device.call('copy', { source: { name: 'a.txt', text: 'hello' } })) as JsonObject;
    expect(copied).toMatchObject({ files: ['file'] });
    expect(readFileSync(String(copied['archive'])).toString('latin1')).toMatch(/^PK[\s\S]*HELLO/);
    await device.call('node_lock');
    await expect(device.call('move', { seconds: 0 })).rejects.toThrow(/was not started: Node is locked/);
    await device.call('node_unlock');
    expect(await device.call('node_status')).toMatchObject({ ready: true });
    await expect(device.call('explode')).rejects.toThrow(/^explode is failed: the lamp is broken/);
  },
};

/** With the stand-in for `robot-server`: a run that is played in steps, one at once, a faulty protocol, commands. */
export const opentronsSession: MessageSession = {
  parameters: { serial: 'FLX1', poll: 0.05 },
  async run(device) {
    const file = (text: string): JsonObject => ({ file: { name: 'p.py', text } });
    expect(await device.call('modules')).toMatchObject({ data: [{ id: 'm1' }] });
    const { protocol } = (await device.call('upload_protocol', file('wait 120'))) as JsonObject;
    const { run } = (await device.call('create_run', { protocol: protocol ?? '' })) as JsonObject;
    await device.call('add_offset', { run: run ?? '', offset: { definitionUri: 'a/b/1' } });
    expect(await device.call('play_run', { run: run ?? '' })).toMatchObject({ run, status: 'succeeded' });
    expect(await device.call('run_protocol', file('wait 60'))).toMatchObject({ status: 'succeeded' });
    await expect(device.call('run_protocol', file('bad labware in slot 1'))).rejects.toThrow(
      'the robot would not run p.py: ExceptionInProtocolError: labware in slot 1',
    );
    await expect(device.call('run_protocol', file('crash collision'))).rejects.toThrow(
      /is failed: ExceptionInProtocolError: collision$/,
    );
    expect(await device.call('command', { command_type: 'home', params: {} })).toMatchObject({
      result: { position: 1 },
    });
    await expect(device.call('command', { command_type: 'moveTo', params: { fails: true } })).rejects.toThrow(
      'moveTo failed: tipPhysicallyMissing: No tip',
    );
    expect(await device.call('set_lights', { on: true })).toBeUndefined();
    expect(await device.call('lights')).toEqual({ on: true });
  },
};

/** With the API of EOS of `e2e/other-systems`. */
export const eosSession: MessageSession = {
  parameters: { lab: 'small_lab', device: 'pump_1', functions: { level: { kind: 'query' } } },
  async run(device) {
    expect(await device.call('level')).toBe(80);
    expect(await device.call('dose', { volume: 5, seconds: 0.1 })).toEqual({ dosed: 5 });
    await expect(device.call('explode')).rejects.toThrow(/was refused with 500: the tube is blocked/);
    expect(await device.report()).toMatchObject({ connected: true, report: { ready: true } });
    expect(await device.call('dose', { volume: 2.5 })).toEqual({ dosed: 2.5 });
  },
};

/** Runs a session with a real other end, and keeps its recording as a fixture if somebody wants it. */
export async function recordSession(
  name: string,
  session: MessageSession,
  device: DeviceUnderTest,
): Promise<void> {
  await device.start();
  await session.run(device);
  await device.cleanup();
  const to = process.env['SVC_RECORDINGS'];
  if (to !== undefined) copyFileSync(device.recording(), join(to, `${name}.ndjson`));
}

/** The names of the recordings. */
export const recordedSessions = (): string[] =>
  readdirSync(fixtures)
    .map((file) => file.replace(/\.ndjson$/, ''))
    .sort();
