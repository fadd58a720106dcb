import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Lab } from './lab.js';
import { checkedManifest, liveThrough, makePackages, thisMachine, unpack } from './packaged.js';

it('the package of this computer runs devices and tasks without any other program', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lab-package-'));
  const lab = await Lab.open();
  try {
    const [made] = await makePackages(folder, '--own-node');
    const unpacked = await unpack(made?.path ?? '', join(folder, 'empty'));
    expect(await checkedManifest(unpacked)).toMatchObject({ protocol: 1, node: process.versions.node });
    await liveThrough(lab, thisMachine(unpacked));
  } finally {
    await lab.close();
    await rm(folder, { recursive: true, force: true });
  }
});
