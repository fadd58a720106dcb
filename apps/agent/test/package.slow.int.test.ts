import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lab } from './lab.js';
import {
  checkedManifest,
  liveThrough,
  makePackages,
  said,
  thisMachine,
  unpack,
  type Made,
} from './packaged.js';

/** With the Node that npm fetches. */

const mebibyte = 1024 * 1024;
let folder: string;
let made: Made[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-package-'));
  made = await makePackages(folder);
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const of = (platform: string): Made => made.find((each) => each.platform === platform) as Made;

describe('the packages', () => {
  it('are less than 60 MiB large, for Linux on two processors and for Windows', () => {
    expect(made.map(({ platform }) => platform)).toEqual(['linux-x64', 'linux-arm64', 'win-x64']);
    for (const { bytes } of made) {
      expect(bytes).toBeGreaterThan(20 * mebibyte);
      expect(bytes).toBeLessThan(60 * mebibyte);
    }
  });

  it('have the same bytes when they are made again', async () => {
    const [again] = await makePackages(join(folder, 'again'), '--platform', 'win-x64');
    expect(again?.sha256).toBe(of('win-x64').sha256);
  }, 300_000);

  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'run devices and tasks on a computer without Node and npm',
    async () => {
      const unpacked = await unpack(of('linux-x64').path, join(folder, 'empty'));
      expect(await checkedManifest(unpacked)).toMatchObject({ platform: 'linux-x64', protocol: 1 });
      const machine = thisMachine(unpacked);
      expect(await said(machine, 'version')).toEqual([
        expect.stringMatching(/^svc-agent [\d.]+, protocol 1, Node 24\.\d+\.\d+ \(ABI 137\), linux-x64$/),
      ]);
      const lab = await Lab.open();
      try {
        await liveThrough(lab, machine);
      } finally {
        await lab.close();
      }
    },
  );
});
