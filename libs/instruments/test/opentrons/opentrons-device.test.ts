import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@lab/sdk';
import { OpentronsDevice } from '../../src/opentrons/index.js';
import { DeviceUnderTest } from '../device-under-test.js';
import { inContext, until, type Hosted } from '../in-context.js';
import { opentronsSession, recordSession } from '../message-sessions.js';
import { RobotServer } from './robot-server.js';

/** The functions of a robot over real HTTP, against a stand-in for its server. */

let server: RobotServer;
let address: string;
let folder: string;
let unknown: string[];
let device: OpentronsDevice;
let hosted: Hosted;

beforeEach(async () => {
  server = new RobotServer();
  address = await server.start();
  folder = mkdtempSync(join(tmpdir(), 'robot-'));
  unknown = [];
  device = new OpentronsDevice((why) => {
    unknown.push(why);
    return Promise.reject(new Error(`the process ends: ${why}`));
  });
  hosted = inContext(device, folder);
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const initialize = (more: object = {}): Promise<void> =>
  device._initialize({ address, poll: 0.05, answer_within: 2, ...more });
const protocol = (text: string): JsonObject => ({ file: { name: 'p.py', text } });
const outcome = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    (value) => JSON.stringify(value),
    (error: unknown) => (error as Error).message,
  );

describe('a robot of Opentrons', () => {
  it('is identified, and another one is refused', async () => {
    await initialize({ serial: 'FLX1' });
    expect(await device._report()).toMatchObject({
      name: 'bench-flex',
      serial: 'FLX1',
      software: '8.4.0',
      connected: true,
      run: null,
    });
    expect(server.version).toBe('*');
    await expect(initialize({ serial: 'FLX2' })).rejects.toThrow(/serial number FLX1, not FLX2/);
    await expect(initialize({ timeouts: { fly: 3 } }).then(() => device._svc_functions())).rejects.toThrow(
      /timeouts: there is no function fly; there are health/,
    );
  });

  it('tells of its modules, and switches its lights', async () => {
    await initialize();
    expect(await hosted.call('modules')).toMatchObject({ data: [{ id: 'm1' }] });
    await hosted.call('set_lights', { on: true });
    expect(await hosted.call('lights')).toEqual({ on: true });
  });

  it('runs a protocol, and the call lasts as long as the run', async () => {
    await initialize();
    const began = performance.now();
    const result = await hosted.call('run_protocol', protocol('wait 150\nwait 150'));
    expect(performance.now() - began).toBeGreaterThan(290);
    expect(result).toMatchObject({ status: 'succeeded' });
    expect(server.requests.filter((line) => line.endsWith('/actions'))).toHaveLength(1);
    expect(hosted.asked).toEqual([null]);
  });

  it('refuses a protocol whose analysis finds a fault, before anything moves', async () => {
    await initialize();
    const failed = hosted.call('run_protocol', protocol('bad labware in slot 1'));
    await expect(failed).rejects.toMatchObject({
      name: 'NotBegun',
      message: 'the robot would not run p.py: ExceptionInProtocolError: labware in slot 1',
    });
    expect(server.requests).not.toContain('POST /runs');
  });

  it('fails the call of a run that fails, with the error of the robot', async () => {
    await initialize();
    expect(await outcome(hosted.call('run_protocol', protocol('crash collision')))).toMatch(
      /^the run \S+ is failed: ExceptionInProtocolError: collision$/,
    );
  });

  it('does nothing while another run is active, and says which', async () => {
    await initialize();
    const uploaded = (await hosted.call('upload_protocol', protocol('wait 600'))) as JsonObject;
    const first = hosted.call('run_protocol', uploaded);
    await until('the run plays', () => server.requests.some((line) => line.endsWith('/actions')));
    await expect(hosted.call('run_protocol', uploaded, 'call-2')).rejects.toMatchObject({
      name: 'NotBegun',
      message: expect.stringMatching(/409: Run Already Active: run /) as string,
    });
    await first;
  });

  it('carries out single commands, and tells their results and errors', async () => {
    await initialize();
    expect(await hosted.call('command', { command_type: 'home', params: {} })).toMatchObject({
      result: { position: 1 },
    });
    await expect(hosted.call('command', { command_type: 'moveTo', params: { fails: true } })).rejects.toThrow(
      'moveTo failed: tipPhysicallyMissing: No tip',
    );
    const { run } = (await hosted.call('create_run')) as { run: string };
    await hosted.call('add_offset', { run, offset: { definitionUri: 'a/b/1' } });
    expect(await hosted.call('run_command', { run, command_type: 'loadLabware' })).toMatchObject({
      result: { position: 1 },
    });
  });

  it('has a session that the fixtures have', async () => {
    const parameters = { address, record: true, ...opentronsSession.parameters };
    const recorded = new DeviceUnderTest(OpentronsDevice, parameters);
    try {
      await recordSession('opentrons', opentronsSession, recorded);
    } finally {
      await recorded.end();
    }
  });

  it('is asked again after a cut, so that the call ends as if nothing had happened', async () => {
    await initialize();
    server.loseAnswer.add('POST /commands');
    expect(await hosted.call('home')).toMatchObject({ result: { position: 1 } });
    const { run } = (await hosted.call('create_run', {
      protocol: ((await hosted.call('upload_protocol', protocol('wait 50'))) as JsonObject)['protocol'] ?? '',
    })) as { run: string };
    server.loseAnswer.add(`POST /runs/${run}/actions`);
    server.loseAnswer.add(`GET /runs/${run}`);
    await expect(hosted.call('play_run', { run })).rejects.toMatchObject({ name: 'NotBegun' });
    expect(await hosted.call('play_run', { run })).toMatchObject({ run, status: 'succeeded' });
    expect(server.requests.filter((line) => line === `POST /runs/${run}/actions`)).toHaveLength(1);
    expect(unknown).toEqual([]);
  });

  it('leaves the outcome open when it was restarted during a run', async () => {
    await initialize();
    const call = hosted.call('run_protocol', protocol('wait 60000'));
    await until('the run plays', () => server.requests.some((line) => line.endsWith('/actions')));
    server.restart();
    await expect(call).rejects.toThrow(/the process ends: the robot was restarted during the run/);
    expect(unknown).toHaveLength(1);
  });
});

describe('a run that waits for recovery', () => {
  /** Plays a run whose first step fails, until it asks for a person. */
  async function waiting(steps = 'fail A1\nwait 20'): Promise<{ call: Promise<unknown>; command: string }> {
    await initialize();
    const call = hosted.call('run_protocol', protocol(steps));
    call.catch(() => undefined);
    await until('it asks', () => hosted.asked.some((each) => each !== null));
    return { call, command: /command (\S+) and/.exec(hosted.asked.at(-1) ?? '')?.[1] ?? '' };
  }

  it('asks for a person, with the step, its error and what can be done', async () => {
    const { command } = await waiting();
    expect(hosted.asked.at(-1)).toMatch(
      /^the run \S+ waits for recovery, because the step pickUpTip failed: tipPhysicallyMissing: No tip at A1\. Look at the deck, then call recover with command \S+ and action retry .*, skip .*, ignore .* or stop\./,
    );
    await hosted.call('recover', { command, action: 'stop' }, 'call-2');
  });

  it('goes on with the step again, which may fail again', async () => {
    const { call, command } = await waiting();
    await expect(hosted.call('recover', { command, action: 'retry' }, 'call-2')).rejects.toThrow(
      'pickUpTip failed again: tipPhysicallyMissing: No tip; the run still waits',
    );
    await until('it asks about the attempt', () => !(hosted.asked.at(-1) ?? command).includes(command));
    const next = /command (\S+) and/.exec(hosted.asked.at(-1) ?? '')?.[1] ?? '';
    server.mend('A1');
    expect(await hosted.call('recover', { command: next, action: 'retry' }, 'call-3')).toMatchObject({
      status: expect.stringMatching(/running|succeeded/) as string,
    });
    expect(await call).toMatchObject({ status: 'succeeded' });
    expect(hosted.asked.at(-1)).toBeNull();
  });

  it('goes on without the step, once, however often somebody says so', async () => {
    const { call, command } = await waiting('fail A1\nwait 300\nfail B1');
    const both = await Promise.all(
      ['call-2', 'call-3'].map((id) => outcome(hosted.call('recover', { command, action: 'skip' }, id))),
    );
    expect(both.sort()).toEqual([
      expect.stringMatching(/does not wait for the step/),
      expect.stringMatching(/"status":"running"/),
    ]);
    await until('it asks about the second step', () => hosted.asked.at(-1)?.includes('B1') === true);
    const second = /command (\S+) and/.exec(hosted.asked.at(-1) ?? '')?.[1] ?? '';
    await hosted.call('recover', { command: second, action: 'stop' }, 'call-4');
    await expect(call).rejects.toThrow(/is stopped/);
  });

  it('is resumed first after the door was open', async () => {
    const { call, command } = await waiting();
    server.useDoor();
    await until('it says so', () => hosted.asked.at(-1)?.includes('call resume_run first') === true);
    await expect(hosted.call('recover', { command, action: 'skip' }, 'call-2')).rejects.toThrow(
      /Run Action Not Allowed: it is awaiting-recovery-paused/,
    );
    await hosted.call('resume_run', {}, 'call-3');
    await hosted.call('recover', { command, action: 'skip' }, 'call-4');
    expect(await call).toMatchObject({ status: 'succeeded' });
  });

  it('is stopped by a stop of the device', async () => {
    const { call } = await waiting();
    await device._stop('a hand is in it');
    await expect(call).rejects.toThrow(/is stopped \(a hand is in it\)/);
  });
});

describe('after the process ended during a call', () => {
  /** The state that the ended process left. The device of this test goes on, and would drop the note of an ended run. */
  const left = (): string => `${folder}-left`;
  afterEach(() => rmSync(left(), { recursive: true, force: true }));

  const reconcile = async (callId = 'call-1'): Promise<unknown> => {
    const next = new OpentronsDevice();
    inContext(next, left());
    return next._reconcile({ address, answer_within: 1 }, [{ callId, function: 'run_protocol' }]);
  };

  async function interrupted(steps: string): Promise<string> {
    await initialize();
    void hosted.call('run_protocol', protocol(steps)).catch(() => undefined);
    await until('the run plays', () => server.requests.some((line) => line.endsWith('/actions')));
    cpSync(folder, left(), { recursive: true });
    return server.requests.find((line) => line.endsWith('/actions'))?.split('/')[2] ?? '';
  }

  it('a run that goes on keeps the device in doubt, and one that has ended does not', async () => {
    const run = await interrupted('wait 60000');
    expect(await reconcile()).toEqual({ idle: false, detail: `the run ${run} is running` });
    server.finish(run);
    expect(await reconcile()).toEqual({ idle: true, detail: `the run ${run} is succeeded` });
  });

  it('a call that noted nothing has begun nothing', async () => {
    await initialize();
    expect(await reconcile('call-9')).toEqual({
      idle: true,
      detail: 'run_protocol was not begun at the robot',
    });
  });

  it('a robot that does not know the run cannot tell, and one that does not answer neither', async () => {
    const run = await interrupted('wait 60000');
    server.forget();
    expect(await reconcile()).toEqual({ idle: false, detail: `the robot does not know the run ${run}` });
    await server.stop();
    await expect(reconcile()).rejects.toThrow(/refuses connections/);
  });
});

describe('a twin of a robot', () => {
  it('runs a protocol without a robot, and asks for a person when it is told to', async () => {
    await server.stop();
    await initialize({ simulate: true, twin: { takes: 0.1, asks: true } });
    const call = hosted.call('run_protocol', protocol('def run(protocol): pass'));
    await until('it asks', () => hosted.asked.some((each) => each !== null));
    await hosted.call('recover', { command: 'twin-step', action: 'skip' }, 'call-2');
    expect(await call).toMatchObject({ status: 'succeeded' });
    expect(await device._report()).toMatchObject({ simulated: true, connected: true });
    expect(await device._reconcile({ address, simulate: true }, [])).toMatchObject({ idle: true });
  });
});
