import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { unpack } from '../../src/updates/unpack.js';
import { partsOfPackage, platform, tarGzOf } from './packages.js';

/** Only a process of its own, and no thread, has a umask. */

it('an unpacked version can be read by every user, whatever the umask of the agent', async () => {
  const data = mkdtempSync(join(tmpdir(), 'lab-unpack-'));
  const version = '0.2.0';
  const name = `svc-agent-${version}-${platform}.tar.gz`;
  const before = process.umask(0o077);
  try {
    writeFileSync(join(data, name), await tarGzOf(partsOfPackage(version, '#!/bin/sh\n')));
    await unpack(join(data, name), join(data, 'unpacked'), { name, version, platform }, data);
  } finally {
    process.umask(before);
  }
  const modeOf = (path: string): number => statSync(join(data, 'unpacked', path)).mode & 0o777;
  expect(['.', 'app', 'svc-agent', 'app/package.json'].map(modeOf)).toEqual([0o755, 0o755, 0o755, 0o644]);
  rmSync(data, { recursive: true, force: true });
});
