import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { freePort } from '@lab/testkit';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The data folders of demonstrations. */
async function dataFolders(): Promise<string[]> {
  const found = await readdir(join(root, '.svc')).catch(() => []);
  return found.filter((name) => name.startsWith('demo-'));
}

it('the demonstration completes both campaigns, finds a nearer color with the optimizer and leaves no data', async () => {
  const before = await dataFolders();
  const env = { ...process.env, SVC_HTTP_PORT: String(await freePort()) };
  // `npm run demo` ends with 0 only when both campaigns completed and the optimizer came nearer to the color.
  const { stdout } = await promisify(execFile)('npm', ['--silent', 'run', 'demo'], { cwd: root, env });
  expect(stdout).toContain('takes about 40 s');
  expect(stdout).toContain('18 runs at random: 18 of 18');
  expect(stdout).toContain('18 runs optimized: 18 of 18');
  const [progress = ''] = stdout.split(/^after /m);
  // Without a terminal, a campaign has one line for each quarter.
  expect(progress.trim().split('\n').length).toBeLessThan(20);
  expect(await dataFolders()).toEqual(before);
});
