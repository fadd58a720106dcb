import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { processEnvironment } from '@lab/runtime';
import { JoinableService } from './joining/service.js';
import { Lab } from './lab.js';
import { checkedManifest, liveThrough, makePackages, said, unpack, type Machine } from './packaged.js';

/** The package for Windows in Wine, with the Node that Wine can run. `npm run test:wine` gets Wine. */

const run = promisify(execFile);
const wine = fileURLToPath(new URL('../../../.cache/wine/', import.meta.url));
const program = join(wine, 'usr/lib/wine/wine64');
const env = {
  ...processEnvironment(),
  WINEPREFIX: join(wine, 'prefix'),
  WINEDEBUG: '-all',
  LD_LIBRARY_PATH: ['', 'pulseaudio'].map((each) => join(wine, 'usr/lib/x86_64-linux-gnu', each)).join(':'),
};

/**
 * Runs a command line, prints its output, and ends with its exit code. In Wine, Node writes to files but not to pipes of this
 * system.
 */
const followed = `
  : >"$OUTPUT"
  "$0" "$@" >"$OUTPUT" 2>&1 &
  tail --follow --lines=+1 --sleep-interval=0.1 --pid=$! "$OUTPUT"
  wait $!`;

/** A path of this computer as Wine names it. */
const windowsPath = (path: string): string => `Z:${path.replaceAll('/', '\\')}`;

function wineMachine(folder: string): Machine {
  const launcher = windowsPath(join(folder, 'svc-agent.cmd'));
  let outputs = 0;
  return {
    // The paths of tests begin at the root of the drive of the working folder.
    start: (args) =>
      spawn('bash', ['-c', followed, program, 'cmd', '/c', launcher, ...args], {
        env: { ...env, OUTPUT: join(folder, `output-${(outputs += 1)}`) },
        cwd: '/',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    kill: async (pid) => void (await run(program, ['taskkill', '/f', '/pid', String(pid)], { env })),
  };
}

let folder: string;
let machine: Machine;
beforeAll(async () => {
  expect(existsSync(program), 'run this test with: npm run test:wine').toBe(true);
  folder = await mkdtemp(join(tmpdir(), 'lab-wine-'));
  const [made] = await makePackages(folder, '--for-wine');
  const unpacked = await unpack(made?.path ?? '', join(folder, 'empty'));
  expect(await checkedManifest(unpacked)).toMatchObject({ platform: 'win-x64' });
  machine = wineMachine(unpacked);
  expect(await said(machine, 'version')).toEqual([expect.stringMatching(/^svc-agent .*, win32-x64$/)]);
});
afterAll(async () => {
  // Ends what still runs in Wine, and its server.
  const server = spawn(join(wine, 'usr/lib/wine/wineserver64'), ['-k', '-w'], { env, stdio: 'ignore' });
  await once(server, 'exit');
  await rm(folder, { recursive: true, force: true });
});

it('the package for Windows runs devices and tasks, and stops in order', async () => {
  const lab = await Lab.open();
  try {
    await liveThrough(lab, machine);
  } finally {
    await lab.close();
  }
});

it('the package for Windows joins a service over TLS, moves its arm, and sends the file of a task', async () => {
  const trace = join(folder, 'trace');
  const service = await JoinableService.start('two_computers', await writeLaboratory(trace));
  const data = windowsPath(join(folder, 'data'));
  try {
    const token = await service.invite('bench_c');
    const joined = await said(machine, 'join', service.url, token, '--data', data, '--no-service');
    expect(joined[0]).toMatch(/^Joined as bench_c\. Credentials until /);
    const layers = (await said(machine, 'doctor', '--data', data))
      .slice(1)
      .map((line) => line.split(/ +/, 2));
    expect(new Set(layers.map(([verdict]) => verdict))).toEqual(new Set(['ok']));
    expect(layers.map(([, layer]) => layer).slice(-3)).toEqual(['credential', 'broker', 'release']);

    const agent = machine.start(['run', '--data', data]);
    const gone = once(agent, 'close');
    agent.stdout?.resume();
    agent.stderr?.resume();
    const devices = () => service.read<{ items: { name: string; state: string }[] }>('/api/devices');
    const state = async () => (await devices()).items.find(({ name }) => name === 'far_arm')?.state;
    await expect.poll(state, { timeout: 60_000 }).toBe('idle');
    expect(await service.online()).toContain('bench_c');
    await service.ask('/api/rpc/two_computers/far_arm/move', { seconds: 0, to: 'a1' });
    await service.ask('/api/tasks', {
      ...{ name: 'first', type: 'carry', devices: { arm: { lab_name: 'two_computers', name: 'far_arm' } } },
      input_parameters: { seconds: 0, to: 'a2' },
    });
    const task = () => service.read<{ state: string; output_files: { name: string }[] }>('/api/tasks/first');
    await expect.poll(async () => (await task()).state, { timeout: 60_000 }).toBe('completed');
    expect((await task()).output_files.map(({ name }) => name)).toEqual(['log.txt']);
    expect(await readFile(trace, 'utf8')).toBe('a1\na2\n');

    expect((await said(machine, 'stop', '--data', data))[0]).toMatch(/has stopped$/);
    expect(await gone).toEqual([0, null]);
    expect(await service.online()).not.toContain('bench_c');
  } finally {
    await service.stack.dispose();
  }
});

/** The package of a laboratory with an arm on the computer in Wine. @returns the folder of the packages */
async function writeLaboratory(trace: string): Promise<string> {
  const name = 'two_computers';
  const packages = join(folder, 'packages');
  await cp(fileURLToPath(new URL(`../../../e2e/fixtures/${name}`, import.meta.url)), join(packages, name), {
    recursive: true,
  });
  const file = join(packages, name, 'laboratories', name, 'lab.yml');
  const text = await readFile(file, 'utf8');
  const traced = `$&\n    init_parameters: { trace: '${windowsPath(trace)}' }`;
  await writeFile(
    file,
    text
      .replace(/^ {2}far_arm:$/m, traced)
      .replace(/^ {2}near_arm:$/m, `$&\n    init_parameters: { trace: '${trace}.near' }`),
  );
  return packages;
}
