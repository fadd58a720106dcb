import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NpmPackages } from '../src/npm-packages.js';
import { RecordedLog } from './recorded-log.js';

/** Against the npm registry, with the npm of this computer. */

const small = ['is-number@7.0.0'];

let folder: string;
let log: RecordedLog;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-packages-'));
  log = new RecordedLog();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const packages = (timeoutMs?: number): NpmPackages =>
  new NpmPackages(folder, log, timeoutMs === undefined ? {} : { timeoutMs });
const runs = (): number => log.lines.filter(({ message }) => message === 'installing npm packages').length;

/** An npm that runs the given text instead of the real one. */
async function standIn(text: string): Promise<void> {
  const path = join(folder, 'npm-cli.js');
  await writeFile(path, text);
  vi.stubEnv('npm_execpath', path);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie still takes signals, but runs nothing.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    expect(['ESRCH', 'ENOENT']).toContain((error as NodeJS.ErrnoException).code);
    return false;
  }
}

describe('npm packages', () => {
  it('are installed once for simultaneous and later requests, also after a restart', async () => {
    const one = packages();
    const places = await Promise.all([one.install(small), one.install(small), one.install(small)]);
    expect(new Set(places).size).toBe(1);
    expect(await one.install(small)).toBe(places[0]);
    expect(await packages().install(small)).toBe(places[0]);
    expect(runs()).toBe(1);
    const manifest = await readFile(join(places[0] ?? '', 'node_modules/is-number/package.json'), 'utf8');
    expect(JSON.parse(manifest)).toMatchObject({ version: '7.0.0' });
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('are installed again when a part of them was removed', async () => {
    const place = await packages().install(small);
    await rm(join(place, 'node_modules', 'is-number'), { recursive: true });
    expect(await packages().install(small)).toBe(place);
    expect(existsSync(join(place, 'node_modules', 'is-number'))).toBe(true);
    expect(runs()).toBe(2);
  });

  it('with an unknown version leave nothing behind, and the error names the fault and a command', async () => {
    const one = packages();
    const wrong = ['is-number@7.0.999'];
    await expect(one.install(wrong)).rejects.toMatchObject({
      code: 'not_found',
      message:
        'npm could not install is-number@7.0.999: notarget No matching version found for is-number@7.0.999.; ' +
        'to see its whole output, run in an empty folder: npm install --omit=dev is-number@7.0.999',
    });
    expect(await readdir(folder)).toEqual([]);
    await expect(one.install(wrong)).rejects.toThrow('No matching version');
    expect(runs()).toBe(2);
  });

  it('of several sets are installed one set after the other', async () => {
    await standIn(`
      const fs = require('node:fs');
      const { dependencies } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
      fs.mkdirSync('../running');
      for (const [name, version] of Object.entries(dependencies)) {
        fs.mkdirSync('node_modules/' + name, { recursive: true });
        fs.writeFileSync('node_modules/' + name + '/package.json', JSON.stringify({ version }));
      }
      setTimeout(() => fs.rmdirSync('../running'), 100);
    `);
    const one = packages();
    const places = await Promise.all([one.install(['a@1.0.0']), one.install(['a@1.0.1', 'b@1.0.0'])]);
    expect(new Set(places).size).toBe(2);
  });

  it('are not accepted when npm reports success without installing them', async () => {
    await standIn('');
    await expect(packages().install(small)).rejects.toThrow('did not install all of them');
  });

  it('report the reason why a compiler failed', async () => {
    await standIn(`
      console.error('npm error code 1');
      console.error('npm error path /somewhere');
      console.error('npm error gyp ERR! stack Error: not found: make');
      console.error('npm error gyp ERR! not ok');
      console.error('npm error A complete log of this run can be found in: /somewhere');
      process.exit(1);
    `);
    await expect(packages().install(small)).rejects.toThrow(
      'npm could not install is-number@7.0.0: gyp ERR! stack Error: not found: make; to see',
    );
  });

  it('are refused in one sentence on a computer without npm', async () => {
    vi.stubEnv('npm_execpath', '');
    vi.stubEnv('PATH', folder);
    const sentence = `the computer ${hostname()} has no npm, which its code needs for is-number@7.0.0: install Node ${process.versions.node} with npm there, or run this code on another computer`;
    await expect(packages().install(small)).rejects.toMatchObject({ code: 'not_found', message: sentence });
    expect(await readdir(folder)).toEqual([]);
  });

  describe('with an installation that does not end', () => {
    const started = async (): Promise<number> =>
      vi.waitFor(async () => Number(await readFile(join(folder, 'pid'), 'utf8')), { timeout: 10_000 });

    beforeEach(() =>
      standIn(`
        const { spawn } = require('node:child_process');
        const script = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
        require('node:fs').writeFileSync('../pid', String(script.pid));
      `),
    );

    it('are abandoned in time, with every process of the installation', async () => {
      const installed = packages(1_500).install(small);
      await expect(installed).rejects.toThrow('npm did not end within 1.5 s');
      const pid = await started();
      await expect.poll(() => isAlive(pid)).toBe(false);
    });

    it('are abandoned when the agent stops, and no new installation begins', async () => {
      const one = packages();
      const refused = Promise.all(
        [one.install(small), one.install(['is-number@6.0.0'])].map((each) =>
          expect(each).rejects.toMatchObject({ code: 'service_unavailable' }),
        ),
      );
      const pid = await started();
      await one.close();
      await refused;
      await expect.poll(() => isAlive(pid)).toBe(false);
      expect(runs()).toBe(1);
    });
  });

  it('are removed when a killed agent left them half done, and complete ones are kept', async () => {
    const place = await packages().install(small);
    await mkdir(join(folder, '.draft-1', 'node_modules'), { recursive: true });
    await packages().removeLeftovers();
    expect(await readdir(folder)).toEqual([place.slice(folder.length + 1)]);
    await expect(new NpmPackages(join(folder, 'none'), log).removeLeftovers()).resolves.toBeUndefined();
  });
});
