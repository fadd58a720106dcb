import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EosDevice } from '@lab/instruments/eos';
import { freePort, Link } from '@lab/testkit';
import { DeviceUnderTest } from '../../libs/instruments/test/device-under-test.js';
import { inContext, until, type Hosted } from '../../libs/instruments/test/in-context.js';
import { eosSession, recordSession } from '../../libs/instruments/test/message-sessions.js';
import { eosSources } from '../eos/sources.js';
import { pythonFor } from './madsci-node.js';

/** The device for EOS against the API of EOS, which runs from its own sources. */

const sources = await eosSources();
const python = sources === undefined ? undefined : await pythonFor('eos-api.lock', 'the API of EOS', 11);
const program = fileURLToPath(new URL('eos_api.py', import.meta.url));

describe.skipIf(python === undefined)('a device of EOS', () => {
  let place: string;
  let port: number;
  let doses: string;
  let server: ChildProcess;
  let folder: string;
  let unknown: string[];
  let device: EosDevice;
  let hosted: Hosted;
  const links: Link[] = [];

  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), 'eos-'));
    port = await freePort();
    doses = join(place, 'doses.txt');
    await start();
  });
  afterAll(async () => {
    await stop();
    rmSync(place, { recursive: true, force: true });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(place, 'state-'));
    unknown = [];
    device = new EosDevice((why) => {
      unknown.push(why);
      return Promise.reject(new Error(`the process ends: ${why}`));
    });
    hosted = inContext(device, folder);
  });
  afterEach(() => links.splice(0).forEach((link) => link.close()));

  async function start(): Promise<void> {
    let said = '';
    server = spawn(python ?? '', [program, sources?.eos ?? '', String(port), doses], {
      env: { PATH: process.env['PATH'], HOME: place },
    });
    server.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    for (let tries = 0; tries < 600; tries += 1) {
      if (server.exitCode !== null) throw new Error(`the API of EOS ended: ${said}`);
      const answers = await fetch(`http://127.0.0.1:${port}/api/labs/devices`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (answers) return;
      await pause(100);
    }
    throw new Error(`the API of EOS did not answer in time: ${said}`);
  }

  async function stop(): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }

  const settings = (more: object = {}): object => ({
    address: `http://127.0.0.1:${port}`,
    lab: 'small_lab',
    device: 'pump_1',
    answer_within: 3,
    functions: { level: { kind: 'query' } },
    ...more,
  });
  const initialize = (more: object = {}): Promise<void> => device._initialize(settings(more));
  const dosed = (): string[] => (existsSync(doses) ? readFileSync(doses, 'utf8').trim().split('\n') : []);

  it('is identified, and EOS tells its functions with types and defaults', async () => {
    await initialize();
    expect(await device._report()).toEqual({
      device: 'small_lab.pump_1',
      type: 'pump',
      simulated: false,
      connected: true,
      report: { ready: true },
    });
    expect(device._svc_functions()).toMatchObject({
      dose: {
        kind: 'effect',
        description: 'Doses into the beaker.',
        parameters: {
          volume: { type: 'float', unit: 'n/a' },
          seconds: { type: 'float', unit: 'n/a', value: 0 },
        },
      },
      level: { kind: 'query', parameters: {} },
    });
    await expect(initialize({ device: 'pump_2' })).rejects.toThrow(
      'EOS has not loaded the device small_lab.pump_2 of init_parameters: it has small_lab.pump_1',
    );
  });

  it('answers a query, an effect and an error', async () => {
    await initialize();
    expect(await hosted.call('level')).toBe(80);
    const before = dosed().length;
    expect(await hosted.call('dose', { volume: 5 })).toEqual({ dosed: 5 });
    expect(dosed().slice(before)).toEqual(['5']);
    await expect(hosted.call('explode')).rejects.toThrow(/was refused with 500: the tube is blocked/);
  });

  it('has a session that the fixtures have', async () => {
    const parameters = { address: `http://127.0.0.1:${port}`, record: true, ...eosSession.parameters };
    const recorded = new DeviceUnderTest(EosDevice, parameters);
    try {
      await recordSession('eos', eosSession, recorded);
    } finally {
      await recorded.end();
    }
  });

  it('lasts as long as its function, longer than other requests may', async () => {
    await initialize({ answer_within: 0.3 });
    expect(await hosted.call('dose', { volume: 1, seconds: 1 })).toEqual({ dosed: 1 });
  });

  it('is stopped by the function that the lab names', async () => {
    await initialize({ stop: 'halt' });
    const before = dosed().length;
    const call = hosted.call('dose', { volume: 2, seconds: 60 });
    call.catch(() => undefined);
    await until('it doses', () => dosed().length > before);
    await device._stop?.('a hand is in it');
    await expect(call).rejects.toThrow(/the pump was stopped/);
    await expect(initialize({ stop: 'brake' })).rejects.toThrow(/the device has no function brake/);
  });

  it('leaves the outcome open when the connection is cut or EOS ends in the middle of an effect', async () => {
    const link = await Link.open(port);
    links.push(link);
    await initialize({ address: `http://127.0.0.1:${link.port}` });
    const before = dosed().length;
    const call = hosted.call('dose', { volume: 3, seconds: 5 });
    call.catch(() => undefined);
    await until('it doses', () => dosed().length > before);
    link.cut();
    await expect(call).rejects.toThrow(/the process ends: whether EOS carried out dose is not known/);
    expect(dosed().slice(before)).toEqual(['3']);
    const later = new EosDevice();
    inContext(later, folder);
    expect(await later._reconcile(settings(), [{ callId: 'call-1', function: 'dose' }])).toEqual({
      idle: false,
      detail: 'dose was sent to EOS, which keeps no record of calls',
    });
    expect(await later._reconcile(settings(), [{ callId: 'call-2', function: 'dose' }])).toMatchObject({
      idle: true,
    });
  });

  it('is reported as not connected while EOS does not run, and a call then does nothing', async () => {
    await initialize();
    await stop();
    expect(await device._report()).toMatchObject({ connected: false });
    await expect(hosted.call('dose', { volume: 4 })).rejects.toMatchObject({ name: 'NotBegun' });
    await start();
    expect(await hosted.call('dose', { volume: 4 })).toEqual({ dosed: 4 });
  });
});
