import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { Debuggers, demandDevelopment } from '../src/debuggers.js';
import { nodeHost, pythonHost } from '../src/host-program.js';
import { RecordedLog } from './recorded-log.js';

const missing = { program: () => '/nowhere/python3' };
const host = nodeHost('/hosts/device-host.js', { given: ['/data/arm'] });
const portOf = (address: string | undefined): number => Number(address?.split(':')[1]);

it('a host that nobody has named is started as it is', async () => {
  const log = new RecordedLog();
  const debuggers = new Debuggers(['lab.arm'], '/packages', missing, log);
  await debuggers.prepare('lab.lamp', {});
  expect(debuggers.wants('lab.lamp')).toBe(false);
  expect(debuggers.start('lab.lamp', {}, host)).toMatchObject({ host, address: undefined });
  expect(debuggers.start(undefined, {}, host)).toMatchObject({ host, address: undefined });
  expect(log.lines).toEqual([]);
});

it('each process of a named host gets a port of its own on the loopback address, and one line in the log', async () => {
  const log = new RecordedLog();
  const debuggers = new Debuggers(['mix'], '/packages', missing, log);
  const other = createServer();
  await debuggers.prepare('mix', {});
  const first = debuggers.start('mix', {}, host);
  const port = portOf(first.address);
  expect(first.address).toMatch(/^127\.0\.0\.1:\d+$/);
  expect(first.host.args).toEqual([`--inspect=${first.address}`, ...host.args]);
  expect(log.lines).toMatchObject([
    { level: 'warn', message: expect.stringContaining(`mix (node) at ${first.address}`) as string },
  ]);
  // The next port is taken by another program.
  other.listen(port + 1, '127.0.0.1');
  await once(other, 'listening');
  await Promise.all([debuggers.prepare('mix', {}), debuggers.prepare('mix', {})]);
  const others = [1, 2].map(() => portOf(debuggers.start('mix', {}, host).address));
  expect(new Set([port, ...others]).size).toBe(3);
  expect(others).not.toContain((other.address() as AddressInfo).port);
  // A process that was not prepared has no debugger, and a port is free again when its process has ended.
  expect(debuggers.start('mix', {}, host).address).toBeUndefined();
  first.ended();
  await debuggers.prepare('mix', {});
  expect(portOf(debuggers.start('mix', {}, host).address)).toBe(port);
  other.close();
});

it('a host whose work would be over before a person can attach waits for the debugger', async () => {
  const log = new RecordedLog();
  const debuggers = new Debuggers(['mix'], '/packages', missing, log);
  await debuggers.prepare('mix', {});
  const started = debuggers.start('mix', {}, host, true);
  expect(started.host.args[0]).toBe(`--inspect-wait=${started.address}`);
  expect(log.lines[0]?.message).toContain('it waits for the debugger');
});

it('a host in Python runs without a debugger when debugpy is missing, and the log says what to do', async () => {
  const log = new RecordedLog();
  const debuggers = new Debuggers(['lab.arm'], '/packages', missing, log);
  await debuggers.prepare('lab.arm', { runtime: 'python' });
  const python = pythonHost('/nowhere/python3', '/hosts/device-host.py', ['/data/arm']);
  expect(debuggers.start('lab.arm', { runtime: 'python' }, python)).toMatchObject({
    host: python,
    address: undefined,
  });
  expect(log.lines).toMatchObject([
    {
      level: 'error',
      message:
        'no debugger can attach to lab.arm: /nowhere/python3 has no debugpy; type "/nowhere/python3 -m pip install debugpy", or name a Python that has it with SVC_PYTHON, and restart lab.arm',
    },
  ]);
});

const safe = { broker: 'nats://127.0.0.1:4222' };

it.each([
  ['on one computer', safe],
  ['on one computer, by name', { broker: 'nats://localhost:4222', gateway: 'http://[::1]:8070' }],
])('debuggers are allowed %s', (_, surroundings) => {
  expect(() => demandDevelopment(['lab.arm'], surroundings)).not.toThrow();
});

it.each([
  [
    'a broker elsewhere',
    { broker: 'tls://lab-server:4222' },
    'its broker is on another computer (lab-server)',
  ],
  [
    'a gateway elsewhere',
    { ...safe, gateway: 'https://lab-server' },
    'its gateway can be reached from other computers (lab-server)',
  ],
  ['code of another user', { ...safe, codeUser: 'svc-code' }, 'its code runs as another user'],
  ['signed code', { ...safe, codeKey: 'key' }, 'it runs signed code alone (SVC_CODE_KEY)'],
])('debuggers are refused with %s, and only if somebody wants one', (_, surroundings, why) => {
  expect(() => demandDevelopment(['lab.arm'], surroundings)).toThrow(why);
  expect(() => demandDevelopment([], surroundings)).not.toThrow();
});
