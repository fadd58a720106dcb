import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLoader, loadPackages, type Catalog } from '../src/index.js';
import { createUserDir, edited, soundPackage, writeFiles, type Files } from './package-fixture.js';

const lab = 'demo/laboratories/lab/lab.yml';
const device = 'demo/devices/mixer/device.yml';
const mix = 'demo/tasks/mix/task.yml';
const protocol = 'demo/experiments/run/experiment.yml';

let place: Awaited<ReturnType<typeof createUserDir>>;
beforeEach(async () => {
  place = await createUserDir();
  await writeFiles(place.userDir, {});
});
afterEach(() => place.dispose());

async function change(files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    if (text === null) await rm(join(place.userDir, path));
    else await writeFile(join(place.userDir, path), text);
  }
}

/** The whole content of a catalog, for comparison. */
const content = (catalog: Catalog): unknown => ({
  diagnostics: catalog.diagnostics,
  warnings: catalog.warnings,
  origins: catalog.origins,
  labs: catalog.labs(),
  devices: catalog.deviceTypes().map((type) => catalog.deviceType(type)),
  tasks: catalog.taskTypes().map((type) => catalog.task(type)),
  protocols: catalog.protocolTypes().map((type) => catalog.protocol(type)),
});

describe('a repeated load', () => {
  it('gives the identical definitions while no file changes', async () => {
    const loader = createLoader(place);
    const first = await loader.load();
    const second = await loader.load();
    expect(second.diagnostics).toEqual([]);
    expect(second.protocol('run')).toBe(first.protocol('run'));
    expect(second.task('mix')).toBe(first.task('mix'));
    expect(second.lab('lab')).toBe(first.lab('lab'));
  });

  it('creates only changed definitions and their users again', async () => {
    const loader = createLoader(place);
    const first = await loader.load();
    await change(edited(mix, 'max: 10', 'max: 9'));
    const second = await loader.load();
    expect(second.task('mix')?.hash).not.toBe(first.task('mix')?.hash);
    expect(second.protocol('run')?.hash).not.toBe(first.protocol('run')?.hash);
    expect(second.task('weigh')).toBe(first.task('weigh'));
    expect(second.lab('lab')).toBe(first.lab('lab'));
    await change({ [protocol]: `# a comment\n${soundPackage[protocol]}` });
    const third = await loader.load();
    expect(third.protocol('run')?.hash).toBe(second.protocol('run')?.hash);
  });

  it('detects a change that keeps size and place of a file', async () => {
    const loader = createLoader(place);
    await loader.load();
    for (const speed of [2, 3, 4, 5]) {
      await change(edited(device, 'speed: 1', `speed: ${speed}`));
      const catalog = await loader.load();
      expect(catalog.deviceType('mixer')?.init_parameters['speed']).toBe(speed);
    }
  });

  it('reports after every change the same as a first load', async () => {
    const loader = createLoader(place);
    const steps: Files[] = [
      {},
      edited(lab, 'type: mixer, computer', 'type: mixr, computer'),
      edited(protocol, 'target: 2', 'target: two'),
      edited(lab, 'desc: A lab', 'desc: The lab'),
      { [mix]: null },
      edited(device, 'type: mixer', 'type: stirrer'),
      edited(device, 'type: mixer', 'type: mixr'),
      edited(device, 'desc: Mixes\n', ''),
      { [mix]: soundPackage[mix], [device]: soundPackage[device] },
      { 'demo/tasks/mix/task.ts': 'export default class {\n' },
      {
        'demo/tasks/mix/task.ts': 'export default class Mix { a = 1; }\n',
        [protocol]: soundPackage[protocol],
      },
      { 'demo/devices/scale/device.ts': null },
      { 'demo/devices/scale/device.ts': soundPackage['demo/devices/scale/device.ts'] },
    ];
    for (const step of steps) {
      await change(step);
      const again = await loader.load();
      expect(content(again)).toEqual(content(await loadPackages(place)));
    }
    const last = await loader.load();
    expect([last.diagnostics, last.warnings]).toEqual([[], []]);
  });

  it('serves simultaneous calls one after the other', async () => {
    const loader = createLoader(place);
    const [one, two] = await Promise.all([loader.load(), loader.load()]);
    expect(two.protocol('run')).toBe(one.protocol('run'));
  });
});
