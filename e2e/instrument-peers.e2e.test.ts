import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { overTcp, PlainDevice, realTime, serve, twinTransport } from '@lab/instruments/kit';
import { ModbusDevice } from '@lab/instruments/modbus';
import { ScpiDevice, scpiTwin, type ScpiSettings } from '@lab/instruments/scpi';
import { overSerial } from '@lab/instruments/serial';
import type { BaseDevice } from '@lab/sdk';
import { withoutPip, withoutPythonVariable } from '@lab/testkit/python';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pythonEnvironment } from '../apps/cli/src/demo/python-environment.js';
import { modbusSession, scpiSession, textSession } from '../libs/instruments/test/sessions.js';
import { contextKey } from '../libs/sdk/src/author/index.js';

/**
 * Devices of the kit with other ends that others wrote: servers of pymodbus, a client of pyvisa, and serial ports of the operating
 * system. With `SVC_RECORDINGS=<folder>` the sessions are written there; those in libs/instruments/fixtures come from here.
 */

const root = fileURLToPath(new URL('../', import.meta.url));
const python = withoutPip() || process.platform === 'win32' ? undefined : await environment();

async function environment(): Promise<string | undefined> {
  try {
    return await pythonEnvironment(
      join(root, 'e2e/python/instrument-peers.lock'),
      join(root, '.cache/python'),
      process.env['SVC_PYTHON'],
      () => undefined,
      AbortSignal.timeout(240_000),
    );
  } catch (error) {
    if (process.env[withoutPythonVariable] === '0') throw error;
    process.stderr.write(
      `The tests of instruments with pymodbus and pyvisa DO NOT RUN: ${(error as Error).message}\n`,
    );
    return undefined;
  }
}

