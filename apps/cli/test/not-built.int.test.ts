import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('names the command that builds it when it is not built', () => {
  const clone = mkdtempSync(join(tmpdir(), 'svc-clone-'));
  try {
    const program = join(clone, 'apps/cli/bin/svc.mjs');
    cpSync(fileURLToPath(new URL('../bin/svc.mjs', import.meta.url)), program);
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'packages'], {
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: `svc is not built yet: run \`npm start\` or \`npm run build\` in ${clone}/\n`,
    });
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
});
