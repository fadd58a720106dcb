import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
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
import { eventually } from './api.js';
import { startLab, type Lab } from './lab.js';

/** Types the commands of the guide page about instruments, from an empty folder. */

const root = fileURLToPath(new URL('../', import.meta.url));
const page = readFileSync(join(root, 'docs/guide/instruments.md'), 'utf8');

let folder: string;
let lab: Lab;

/** The commands of a block of the page. @param has a text in it */
function block(has: string): string {
  const found = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].find(([, text = '']) => text.includes(has));
  if (found?.[1] === undefined) throw new Error(`the page has no commands with ${has}`);
  return found[1];
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
});
afterAll(async () => {
  await lab?.stack.dispose();
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
    expect(await run('svc pkg add device bench_demo oven --kind modbus --dir packages')).toContain('oven_1');
    // A package of its own, because its agent installs serialport.
    const serial =
      'svc pkg create other --dir packages; svc pkg add device other scale --kind serial --dir packages';
    expect(await run(serial)).toContain('added serialport, which the agent installs');
    expect(JSON.parse(readFileSync(join(folder, 'packages/other/package.json'), 'utf8'))).toMatchObject({
      ...{ dependencies: { serialport: '13.0.0' }, svc: { external: ['serialport'] } },
    });
    expect(await run('svc pkg check packages')).toContain('no errors');
  });

  it('answers its first call as the page says', async () => {
    lab = await startLab(['bench_demo_lab'], { userDir: join(folder, 'packages') });
    expect(await run(block('svc rpc bench_demo_lab supply_1 voltage'))).toContain('0');
    expect(await run(`svc rpc bench_demo_lab oven_1 set_temperature '{"celsius": 37.5}'`)).toBeDefined();
    expect(await reportOf()).toEqual({ connected: true, simulated: true, voltage: 0 });
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
