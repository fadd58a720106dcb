import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { freePort } from '@lab/testkit';

const svc = fileURLToPath(new URL('../apps/cli/bin/svc.mjs', import.meta.url));

it('the demonstration completes both campaigns, finds a nearer color with the optimizer and leaves no data', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-demo-'));
  try {
    const env = { ...process.env, SVC_HTTP_PORT: String(await freePort()) };
    // `svc demo` ends with 0 only when both campaigns completed and the optimizer came nearer to the color.
    const { stdout } = await promisify(execFile)(process.execPath, [svc, 'demo'], { cwd: folder, env });
    expect(stdout).toContain('takes about 40 s');
    expect(stdout).toContain('18 runs at random: 18 of 18');
    expect(stdout).toContain('18 runs optimized: 18 of 18');
    const [progress = ''] = stdout.split(/^after /m);
    // Without a terminal, a campaign has one line for each quarter.
    expect(progress.trim().split('\n').length).toBeLessThan(20);
    expect(await readdir(join(folder, '.svc'))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
