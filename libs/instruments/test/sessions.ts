import type { BaseDevice } from '@lab/sdk';
import { expect } from 'vitest';

/**
 * Sessions with instruments. The tests with real other ends record them (`e2e/instrument-peers.e2e.test.ts`); those of this library
 * replay the recordings.
 */
export interface Session {
  /** Init parameters without the transport. */
  parameters: Record<string, unknown>;
  run(device: BaseDevice): Promise<void>;
}

const call = async (device: BaseDevice, name: string, given = {}): Promise<unknown> =>
  device._svc_functions?.()[name]?.call(given);

export const modbusSession: Session = {
  parameters: {
    functions: {
      temperature: { kind: 'query', read: { table: 'input', address: 0, type: 'int16', scale: 0.1 } },
      doors: { kind: 'query', read: { table: 'discrete', address: 0, count: 4 } },
      ramp: { kind: 'query', read: { table: 'holding', address: 4, type: 'float32' } },
      valves: { kind: 'query', read: { table: 'coil', address: 0, count: 3 } },
      set_ramp: {
        kind: 'idempotent',
        write: [
          { table: 'holding', address: 4, type: 'float32', value: 'ramp' },
          { table: 'holding', address: 8, type: 'uint16', value: 3 },
          { table: 'coil', address: 2, value: true },
          { table: 'coil', address: 0, value: [true, true, false] },
        ],
        parameters: { ramp: { type: 'float', unit: 'K/min' } },
      },
      nowhere: { kind: 'query', read: { table: 'input', address: 40_000 } },
    },
  },
  async run(device) {
    expect(await call(device, 'temperature')).toBe(21.5);
    expect(await call(device, 'doors')).toEqual([true, false, true, false]);
    expect(await call(device, 'set_ramp', { ramp: 2.5 })).toBeUndefined();
    expect(await call(device, 'ramp')).toBe(2.5);
    expect(await call(device, 'valves')).toEqual([true, true, false]);
    await expect(call(device, 'nowhere')).rejects.toThrow('it has no such address (exception 2)');
  },
};

export const scpiSession: Session = {
  parameters: {
    identity: { expect: '^ACME' },
    functions: {
      volts: { kind: 'query', ask: 'SOUR:VOLT?', answer: 'float' },
      set_volts: {
        kind: 'idempotent',
        write: 'SOUR:VOLT {volts}',
        parameters: { volts: { type: 'float', unit: 'V' } },
      },
      unknown: { kind: 'query', ask: 'NOTHING?', timeout: 0.3 },
    },
  },
  async run(device) {
    expect(await call(device, 'set_volts', { volts: 4.5 })).toBeUndefined();
    expect(await call(device, 'volts')).toBe(4.5);
    await expect(call(device, 'unknown')).rejects.toThrow(/did not answer within 0\.3 s/);
    expect(await call(device, 'volts')).toBe(4.5);
  },
};

export const textSession: Session = {
  parameters: {
    identity: { ask: 'I4', expect: '^I4 A' },
    refused: '^(ES|ET|EL)$',
    functions: {
      weight: { kind: 'query', ask: 'SI', answer: { type: 'float', pattern: '^S [SD] +(-?[0-9.]+) g$' } },
      tare: { kind: 'effect', ask: 'T', answer: { type: 'none', pattern: '^T S' } },
      wrong: { kind: 'effect', ask: 'QQ' },
    },
  },
  async run(device) {
    expect(await call(device, 'weight')).toBe(12.34);
    expect(await call(device, 'tare')).toBeUndefined();
    expect(await call(device, 'weight')).toBe(0);
    await expect(call(device, 'wrong')).rejects.toThrow('QQ: the instrument answered "ES"');
  },
};
