import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readRecording } from '@lab/instruments/kit';
import { processEnvironment } from '@lab/runtime';
import { withoutPython } from '@lab/testkit/python';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPlateReader, type PlateReader } from '../libs/sila/test/plate-reader.js';
import { blocksOf, guide, guideFiles, textOf } from '../tools/test/guide-blocks.js';
import { eventually } from './api.js';
import { startLab, type Lab } from './lab.js';

/** Types the commands of the guide pages about instruments, from an empty folder to the first call of each kind, on one service. */

const root = fileURLToPath(new URL('../', import.meta.url));

let folder: string;
let lab: Lab;
let reader: PlateReader;
/** What stands for the server of SiLA on the page. */
let instead: Record<string, string> = {};

/** The commands of a block of a page, without the start of the service. @param has a text in it */
function block(has: string, page = 'instruments'): string {
  const found = blocksOf(page, textOf(`${guide}/${page}.md`)).find(
    ({ language, text }) => language === 'sh' && text.includes(has),
  );
  if (found === undefined) throw new Error(`the page ${page} has no commands with ${has}`);
  const commands = found.text.replaceAll(/^svc start .*\n/gm, '');
  return Object.entries(instead).reduce((all, [shown, real]) => all.replaceAll(shown, real), commands);
}

const environment = (): Record<string, string | undefined> => ({
  ...processEnvironment(),
  PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
  ...(lab === undefined ? {} : { SVC_URL: lab.stack.url }),
});

