import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeDrafts, writeWhole } from '../../src/code/whole-files.js';
import { loadPackages } from '../../src/index.js';
import { createUserDir, writeFiles } from '../package-fixture.js';

let place: Awaited<ReturnType<typeof createUserDir>>;
beforeEach(async () => {
  place = await createUserDir();
});
afterEach(() => place.dispose());

const draftOf = (pid: number): string => `0123.json.${pid}-${randomUUID()}.tmp`;

describe('files of the code cache', () => {
  it('that an ended process left half written are gone after the next load', async () => {
    const { pid: ended } = spawnSync(process.execPath, ['--version']);
    const running = draftOf(process.ppid);
    for (const folder of ['bundles', 'modules'].map((name) => join(place.cacheDir, name))) {
      await mkdir(folder, { recursive: true });
      for (const name of [draftOf(ended), draftOf(process.pid), running, 'other.tmp'])
        await writeFile(join(folder, name), '{');
    }
    await writeFiles(place.userDir, {});
    expect((await loadPackages(place)).diagnostics).toEqual([]);
    for (const folder of ['bundles', 'modules']) {
      const names = await readdir(join(place.cacheDir, folder));
      expect(names.filter((name) => name.endsWith('.tmp')).sort()).toEqual([running, 'other.tmp']);
    }
  });

  it('are written again if another process takes the draft for that of an ended one', async () => {
    const folder = join(place.cacheDir, 'bundles');
    await mkdir(folder, { recursive: true });
    const path = join(folder, 'large.json');
    // So large that its draft is there for some time.
    const text = 'text '.repeat(10_000_000);
    const written = writeWhole(path, text);
    let names: string[] = [];
    while (names.length === 0) names = await readdir(folder);
    // Drafts with the id of the caller count as those of an earlier process.
    await removeDrafts(folder);
    await written;
    expect(await readdir(folder)).toEqual(['large.json']);
    expect((await stat(path)).size).toBe(text.length);
  });
});
