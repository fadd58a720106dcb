import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServiceStack, type Stack } from '@lab/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GuideShell, type GuideShellOptions } from './guide-commands.js';

/** Follows the pages about computers of the lab, on a service with HTTPS, with the program of the package of the agent. */

const root = fileURLToPath(new URL('../', import.meta.url));
let shell: GuideShell;
let stack: Stack;
let env: Record<string, string>;

beforeAll(async () => {
  shell = new GuideShell();
  const packages = join(shell.folder, 'packages');
  mkdirSync(packages);
  const tool = join(root, 'tools', 'run.mjs');
  await promisify(execFile)(process.execPath, [tool, 'package/package', '--own-node', '--out', packages]);
  const agent = join(shell.folder, 'bin', 'svc-agent');
  writeFileSync(
    agent,
    `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'apps/agent/dist/svc-agent.js')}" "$@"\n`,
  );
  chmodSync(agent, 0o755);
  const settings = {
    ...{ SVC_AUTH: 'tokens', SVC_HTTP_HOST: '0.0.0.0', SVC_LABS: 'multiplication_lab' },
    ...{ SVC_HTTPS_CERTIFICATE: 'own', SVC_HTTPS_NAMES: '127.0.0.1', SVC_AGENT_PACKAGES: packages },
  };
  stack = await startServiceStack({ env: settings });
  env = {
    ...{ SVC_URL: stack.url, SVC_DATA_DIR: stack.dataDir },
    // The data folder of the agent: each block of the page has a home folder of its own.
    XDG_STATE_HOME: join(shell.folder, 'state'),
  };
});
afterAll(async () => {
  await stack?.dispose();
  shell?.dispose();
});

const options = (): GuideShellOptions => ({
  // The commands of the agent must not find the data folder of the service.
  instead: {
    'https://lab-server:8443': stack.url,
    '--no-service': '--no-service --data "$XDG_STATE_HOME"',
    'svc-agent doctor': 'svc-agent doctor --data "$XDG_STATE_HOME"',
  },
  env,
});

describe('the guide', { timeout: 200_000 }, () => {
  it('computers of the lab: the commands do what the page says', async () => {
    const { typed, compared, left } = await shell.follow('docs/guide/computers.md', options());
    expect({ typed, compared }).toEqual({ typed: 9, compared: 8 });
    expect(left).toHaveLength(7);
  });

  it('for IT security: the commands do what the page says', async () => {
    const { typed, compared } = await shell.follow('docs/guide/it-security.md', options());
    expect({ typed, compared }).toEqual({ typed: 3, compared: 3 });
  });
});
