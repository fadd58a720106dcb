import { NotBegun } from '@lab/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve, twinTransport, realTime, type Served } from '../src/kit.js';
import { ScpiDevice, scpiTwin } from '../src/scpi/index.js';

const functions = {
  voltage: { kind: 'query', ask: 'MEAS:VOLT?', answer: 'float' },
  set_voltage: {
    kind: 'idempotent',
    write: 'SOUR:VOLT {volts:2}',
    parameters: { volts: { type: 'float', unit: 'V' } },
  },
  set_point: { kind: 'query', ask: 'SOUR:VOLT?', answer: { type: 'float' } },
  label: { kind: 'effect', write: 'DISP:TEXT {text}', parameters: { text: { type: 'str' } } },
  broken: { kind: 'effect', write: 'NO:SUCH', answer: 'none' },
};

let devices: ScpiDevice[] = [];
beforeEach(() => {
  devices = [];
});
afterEach(async () => {
  await Promise.all(devices.map((device) => device._cleanup()));
});

async function started(parameters: Record<string, unknown>): Promise<ScpiDevice> {
  const device = new ScpiDevice();
  await device._initialize({ transport: { tcp: { host: '127.0.0.1', port: 1 } }, functions, ...parameters });
  devices.push(device);
  return device;
}

const call = (device: ScpiDevice, name: string, given = {}): unknown =>
  device._svc_functions()[name]?.call(given);

describe('a device with SCPI', () => {
  it('has its functions from its init parameters, and a twin that remembers what was set', async () => {
    const device = await started({ simulate: { answers: { voltage: 1.25 } }, report: ['voltage'] });
    expect(await call(device, 'voltage')).toBe(1.25);
    expect(await call(device, 'set_voltage', { volts: 3.14159 })).toBeUndefined();
    expect(await call(device, 'set_point')).toBe(3.14);
    expect(await device._report()).toEqual({ connected: true, simulated: true, voltage: 1.25 });
  });

  it('refuses an argument that would be another command', async () => {
    const device = await started({ simulate: true });
    await expect(call(device, 'label', { text: 'a;*RST' })).rejects.toThrow(
      /text: "a;\*RST" has a character/,
    );
    await expect(call(device, 'label', { text: 'a\n*RST' })).rejects.toThrow(RangeError);
    await expect(call(device, 'label', { text: 'a' })).resolves.toBeUndefined();
  });

  it.each([
    [{ transport: {} }, /init_parameters\.transport: needs exactly one of tcp/],
    [{ transport: { serial: { path: '/dev/x' } } }, /overSerial of @lab\/instruments\/serial/],
    [{ transport: { tcp: { host: 'a' } } }, /init_parameters\.transport\.tcp\.port: /],
    [{ functions: { a: { kind: 'query' } } }, /init_parameters\.functions\.a: needs ask/],
    [{ functions: { a: { kind: 'query', write: 'A' } } }, /functions\.a: a query needs ask/],
    [{ functions: { a: { kind: 'query', ask: 'A? {x}' } } }, /functions\.a: \{x\} is no parameter/],
    [
      { functions: { a: { kind: 'query', ask: 'A?', parameters: { x: { type: 'int' } } } } },
      /parameters\.x: no command uses/,
    ],
    [
      { functions: { a: { kind: 'query', ask: 'A?', answer: { type: 'str', pattern: '(' } } } },
      /pattern: is no regular expression/,
    ],
    [{ functions: { record_traffic: { kind: 'query', ask: 'A?' } } }, /choose another name/],
    [{ report: ['nothing'] }, /init_parameters\.report\[0\]: "nothing" must be a function/],
    [{ colour: 'red' }, /init_parameters: unrecognized key: "colour"/],
  ])('refuses wrong init parameters with their path: %j', async (parameters, message) => {
    await expect(started({ simulate: true, ...parameters })).rejects.toThrow(message);
  });

  it('takes an empty default of device.yml for absent', async () => {
    const device = await started({ simulate: true, refused: null, idle: null });
    expect(await device._report()).toMatchObject({ connected: true });
  });

  it('can be stopped only if its safe state is known', async () => {
    expect((await started({ simulate: true }))._stop).toBeUndefined();
    const device = await started({ simulate: true, safe_state: ['OUTP OFF'] });
    await expect(device._stop('test')).resolves.toBeUndefined();
  });

  it('tells whether it is idle only if it knows how to ask', async () => {
    const parameters = { transport: { tcp: { host: '127.0.0.1', port: 1 } }, simulate: true };
    const device = new ScpiDevice();
    expect(await device._reconcile(parameters, [])).toMatchObject({ idle: false });
    expect(await device._reconcile({ ...parameters, idle: { ask: '*OPC?', expect: '^1$' } }, [])).toEqual({
      ...{ idle: true, detail: '*OPC? answered 1' },
    });
  });
});

