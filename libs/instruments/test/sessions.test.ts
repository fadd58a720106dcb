import { join } from 'node:path';
import type { BaseDevice } from '@lab/sdk';
import { describe, expect, it } from 'vitest';
import { overTcp, PlainDevice } from '../src/kit.js';
import { ModbusDevice } from '../src/modbus/index.js';
import { ScpiDevice } from '../src/scpi/index.js';
import { fixtures as folder, recordedSessions } from './message-sessions.js';
import { modbusSession, scpiSession, textSession, type Session } from './sessions.js';

/** The recordings of sessions with other ends of wires that others wrote. `svc_lab.replay` has a test of the same files. */

/** Has the settings of a serial port, without the library that opens one. */
const serialName = { ...overTcp, name: 'serial' };
class SerialModbus extends ModbusDevice {
  protected override readonly transports = [overTcp, serialName];
}
class SerialScpi extends ScpiDevice {
  protected override readonly transports = [overTcp, serialName];
}
class SerialPlain extends PlainDevice {
  protected override readonly transports = [overTcp, serialName];
}

const sessions: [string, string, new () => BaseDevice, Session][] = [
  ['modbus-tcp', 'tcp', ModbusDevice, modbusSession],
  ['modbus-rtu', 'serial', SerialModbus, modbusSession],
  ['scpi-tcp', 'tcp', ScpiDevice, scpiSession],
  ['scpi-serial', 'serial', SerialScpi, scpiSession],
  ['text-serial', 'serial', SerialPlain, textSession],
];

describe('a recorded session', () => {
  it('exists for each protocol', () => {
    const messages = ['eos', 'http', 'madsci', 'mqtt', 'opcua', 'opentrons', 'sila'];
    expect(recordedSessions()).toEqual([...messages, ...sessions.map(([name]) => name)].sort());
  });

  it.each(sessions)('replays, byte by byte: %s', async (name, transport, Device, { parameters, run }) => {
    const device = new Device();
    await device._initialize({
      ...parameters,
      transport: { [transport]: { host: 'nowhere', port: 1 } },
      simulate: { replay: join(folder, `${name}.ndjson`), mode: 'strict' },
    });
    try {
      await run(device);
    } finally {
      await device._cleanup();
    }
  });
});
