import { afterEach, describe, expect, it } from 'vitest';
import { realTime, serve, twinTransport, type Served } from '../src/kit.js';
import { ModbusDevice, ModbusException, ModbusTwin } from '../src/modbus/index.js';

let devices: ModbusDevice[] = [];
let served: Served | undefined;
afterEach(async () => {
  await Promise.all(devices.map((device) => device._cleanup()));
  devices = [];
  await served?.close();
  served = undefined;
});

async function started(parameters: Record<string, unknown>): Promise<ModbusDevice> {
  const device = new ModbusDevice();
  devices.push(device);
  await device._initialize({ transport: { tcp: { host: '127.0.0.1', port: 1 } }, ...parameters });
  return device;
}

const call = (device: ModbusDevice, name: string, given = {}): unknown =>
  device._svc_functions()[name]?.call(given);
const float = { type: 'float', unit: 'n/a' };

/** A function that writes a value of a type and another that reads it. */
const pair = (type: string, more = {}) => ({
  put: {
    kind: 'idempotent',
    write: { table: 'holding', address: 10, type, value: 'value', ...more },
    parameters: { value: float },
  },
  get: { kind: 'query', read: { table: 'holding', address: 10, type, ...more } },
});

describe('a device with Modbus', () => {
  it.each(['tcp', 'rtu'])(
    'reads and writes registers and bits of its twin, framed as %s',
    async (framing) => {
      const device = await started({
        framing,
        simulate: { input: { 0: 215 }, discrete: { 3: true } },
        report: ['temperature'],
        functions: {
          temperature: { kind: 'query', read: { table: 'input', address: 0, type: 'int16', scale: 0.1 } },
          door: { kind: 'query', read: { table: 'discrete', address: 3 } },
          valves: { kind: 'query', read: { table: 'coil', address: 0, count: 3 } },
          open: {
            kind: 'idempotent',
            write: [
              { table: 'coil', address: 0, value: true },
              { table: 'coil', address: 1, value: [0, 1] },
            ],
          },
        },
      });
      expect(await call(device, 'temperature')).toBe(21.5);
      expect(await call(device, 'door')).toBe(true);
      expect(await call(device, 'open')).toBeUndefined();
      expect(await call(device, 'valves')).toEqual([true, false, true]);
      expect(await device._report()).toEqual({ connected: true, simulated: true, temperature: 21.5 });
    },
  );

  it.each<[string, number, object]>([
    ['int16', -32_768, {}],
    ['uint16', 65_535, {}],
    ['int32', -2_147_483_648, {}],
    ['uint32', 4_294_967_295, { low_word_first: true }],
    ['int64', -9_007_199_254_740_991, {}],
    ['uint64', 9_007_199_254_740_991, { low_word_first: true }],
    ['float32', 0.5, {}],
    ['float64', 0.1, { low_word_first: true }],
    ['int16', 21.5, { scale: 0.1 }],
    ['uint16', 1, { many: true }],
  ])('keeps a value of the type %s: %s %j', async (type, value, more) => {
    const { many, ...ofRead } = more as { many?: boolean };
    const { put } = pair(type, more);
    const { get } = pair(type, ofRead);
    const device = await started({ simulate: true, functions: { put, get } });
    await call(device, 'put', { value });
    expect(await call(device, 'get')).toBeCloseTo(value, 10);
    expect(many ?? true).toBe(true);
  });

  it.each([
    ['int16', 32_768, /32768 does not fit int16/],
    ['uint16', -1, /-1 does not fit uint16/],
    ['float32', 1e39, /1e\+39 does not fit float32/],
    ['int64', 2 ** 63, /does not fit int64/],
  ])('refuses a value that does not fit, before anything is sent: %s %s', async (type, value, message) => {
    const device = await started({ simulate: true, functions: pair(type) });
    await expect((async () => call(device, 'put', { value }))()).rejects.toThrow(message);
  });

  it('says why the instrument refuses', async () => {
    const twin = new ModbusTwin({
      memory: { coil: {}, discrete: {}, holding: {}, input: {} },
      ...{ latencyMs: 0, time: realTime, unit: 1, isRtu: false },
    });
    twin.answerTo = () => Buffer.from([0x83, 2]);
    served = await serve(twinTransport('twin', twin, realTime));
    const transport = { tcp: { host: '127.0.0.1', port: served.port } };
    const device = await started({ transport, functions: { get: pair('int16').get } });
    const refused = call(device, 'get');
    await expect(refused).rejects.toBeInstanceOf(ModbusException);
    await expect(refused).rejects.toThrow('the instrument refuses: it has no such address (exception 2)');
  });

  it('refuses another instrument', async () => {
    const identity = { read: { table: 'input', address: 99 }, expect: 4711 };
    await expect(started({ simulate: true, identity })).rejects.toThrow(
      'another instrument answers: input 99 is 0, not 4711',
    );
    await expect(started({ simulate: { input: { 99: 4711 } }, identity })).resolves.toBeDefined();
  });

  it.each([
    [{ functions: { a: { kind: 'query' } } }, /functions\.a: needs read/],
    [
      { functions: { a: { kind: 'query', write: { table: 'coil', address: 0, value: true } } } },
      /a query cannot write/,
    ],
    [
      { functions: { a: { kind: 'effect', write: { table: 'input', address: 0, value: 1 } } } },
      /functions\.a\.write/,
    ],
    [
      { functions: { a: { kind: 'effect', write: { table: 'coil', address: 0, value: 'x' } } } },
      /"x" is no parameter/,
    ],
    [
      {
        functions: {
          a: { kind: 'query', read: { table: 'holding', address: 0, type: 'float64', count: 40 } },
        },
      },
      /reads 160 entries: at most 125 fit/,
    ],
    [
      { functions: { a: { kind: 'query', read: { table: 'coil', address: 0, type: 'int16' } } } },
      /a coil is a bit/,
    ],
    [
      { safe_state: [{ table: 'coil', address: 0, value: 'x' }] },
      /safe_state\[0\]\.value: must be a constant/,
    ],
  ])('refuses wrong init parameters with their path: %j', async (parameters, message) => {
    await expect(started({ simulate: true, ...parameters })).rejects.toThrow(message);
  });
});
