import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttentionRecord } from '@lab/contracts';
import { until } from '../../libs/instruments/test/in-context.js';
import { RobotServer } from '../../libs/instruments/test/opentrons/robot-server.js';
import { eventually } from '../api.js';
import { startLab, type Lab } from '../lab.js';
import { pythonFor, startMadsciNode, type MadsciPeer } from './madsci-node.js';

/** Devices that ask for a person, or lose their processes, in the whole service. */

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

const open = (lab: Lab): Promise<AttentionRecord[]> => lab.api.attention();
const stateOf = async (lab: Lab, name: string) =>
  (await lab.api.devices()).find((each) => each.name === name);

describe('a run of Opentrons that waits for recovery', () => {
  let userDir: string;
  let lab: Lab;
  const server = new RobotServer();

  beforeAll(async () => {
    userDir = mkdtempSync(join(tmpdir(), 'robot-'));
    const address = await server.start();
    write(userDir, {
      'robot_demo/package.json': manifest('robot_demo'),
      'robot_demo/devices/robot/device.yml': `type: robot\ndesc: A robot\ninit_parameters:\n  address: ${address}\n  poll: 0.1\n`,
      'robot_demo/devices/robot/device.ts': `import { OpentronsDevice } from '@lab/instruments/opentrons';\nexport default class Robot extends OpentronsDevice {}\n`,
      'robot_demo/laboratories/robot_lab/lab.yml':
        'name: robot_lab\ndesc: A robot\ndevices:\n  flex:\n    desc: Flex\n    type: robot\n    computer: svc_computer\n',
    });
    lab = await startLab(['robot_lab'], { userDir });
  });
  afterAll(async () => {
    await lab?.stack.dispose();
    await server.stop();
    rmSync(userDir, { recursive: true, force: true });
  });

  it('is an item for a person, who decides beside the call, which goes on', async () => {
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
