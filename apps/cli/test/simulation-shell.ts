import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { svcHere, type Ran } from './in-process.js';
import './loaded-here.js';

/** The file of the repository with this path. */
export const pathOf = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));

export interface SimulationShell {
  /** Set before the first test of the file. */
  files: {
    /** The folder in which commands are typed. It contains the scenario as `color_day.yml`. */
    folder: string;
    /** The page of the guide about simulation. */
    page: string;
    /** The scenario that this page shows. */
    scenario: string;
  };
  /** Types `svc` with the packages of the product. */
  svc(...args: string[]): Promise<Ran>;
}

/** A folder in which the tests of one file type `svc sim` commands. */
export function simulationShell(): SimulationShell {
  const files = { folder: '', page: '', scenario: '' };
  beforeAll(async () => {
    files.folder = await mkdtemp(join(tmpdir(), 'svc-sim-'));
    files.page = await readFile(pathOf('docs/guide/simulation.md'), 'utf8');
    files.scenario = /```yaml\n(# fragment of color_day\.yml\n[\s\S]*?)```/.exec(files.page)?.[1] ?? '';
    await writeFile(join(files.folder, 'color_day.yml'), files.scenario);
  });
  afterAll(() => rm(files.folder, { recursive: true, force: true }));
  return {
    files,
    svc: (...args) => svcHere([...args, '--user-dir', pathOf('lab-packages')], { folder: files.folder }),
  };
}
