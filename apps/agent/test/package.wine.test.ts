import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { processEnvironment } from '@lab/runtime';
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
beforeAll(async () => {
  expect(existsSync(program), 'run this test with: npm run test:wine').toBe(true);
  folder = await mkdtemp(join(tmpdir(), 'lab-wine-'));
});
afterAll(async () => {
  // Ends what still runs in Wine, and its server.
  const server = spawn(join(wine, 'usr/lib/wine/wineserver64'), ['-k', '-w'], { env, stdio: 'ignore' });
  await once(server, 'exit');
  await rm(folder, { recursive: true, force: true });
});

it('the package for Windows runs devices and tasks, and stops in order', async () => {
  const [made] = await makePackages(folder, '--for-wine');
  const unpacked = await unpack(made?.path ?? '', join(folder, 'empty'));
  expect(await checkedManifest(unpacked)).toMatchObject({ platform: 'win-x64' });
  const machine = wineMachine(unpacked);
  expect(await said(machine, 'version')).toEqual([expect.stringMatching(/^svc-agent .*, win32-x64$/)]);
  const lab = await Lab.open();
  try {
    await liveThrough(lab, machine);
  } finally {
    await lab.close();
  }
});
