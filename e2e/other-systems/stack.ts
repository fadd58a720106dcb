import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttentionRecord } from '@lab/contracts';
import { fixtures } from '../../libs/instruments/test/message-sessions.js';
import { until } from '../../libs/instruments/test/in-context.js';
import { RobotServer } from '../../libs/instruments/test/opentrons/robot-server.js';
import { eventually } from '../api.js';
import { startLab, type Lab } from '../lab.js';
import { svc } from '../svc.js';
import { pythonFor, startMadsciNode, type MadsciPeer } from './madsci-node.js';

/** Devices that ask for a person, lose their processes or are recorded, in the whole service. */

const python = await pythonFor('madsci.lock', 'MADSci');

/** Writes files of a package. */
function write(userDir: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(userDir, path)), { recursive: true });
    writeFileSync(join(userDir, path), text);
  }
}

const manifest = (name: string): string =>
  JSON.stringify({ name, version: '0.1.0', type: 'module', dependencies: { '@lab/sdk': '*' } });

const program = fileURLToPath(new URL('../../apps/cli/bin/svc.mjs', import.meta.url));

/**
 * Records the traffic of a device by `svc device record` while work is done.
 *
 * @returns what `svc device replay` shows of it
 */
async function recordedBySvc(lab: Lab, device: string, file: string, work: () => Promise<unknown>) {
  const flags = ['--out', file, '--by', 'ada', '--url', lab.stack.url];
  const recording = spawn(process.execPath, [program, 'device', 'record', device, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(recording, 'exit');
  const [said] = (await once(recording.stderr, 'data')) as [Buffer];
  expect(said.toString()).toContain(`recording the traffic of ${device}`);
  await work();
  recording.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  const { code, out } = await svc({}, 'device', 'replay', file);
  expect(code).toBe(0);
  return out;
}

const open = (lab: Lab): Promise<AttentionRecord[]> => lab.api.attention();
const stateOf = async (lab: Lab, name: string) =>
  (await lab.api.devices()).find((each) => each.name === name);

describe('a robot of Opentrons in a lab', () => {
  let userDir: string;
  let lab: Lab;
  const server = new RobotServer();

  beforeAll(async () => {
    userDir = mkdtempSync(join(tmpdir(), 'robot-'));
    const address = await server.start();
    write(userDir, {
      'robot_demo/package.json': manifest('robot_demo'),
      'robot_demo/devices/robot/device.yml': `type: robot\ndesc: A robot\ninit_parameters:\n  address: ${address}\n  poll: 0.1\n  replay:\n`,
      'robot_demo/devices/robot/device.ts': `import { OpentronsDevice } from '@lab/instruments/opentrons';\nexport default class Robot extends OpentronsDevice {}\n`,
      'robot_demo/laboratories/robot_lab/lab.yml':
        'name: robot_lab\ndesc: A robot\ndevices:\n  flex:\n    desc: Flex\n    type: robot\n    computer: svc_computer\n' +
        '  recorded:\n    desc: A recording\n    type: robot\n    computer: svc_computer\n    init_parameters:\n' +
        `      replay: { file: ${JSON.stringify(join(fixtures, 'opentrons.ndjson'))}, order: lenient }\n` +
        '  pump:\n    desc: Pump\n    type: pump\n    computer: svc_computer\n',
      'robot_demo/devices/pump/device.yml':
        'type: pump\ndesc: A pump of EOS\ninit_parameters:\n  address: http://eos.invalid\n  lab: l\n  device: d\n' +
        '  simulate: true\n  functions: { dose: { parameters: {}, twin: { result: 5 } } }\n',
      'robot_demo/devices/pump/device.ts': `import { EosDevice } from '@lab/instruments/eos';\nexport default class Pump extends EosDevice {}\n`,
    });
    lab = await startLab(['robot_lab'], { userDir });
  });
  afterAll(async () => {
    await lab?.stack.dispose();
    await server.stop();
    rmSync(userDir, { recursive: true, force: true });
  });

  it('whose run waits for recovery asks for a person, who decides beside the call, which goes on', async () => {
    const rpc = (name: string, body: object) => lab.api.call('POST', `/api/rpc/robot_lab/flex/${name}`, body);
    const call = rpc('run_protocol', { file: { name: 'p.py', text: 'fail A1\nwait 50' } });
    const [item] = await eventually(
      () => open(lab),
      (items) => items.length > 0,
    );
    expect(item).toMatchObject({
      kind: 'device',
      device: 'robot_lab.flex',
      reason: { code: 'device_asks' },
      actions: [],
      look_at: [expect.stringMatching(/pickUpTip failed.*action retry .*skip .*ignore .*stop/)],
    });
    const command = /command (\S+) and/.exec(item?.reason.message ?? '')?.[1] ?? '';
    server.mend('A1');
    expect(await rpc('recover', { command, action: 'retry' })).toMatchObject({ status: 200 });
    expect(await call).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    expect(
      await eventually(
        () => open(lab),
        (items) => items.length === 0,
      ),
    ).toEqual([]);
    const effects = await eventually(
      () => lab.api.all<{ function: string; state: string }>('/api/effects'),
      (records) => records.every(({ state }) => state !== 'running'),
    );
    expect(effects.map((each) => [each.function, each.state]).sort()).toEqual([
      ['recover', 'completed'],
      ['run_protocol', 'completed'],
    ]);
  });

  const call = (device: string, name: string, body: object = {}) =>
    lab.api.call('POST', `/api/rpc/robot_lab/${device}/${name}`, body);

  it('and a device of EOS are recorded by svc device record, and shown by svc device replay', async () => {
    const home = await recordedBySvc(lab, 'robot_lab.flex', join(userDir, 'flex.ndjson'), async () =>
      expect(await call('flex', 'home')).toMatchObject({ status: 200 }),
    );
    expect(home).toMatch(/--> \d+: \{"method":"POST","path":"\/commands",.*"key":"svc-\{call_id\}"/);
    expect(home).toMatch(/<-- \d+: \{"status":201,/);
    const dose = await recordedBySvc(lab, 'robot_lab.pump', join(userDir, 'pump.ndjson'), async () =>
      expect(await call('pump', 'dose')).toMatchObject({ status: 200, body: 5 }),
    );
    expect(dose).toMatch(/--> \d+: \{"method":"POST","path":"\/api\/rpc\/l\/d\/dose","body":\{\}\}/);
  });

  it('is a device that answers from a recording, with the ids of other calls', async () => {
    const home = { command_type: 'home', params: {} };
    expect(await call('recorded', 'command', home)).toMatchObject({
      status: 200,
      body: { result: { position: 1 } },
    });
    const unknown = await call('recorded', 'command', { command_type: 'dance' });
    expect(unknown.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(unknown.body)).toMatch(/the recording .*opentrons\.ndjson has/);
    // The agent reports the end of the call after it has answered.
    await eventually(
      () => stateOf(lab, 'recorded'),
      (device) => device?.state === 'idle',
    );
  });
});

describe.skipIf(python === undefined)(
  'a device of MADSci whose process ends in the middle of an action',
  () => {
    let place: string;
    let peer: MadsciPeer;
    let lab: Lab;

    beforeAll(async () => {
      place = mkdtempSync(join(tmpdir(), 'madsci-lab-'));
      peer = await startMadsciNode(python ?? '', place);
      const userDir = join(place, 'user');
      write(userDir, {
        'node_demo/package.json': manifest('node_demo'),
        'node_demo/devices/arm/device.yml': `type: arm\ndesc: An arm\ninit_parameters:\n  address: ${peer.url}\n  poll: 0.1\n`,
        'node_demo/devices/arm/device.ts': `import type { AddedFunction } from '@lab/sdk';
import { MadsciDevice } from '@lab/instruments/madsci';

export default class Arm extends MadsciDevice {
  override _svc_functions(): Record<string, AddedFunction> {
    return {
      ...super._svc_functions(),
      die: { kind: 'query', parameters: {}, call: () => process.exit(9) },
    };
  }
}
`,
        'node_demo/laboratories/node_lab/lab.yml':
          'name: node_lab\ndesc: An arm\ndevices:\n  arm:\n    desc: Arm\n    type: arm\n    computer: svc_computer\n',
      });
      lab = await startLab(['node_lab'], { userDir });
    });
    afterAll(async () => {
      await lab?.stack.dispose();
      await peer?.kill();
      rmSync(place, { recursive: true, force: true });
    });

    const rpc = (name: string, body: object = {}) =>
      lab.api.call('POST', `/api/rpc/node_lab/arm/${name}`, body);

    async function interrupted(seconds: number, to: string): Promise<void> {
      const call = rpc('move', { seconds, to });
      await until('it moves', () => peer.moves().at(-1) === to);
      void rpc('die').catch(() => undefined);
      expect((await call).status).toBeGreaterThanOrEqual(500);
    }

    it('is recorded by svc device record, and shown by svc device replay', async () => {
      const moved = await recordedBySvc(lab, 'node_lab.arm', join(place, 'arm.ndjson'), async () =>
        expect(await rpc('move', { seconds: 0, to: 'recorded' })).toMatchObject({ status: 200 }),
      );
      const [made, started] = ['"/action/move"', '/start"'].map((path) => moved.indexOf(path));
      expect(made).toBeGreaterThan(0);
      expect(started).toBeGreaterThan(made ?? 0);
      expect(peer.moves()).toContain('recorded');
    });

    it('is usable again once the node says that the action has ended, which is not repeated', async () => {
      await interrupted(0.05, 'short');
      await eventually(
        () => stateOf(lab, 'arm'),
        (device) => device?.state === 'idle',
      );
      expect(peer.moves().filter((move) => move === 'short')).toHaveLength(1);
      expect(await rpc('measure')).toMatchObject({ status: 200 });
    });

    it('stays uncertain while the action goes on at the node, and a person decides', async () => {
      await interrupted(4, 'long');
      const device = await eventually(
        () => stateOf(lab, 'arm'),
        (each) => each?.state === 'uncertain' && each.detail?.includes('is running') === true,
      );
      expect(device?.detail).toMatch(/the action \S+ \(move\) is running/);
      const [item] = await eventually(
        () => open(lab),
        (items) => items.length > 0,
      );
      expect(item).toMatchObject({ reason: { code: 'device_uncertain' }, actions: ['idle'] });
      const decision = { action: 'idle', note: 'looked: it is at home', by: 'ada' } as const;
      expect((await lab.api.resolve(item?.id ?? '', decision)).status).toBe(200);
      await eventually(
        () => stateOf(lab, 'arm'),
        (each) => each?.state === 'idle',
      );
      expect(peer.moves().filter((move) => move === 'long')).toHaveLength(1);
    });
  },
);
