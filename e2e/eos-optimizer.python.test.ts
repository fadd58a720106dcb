import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pythonEnvironment } from '../tools/python/wheel.js';
import { GuideShell } from './guide-commands.js';
import { startLab, type Lab } from './lab.js';

/** An optimizer of a package of EOS in a campaign, where the Python of the services has pandas. */

let userDir: string;
let lab: Lab;

beforeAll(async () => {
  userDir = mkdtempSync(join(tmpdir(), 'svc-eos-'));
  lab = await startLab([], { userDir, env: { SVC_PYTHON: pythonEnvironment().python } });
});
afterAll(async () => {
  await lab?.stack.dispose();
  rmSync(userDir, { recursive: true, force: true });
});

it('the guide: an optimizer of its own finds volumes for a campaign', async () => {
  const shell = new GuideShell();
  try {
    const env = { SVC_URL: lab.stack.url, SVC_DATA_DIR: lab.stack.dataDir, SVC_USER_DIR: userDir };
    const despite = 'the computer of the test may have no pandas';
    const followed = await shell.follow('docs/guide/from-eos.md', { instead: {}, env, despite });
    expect(followed).toMatchObject({ typed: 9, left: [expect.stringContaining('a service already')] });
  } finally {
    shell.dispose();
  }
  const campaign = await lab.api.campaign('search');
  expect(campaign).toMatchObject({ state: 'completed', protocol_runs_completed: 3 });
  const volumes = campaign.protocol_runs.map(({ parameters }) => Number(parameters['water']?.['volume']));
  for (const volume of volumes) expect(volume).toBeGreaterThanOrEqual(0);
  // The bed keeps what it gets, so the last run has the most.
  expect(campaign.optimizer?.best).toMatchObject([{ 'water.volume': volumes.at(-1) }]);
});