let folder: string;
let peers: ChildProcess[] = [];
let devices: BaseDevice[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-peers-'));
});
afterEach(async () => {
  await Promise.all(devices.map((device) => device._cleanup()));
  devices = [];
  for (const peer of peers) {
    if (peer.exitCode !== null || peer.signalCode !== null) continue;
    peer.kill();
    await once(peer, 'exit');
  }
  peers = [];
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a program of instrument_peers.py. @returns the line of JSON that it prints */
async function peer<Told>(...args: string[]): Promise<Told> {
  const child = spawn(python ?? '', [join(root, 'e2e/python/instrument_peers.py'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  peers.push(child);
  for await (const line of createInterface(child.stdout)) return JSON.parse(line) as Told;
  throw new Error(`${args.join(' ')} ended and printed nothing`);
}

async function started<Device extends BaseDevice>(
  device: Device,
  parameters: Record<string, unknown>,
): Promise<Device> {
  device[contextKey] = {
    name: 'peer',
    lab: 'lab',
    log: console,
    folder: () => folder,
    callId: () => undefined,
    ask: () => undefined,
  };
  devices.push(device);
  await device._initialize({ record: true, ...parameters });
  return device;
}

/** Ends the device and its recording, and keeps the recording as a fixture if somebody wants it. */
async function keep(device: BaseDevice, name: string): Promise<void> {
  await device._cleanup();
  devices = devices.filter((each) => each !== device);
  const [file = ''] = readdirSync(folder);
  const to = process.env['SVC_RECORDINGS'];
  if (to !== undefined) copyFileSync(join(folder, file), join(to, `${name}.ndjson`));
  expect(readFileSync(join(folder, file), 'utf8').split('\n').length).toBeGreaterThan(8);
}

class SerialModbus extends ModbusDevice {
  protected override readonly transports = [overSerial, overTcp];
}
class SerialScpi extends ScpiDevice {
  protected override readonly transports = [overSerial, overTcp];
}
class SerialPlain extends PlainDevice {
  protected override readonly transports = [overSerial];
}

const withoutFunctions = {
  writes: [],
  terminator: '\n',
  answerTerminator: '\n',
  latencyMs: 0,
  time: realTime,
};
/** What the twin of the supply knows. */
const setVolts: ScpiSettings['functions'] = {
  set_volts: {
    kind: 'idempotent',
    write: ['SOUR:VOLT {volts}'],
    answer: { type: 'str' },
    parameters: { volts: { type: 'float', unit: 'V' } },
  },
};

describe.skipIf(python === undefined)('a device of the kit', () => {
  it('reads and writes a server of pymodbus over TCP', async () => {
    const { port } = await peer<{ port: number }>('modbus-tcp');
    const transport = { tcp: { host: '127.0.0.1', port } };
    const device = await started(new ModbusDevice(), { ...modbusSession.parameters, transport });
    await modbusSession.run(device);
    await keep(device, 'modbus-tcp');
  });

  it('reads and writes a server of pymodbus over a serial port', async () => {
    const { path } = await peer<{ path: string }>('modbus-rtu');
    const transport = { serial: { path, baud_rate: 115_200 } };
    const device = await started(new SerialModbus(), { ...modbusSession.parameters, transport });
    await modbusSession.run(device);
    await keep(device, 'modbus-rtu');
  });

  it('speaks SCPI over TCP', async () => {
    const twin = scpiTwin(
      { ...withoutFunctions, functions: setVolts, answers: { '*IDN?': 'ACME,TWIN SUPPLY,1,2' } },
      { identity: undefined, errorQueue: 'SYST:ERR?' },
    );
    const served = await serve(twinTransport('twin', twin, realTime));
    const transport = { tcp: { host: '127.0.0.1', port: served.port } };
    const device = await started(new ScpiDevice(), { ...scpiSession.parameters, transport });
    await scpiSession.run(device);
    await keep(device, 'scpi-tcp');
    await served.close();
  });

  it('speaks SCPI over a serial port', async () => {
    const { path } = await peer<{ path: string }>('supply');
    const device = await started(new SerialScpi(), {
      ...scpiSession.parameters,
      transport: { serial: { path } },
    });
    await scpiSession.run(device);
    await keep(device, 'scpi-serial');
  });

  it('weighs with commands of text on a serial port', async () => {
    const { path } = await peer<{ path: string }>('balance');
    const device = await started(new SerialPlain(), {
      ...textSession.parameters,
      transport: { serial: { path } },
    });
    await textSession.run(device);
    await keep(device, 'text-serial');
  });

  it('notices by its heartbeat that a serial port leads nowhere any more', async () => {
    const { path } = await peer<{ path: string }>('balance');
    const device = await started(new SerialPlain(), {
      ...{ ...textSession.parameters, transport: { serial: { path } }, heartbeat: 0.2, answer_timeout: 0.2 },
    });
    expect(await device._report()).toMatchObject({ connected: true });
    peers[0]?.kill('SIGKILL');
    await expect.poll(() => device._report()).toMatchObject({ connected: false });
  });

  it('that does not exist, or whose port is in use, says so', async () => {
    const functions = {};
    await expect(
      started(new SerialPlain(), { transport: { serial: { path: '/dev/no-such-port' } }, functions }),
    ).rejects.toThrow('serial:/dev/no-such-port: there is no such port');
    devices = [];
    const { path } = await peer<{ path: string }>('balance');
    await started(new SerialPlain(), { transport: { serial: { path } }, functions });
    const second = new SerialPlain();
    await expect(second._initialize({ transport: { serial: { path } }, functions })).rejects.toThrow(
      'another program has it',
    );
  });
});

describe.skipIf(python === undefined)('a twin', () => {
  it('with SCPI behind a port is an instrument for pyvisa', async () => {
    const twin = scpiTwin(
      { ...withoutFunctions, functions: setVolts, answers: {} },
      { identity: '*IDN?', errorQueue: 'SYST:ERR?' },
    );
    const served = await serve(twinTransport('twin', twin, realTime));
    try {
      expect(await peer('visa', String(served.port))).toEqual({
        identity: 'TWIN,SIMULATED,0,1.0',
        volts: [3.3],
        error: '+0,"No error"',
        wrong: '-113,"Undefined header;NO:SUCH"',
        complete: '1',
      });
    } finally {
      await served.close();
    }
  });
});
