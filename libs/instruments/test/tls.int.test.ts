import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer, type TlsOptions } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ScpiDevice } from '../src/scpi/index.js';
import { makeCertificates, type Certificates } from './certificates.js';

/** The kit over TLS on the loopback, with the certificates of an authority of its own. */

let certificates: Certificates;
beforeAll(async () => (certificates = await makeCertificates()));
afterAll(() => certificates.dispose());

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** An instrument with SCPI. */
interface Instrument {
  port: number;
  /** What it was told, of all connections. */
  told: () => string;
}

async function instrument(tls: TlsOptions | null): Promise<Instrument> {
  let told = '';
  const talk = (socket: Socket): void => {
    socket.on('error', () => socket.destroy());
    if (tls === null) socket.write('ready\n');
    socket.on('data', (bytes: Buffer) => {
      told += bytes.toString('latin1');
      for (const line of bytes.toString('latin1').split('\n'))
        if (line.endsWith('?')) socket.write(line === '*IDN?' ? 'ACME,PSU,1,1\n' : '3.25\n');
    });
  };
  const server: Server = tls === null ? createPlainServer(talk) : createServer(tls, talk);
  // The other end may refuse the certificate.
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, told: () => told };
}

async function started(port: number, tls: object): Promise<ScpiDevice> {
  const device = new ScpiDevice();
  ends.push(() => device._cleanup());
  await device._initialize({
    transport: { tcp: { host: '127.0.0.1', port, tls } },
    functions: { voltage: { kind: 'query', ask: 'MEAS:VOLT?', answer: 'float' } },
  });
  return device;
}

const voltage = (device: ScpiDevice): unknown => device._svc_functions()['voltage']?.call({});

describe('an instrument over TLS', () => {
  it('is used when its authority has certified it', async () => {
    const { port, told } = await instrument(certificates.right);
    expect(await voltage(await started(port, { ca_file: certificates.ca }))).toBe(3.25);
    expect(told()).toContain('MEAS:VOLT?');
  });

  it('is used under the name of its certificate, if the device is told it', async () => {
    const { port } = await instrument(certificates.named);
    const tls = { ca_file: certificates.ca, server_name: 'supply.lab' };
    expect(await voltage(await started(port, tls))).toBe(3.25);
  });

  it.each([
    [
      'that another authority has certified',
      () => certificates.right,
      () => certificates.otherCa,
      /ca_file \(/,
    ],
    [
      'that is for another name',
      () => certificates.named,
      () => certificates.ca,
      /tls\.server_name .*supply\.lab/,
    ],
    ['that has expired', () => certificates.expired, () => certificates.ca, /not valid at this time/],
    ['that does not speak TLS', () => null, () => certificates.ca, /does not speak TLS/],
  ])('%s is refused with what to do, and is told nothing', async (_, tls, ca, why) => {
    const { port, told } = await instrument(tls());
    await expect(started(port, { ca_file: ca() })).rejects.toThrow(why);
    expect(told()).not.toContain('IDN');
  });

  it('is refused without a file of an authority, and when the file is not there', async () => {
    const { port } = await instrument(certificates.right);
    const device = new ScpiDevice();
    const transport = { tcp: { host: '127.0.0.1', port, tls: true } };
    await expect(device._initialize({ transport, functions: {} })).rejects.toThrow(
      /nobody whom this computer trusts.*transport\.tcp\.tls\.ca_file/,
    );
    const missing = join(certificates.folder, 'missing.pem');
    await expect(started(port, { ca_file: missing })).rejects.toThrow(
      /transport\.tcp\.tls\.ca_file: cannot read .*missing\.pem/,
    );
  });

  it('that demands a certificate of the device is shown one, and else the error names the parameters', async () => {
    const { right, client } = certificates;
    const { port } = await instrument({ ...right, ca: readFileSync(certificates.ca), requestCert: true });
    const write = (name: string, text: string): string => {
      const path = join(certificates.folder, name);
      writeFileSync(path, text);
      return path;
    };
    const own = {
      certificate_file: write('device.pem', client.cert),
      key_file: write('device.key', client.key),
    };
    await expect(started(port, { ca_file: certificates.ca })).rejects.toThrow(
      /tls\.certificate_file and key_file/,
    );
    expect(await voltage(await started(port, { ca_file: certificates.ca, ...own }))).toBe(3.25);
  });
});