describe('a device with SCPI over TCP', () => {
  let served: Served;
  afterEach(() => served?.close());

  const twinServed = async (answers: Record<string, string>): Promise<Served> => {
    const options = {
      functions: {},
      writes: [],
      terminator: '\n',
      answerTerminator: '\n',
      latencyMs: 0,
      time: realTime,
    };
    const twin = scpiTwin({ ...options, answers }, { identity: '*IDN?', errorQueue: 'SYST:ERR?' });
    served = await serve(twinTransport('twin', twin, realTime));
    return served;
  };
  const at = ({ port }: { port: number }) => ({ transport: { tcp: { host: '127.0.0.1', port } } });

  it('exchanges with the instrument', async () => {
    const device = await started(at(await twinServed({ 'MEAS:VOLT?': '+1.5E-3' })));
    expect(await call(device, 'voltage')).toBe(0.0015);
  });

  it('reports the errors of the instrument, and their text', async () => {
    const device = await started(at(await twinServed({})));
    await expect(call(device, 'broken')).rejects.toThrow(
      /the instrument reports -113,"Undefined header;NO:SUCH"/,
    );
  });

  it('refuses another instrument', async () => {
    const { port } = await twinServed({});
    const identity = { expect: '^ACME' };
    await expect(started({ ...at({ port }), identity, answer_timeout: 0.2 })).rejects.toThrow(
      /another instrument answers \*IDN\? with "TWIN,SIMULATED,0,1.0"; \^ACME was expected/,
    );
  });

  it('does not begin where nothing listens, and says so', async () => {
    const { port } = await twinServed({});
    await served.close();
    await expect(started(at({ port }))).rejects.toThrow(
      `tcp://127.0.0.1:${port}: nothing listens at this address (ECONNREFUSED)`,
    );
  });

  it('connects again after the instrument was away, and a call meanwhile has not begun', async () => {
    const { port } = await twinServed({ 'MEAS:VOLT?': '1' });
    const device = await started({ ...at({ port }), answer_timeout: 0.3 });
    await served.close();
    await expect.poll(() => device._report()).toMatchObject({ connected: false });
    await expect(call(device, 'label', { text: 'x' })).rejects.toBeInstanceOf(NotBegun);
    const options = {
      functions: {},
      writes: [],
      terminator: '\n',
      answerTerminator: '\n',
      latencyMs: 0,
      time: realTime,
    };
    const twin = scpiTwin(
      { ...options, answers: { 'MEAS:VOLT?': '2' } },
      { identity: '*IDN?', errorQueue: undefined },
    );
    served = await serve(twinTransport('twin', twin, realTime), port);
    await expect.poll(() => call(device, 'voltage')).toBe(2);
  });
});

describe('an instrument that falls silent', () => {
  let server: Server;
  const sockets = new Set<Socket>();
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  it('gives the next question its own answer, not the late one', async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('data', (bytes: Buffer) => {
        for (const command of bytes.toString().split('\n').filter(Boolean)) {
          const answer = command === '*IDN?' ? 'ME' : command === 'MEAS:VOLT?' ? '1' : '2';
          setTimeout(() => socket.write(`${answer}\n`), command === 'MEAS:VOLT?' ? 350 : 0);
        }
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const device = await started({
      ...{ transport: { tcp: { host: '127.0.0.1', port } }, answer_timeout: 0.3, identity: { expect: 'ME' } },
    });
    await expect(call(device, 'voltage')).rejects.toThrow(
      /MEAS:VOLT\?: tcp:\/\/127\.0\.0\.1:\d+ did not answer within 0\.3 s/,
    );
    expect(await call(device, 'set_point')).toBe(2);
  });
});