/** What the commands print. Each has to succeed. */
async function run(commands: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-ec', commands], { cwd: folder, env: environment() });
  return stdout;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-instruments-'));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(root, 'apps/cli/bin/svc.mjs'), join(folder, 'bin/svc'));
  reader = await startPlateReader();
  instead = {
    'svc device discover': 'svc device discover --interface 127.0.0.1 --timeout 2',
    '25597b36-e9bf-11e8-aeb5-f2801f1b9fd1': reader.uuid,
    '192.168.7.20:50052': reader.address,
    '3F:0A:9C:51:E2:77:4B:16:88:D0:25:6F:C3:94:1A:5E:B7:02:6D:F9:30:8C:44:A1:7E:D5:59:13:EB:26:90:CF':
      reader.fingerprint,
  };
});
afterAll(async () => {
  await lab?.stack.dispose();
  await reader?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What people see of the supply. */
async function reportOf(): Promise<Record<string, unknown>> {
  const path = '/api/labs/bench_demo_lab/devices/supply_1?report=true';
  return (await lab.api.call<{ report: Record<string, unknown> }>('GET', path)).body.report;
}

describe('an instrument with a protocol', () => {
  it('is a device without code after four commands, of each kind', async () => {
    expect(await run(block('svc pkg create'))).toContain('no errors');
    const others = await run(block('--kind modbus'));
    expect(others).toContain('oven_1');
    expect(others).toContain('added serialport, which the agent installs');
    expect(others).toContain('no errors');
    expect(JSON.parse(readFileSync(join(folder, 'packages/scale_demo/package.json'), 'utf8'))).toMatchObject({
      ...{ dependencies: { serialport: '13.0.0' }, svc: { external: ['serialport'] } },
    });
  });

  it('of another system is a device after the commands of its page, with the lab of the page', async () => {
    for (const kind of ['madsci', 'opentrons', 'eos'])
      expect(await run(block(`--kind ${kind}`, 'other-systems'))).toMatch(/added the device \w+_1 to/);
    for (const { path, text } of guideFiles.filter((each) => each.path.startsWith('other_demo/')))
      writeFileSync(join(folder, 'packages', path), text);
  });

  it('with SiLA is found in the network, and is a device that trusts its certificate', async () => {
    const found = await run(block('svc device discover', 'sila'));
    for (const shown of Object.values(instead).slice(1)) expect(found).toContain(shown);
    expect(found).toContain('certificate  self-signed, CN ');
    expect(await run(block('--kind sila', 'sila'))).toMatch(/added the device sila_server_1[\s\S]*no errors/);
  });

  it('answers its first call as the pages say', async () => {
    const labs = ['bench_demo_lab', 'scale_demo_lab', 'other_demo_lab', 'sila_demo_lab'];
    lab = await startLab(labs, { userDir: join(folder, 'packages'), idle: false, readyMs: 200_000 });
    // The agent installs serialport first.
    await eventually(
      async () =>
        (await lab.api.devices())
          .filter(({ state }) => state !== 'idle')
          .map(({ name, state, detail }) => ({ name, state, detail })),
      (late) => late.length === 0,
      150_000,
    );
    expect(await run(block('svc rpc bench_demo_lab supply_1 voltage'))).toMatch(/\b0\n$/);
    expect(await run(block('svc rpc bench_demo_lab oven_1'))).toMatch(/\b0\n12\.34\n$/);
    expect(await run(block('svc rpc sila_demo_lab', 'sila'))).toMatch(/"Absorbance": 0\.42/);
    expect(await reportOf()).toEqual({ connected: true, simulated: true, voltage: 0 });
  });

  it.each([
    ['reader/read_plate', expect.objectContaining({ result: { absorbance: 0.42 } })],
    ['robot/run_protocol', expect.objectContaining({ status: 'succeeded' })],
    ['pump/dose', 5],
  ])('of another system answers its first call as the page says: %s', async (call, answer) => {
    const command = block(`/api/rpc/other_demo_lab/${call}`, 'other-systems');
    const printed = await run(command.replace('http://127.0.0.1:8070', lab.stack.url));
    expect(JSON.parse(printed)).toEqual(answer);
  });

  it('refuses an argument out of range before the instrument gets it', async () => {
    const asked = run(`svc rpc bench_demo_lab supply_1 set_voltage '{"volts": 31}'`);
    await expect(asked).rejects.toThrow(/arguments\.volts/);
  });

  it('is recorded while it works, and its recording answers in its place', async () => {
    const recording = run(
      block('svc device record')
        .split('\n')
        .filter((line) => line.includes('record '))
        .join('\n'),
    );
    await eventually(reportOf, ({ recording: file }) => file !== undefined);
    for (let volts = 0; volts < 3; volts += 1) {
      await lab.api.call('POST', '/api/rpc/bench_demo_lab/supply_1/set_voltage', { volts });
      await lab.api.call('POST', '/api/rpc/bench_demo_lab/supply_1/voltage', {});
    }
    expect(await recording).toMatch(/wrote \d+ lines to supply\.ndjson/);
    const { entries, head } = readRecording(
      readFileSync(join(folder, 'supply.ndjson'), 'utf8'),
      'supply.ndjson',
    );
    expect(head.of).toBe('bench_demo_lab.supply_1');
    const sent = entries.flatMap((entry) => ('hex' in entry && entry.dir === 'out' ? [entry] : []));
    expect(sent.map(({ hex }) => Buffer.from(hex, 'hex').toString())).toContain('SOUR:VOLT 0.000\n');
    expect(sent.find(({ call }) => call !== undefined)?.call).toMatch(/^[0-9a-f-]{36}/);
    expect(await run('svc device replay supply.ndjson')).toContain('--> "MEAS:VOLT:DC?\\n"');
    if (!withoutPython()) {
      const path = join(root, 'libs/python-host/src');
      expect(await run(`export PYTHONPATH='${path}'\n${block('svc_lab.replay')}`)).toBe("b'0\\n'\n");
    }

    const replay = spawn(join(folder, 'bin/svc'), ['device', 'replay', 'supply.ndjson', '--port', '0'], {
      ...{
        cwd: folder,
        env: environment() as NodeJS.ProcessEnv,
        stdio: ['ignore', 'pipe', 'inherit'] as const,
      },
    });
    try {
      const [line] = (await once(replay.stdout, 'data')) as [Buffer];
      const socket = createConnection(Number(/127\.0\.0\.1:(\d+)/.exec(line.toString())?.[1]), '127.0.0.1');
      socket.write('MEAS:VOLT:DC?\n');
      expect(String(((await once(socket, 'data')) as [Buffer])[0])).toBe('0\n');
      socket.destroy();
    } finally {
      replay.kill('SIGTERM');
      await once(replay, 'exit');
    }
    expect(replay.exitCode).toBe(0);
  });
});
