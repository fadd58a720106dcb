import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPackageSources } from '../../src/index.js';

let userDir: string;

beforeEach(async () => {
  userDir = await mkdtemp(join(tmpdir(), 'package-sources-'));
  await mkdir(join(userDir, 'my_lab', 'tasks'), { recursive: true });
});
afterEach(() => rm(userDir, { recursive: true, force: true }));

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', userDir, '-c', 'user.name=ann', '-c', 'user.email=ann@lab.example', ...args], {
    encoding: 'utf8',
  }).trim();
const writeManifest = (text: string): Promise<void> =>
  writeFile(join(userDir, 'my_lab', 'package.json'), text);

describe('the source of a package', () => {
  it('has the version of its manifest, and no commit outside of a Git repository', async () => {
    await writeManifest('{"name": "my_lab", "version": "1.4.0"}');
    expect(await readPackageSources(userDir)).toEqual([
      { package: 'my_lab', version: '1.4.0', commit: null, modified: null },
    ]);
  });

  it.each([
    ['no version', '{}'],
    ['a manifest that is not JSON', '{'],
    ['a version that is no text', '{"version": 1}'],
  ])('with %s has no version', async (_, text) => {
    await writeManifest(text);
    expect(await readPackageSources(userDir)).toMatchObject([{ package: 'my_lab', version: null }]);
  });

  it('has the commit that is checked out, and says whether its own files differ from it', async () => {
    await writeManifest('{"version": "2.0.0"}');
    await writeFile(join(userDir, 'notes.txt'), 'beside the package');
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
    const commit = git('rev-parse', 'HEAD');
    await writeFile(join(userDir, 'notes.txt'), 'changed beside the package');
    expect(await readPackageSources(userDir)).toEqual([
      { package: 'my_lab', version: '2.0.0', commit, modified: false },
    ]);
    await writeFile(join(userDir, 'my_lab', 'tasks', 'draft.txt'), 'new');
    expect(await readPackageSources(userDir)).toMatchObject([{ commit, modified: true }]);
  });

  it('is read without the program that the repository names as its monitor of files', async () => {
    await writeManifest('{}');
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
    const proof = join(userDir, 'started');
    git('config', 'core.fsmonitor', `touch ${proof}; false`);
    await readPackageSources(userDir);
    await expect(readFile(proof)).rejects.toThrow('ENOENT');
    git('status');
    await expect(readFile(proof)).resolves.toHaveLength(0);
  });
});
