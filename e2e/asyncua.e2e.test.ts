import { spawn, type ChildProcess } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPCUACertificateManager } from 'node-opcua';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@lab/sdk';
import { freePort } from '@lab/testkit';
import { withoutPython, withoutPythonVariable } from '@lab/testkit/python';
import { pythonEnvironment } from '../apps/cli/src/demo/python-environment.js';
import { OpcuaDevice } from '../libs/instruments/src/opcua/index.js';
import { userFiles, type UserFiles } from '../libs/instruments/test/opcua/user-files.js';
import { DeviceUnderTest, eventually } from '../libs/instruments/test/device-under-test.js';

/** The device for OPC UA with a server of another library, asyncua in Python. */

const root = fileURLToPath(new URL('..', import.meta.url));
const here = join(root, 'libs/instruments/test/opcua');
const python = withoutPython() ? undefined : await environment();

async function environment(): Promise<string | undefined> {
  const folder = join(root, '.cache', 'python');
  try {
    return await pythonEnvironment(
      join(here, 'asyncua.lock'),
      folder,
      process.env['SVC_PYTHON'],
      () => undefined,
      AbortSignal.timeout(240_000),
    );
  } catch (error) {
    if (process.env[withoutPythonVariable] === '0') throw error;
    process.stderr.write(`The tests with asyncua DO NOT RUN: ${(error as Error).message}\n`);
    return undefined;
  }
}

describe.skipIf(python === undefined)('a device with OPC UA and a server of asyncua', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lab-asyncua-'));
  const certificate = join(folder, 'server.pem');
  const manager = new OPCUACertificateManager({ rootFolder: join(folder, 'pki') });
  const ends: (() => Promise<void>)[] = [];
  let port = 0;
  let output = '';

  beforeAll(async () => {
    await manager.initialize();
    await manager.createSelfSignedCertificate({
      ...{ applicationUri: 'urn:reactor', dns: ['localhost'], ip: ['127.0.0.1'], subject: '/CN=reactor' },
      ...{ startDate: new Date(Date.now() - 3_600_000), validity: 30, outputFile: certificate },
    });
    port = await freePort();
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  afterAll(async () => {
    await manager.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  async function server(...user: string[]): Promise<ChildProcess> {
    const args = [join(here, 'asyncua_server.py'), String(port), certificate, manager.privateKey, ...user];
    const child = spawn(python ?? '', args);
    ends.push(() => kill(child));
    output = '';
    child.stdout.on('data', (text: Buffer) => (output += text.toString()));
    child.stderr.on('data', (text: Buffer) => (output += text.toString()));
    await eventually(() => output.includes('ready'), `a server: ${output}`);
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  const parameters = {
    security: { policy: 'Basic256Sha256', mode: 'SignAndEncrypt' },
    functions: {
      temperature: { read: '/Objects/Reactor/Temperature' },
      target: { read: '/Objects/Reactor/Target' },
      set_target: { write: '/Objects/Reactor/Target' },
      recipe: { read: '/Objects/Reactor/Recipe' },
      set_recipe: { write: '/Objects/Reactor/Recipe' },
      dose: { method: '/Objects/Reactor/Dose' },
    },
    report: { temperature: { node: '/Objects/Reactor/Temperature', interval: 0.2 } },
  };

  it('reads, writes, calls, carries structures, and connects again after the server was killed', async () => {
    const first = await server();
    const url = `opc.tcp://127.0.0.1:${port}`;
    const unknown = await new DeviceUnderTest(OpcuaDevice, { url, ...parameters })
      .start()
      .catch((error: unknown) => (error as Error).message);
    const pin = /server_certificate: ([0-9A-F:]{95})/.exec(String(unknown))?.[1] ?? String(unknown);
    const under = await new DeviceUnderTest(OpcuaDevice, {
      ...{ url, ...parameters, server_certificate: pin },
    }).start();
    ends.push(() => under.end().catch(() => undefined));

    expect(await under.call('temperature')).toBe(21.5);
    await under.call('set_target', { value: 37 });
    expect(await under.call('target')).toBe(37);
    expect(await under.call('dose', { volume: 4.5 })).toBe(4.5);
    await expect(under.call('dose', { volume: 101 })).rejects.toThrow(/server says Bad/);
    expect(await under.call('recipe')).toMatchObject({ target: 50, name: 'first' });
    await under.call('set_recipe', { value: { target: 60, name: 'second' } });
    expect(await under.call('recipe')).toMatchObject({ target: 60, name: 'second' });
    await eventually(
      async () => JSON.stringify((await under.report())['temperature']).includes('21.5'),
      'the subscription',
    );

    await kill(first);
    await eventually(async () => (await under.report())['connected'] === false, 'the loss is seen');
    await expect(under.call('dose', { volume: 1 })).rejects.toMatchObject({ name: 'NotBegun' });
    await server();
    await eventually(async () => (await under.report())['connected'] === true, 'it connects again');
    expect(await under.call('dose', { volume: 2 })).toBe(2);
    expect(output).not.toContain('dose 1.0');
  }, 120_000);

  it('admits a user by its certificate, and nobody else', async () => {
    const [lab, eve] = await Promise.all([userFiles(folder, 'lab'), userFiles(folder, 'eve')]);
    await server(lab.certificate);
    const pin = new X509Certificate(readFileSync(certificate)).fingerprint256;
    const start = (user: UserFiles | null): Promise<DeviceUnderTest> => {
      const given: JsonObject = {
        ...{ url: `opc.tcp://127.0.0.1:${port}`, ...parameters, server_certificate: pin },
      };
      if (user !== null) given['user'] = { certificate: user.certificate, key: user.key };
      const under = new DeviceUnderTest(OpcuaDevice, given);
      ends.push(() => under.end().catch(() => undefined));
      return under.start();
    };
    expect(await (await start(lab)).call('dose', { volume: 3 })).toBe(3);
    await expect(start(eve)).rejects.toThrow(
      new RegExp(`does not admit the user certificate .*${eve.fingerprint}.*BadUserAccessDenied`),
    );
    await expect(start(null)).rejects.toThrow(
      /does not admit a device without a user: it takes Certificate\. Write one of these/,
    );
  }, 120_000);
});
