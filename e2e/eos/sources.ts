import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { processEnvironment } from '@lab/runtime';
import { withoutPython } from '@lab/testkit/python';

/** The packages of EOS, as its authors publish them. They are fetched and never become part of this repository. */

/** Clones of the repositories of EOS and of its examples, with a comma between them, for a computer without a network. */
const clonesVariable = 'SVC_TEST_EOS_CLONES';
const run = promisify(execFile);
const cache = fileURLToPath(new URL('../../.cache/eos/', import.meta.url));
const patienceMs = 10_000;

interface Source {
  repository: string;
  commit: string;
  folders: readonly string[];
  /** SHA-256 of the paths and contents of the folders, hexadecimal. */
  digest: string;
}

const eos: Source = {
  repository: 'UNC-Robotics/eos',
  // Version 0.26.0.
  commit: 'afd1cbaec534852258b793ff936f34cd163d4dc6',
  folders: ['user', 'tests/user'],
  digest: '40e5139d1e0d081b6f009546dc9bff0617e717cae228b7361473ada1e4e9bd40',
};
const examples: Source = {
  repository: 'UNC-Robotics/eos-examples',
  // For EOS from version 0.9 on.
  commit: '8c90a6441fe50d7ae3f318edd8d1306287acc70a',
  folders: ['color_lab'],
  digest: '5e60d4d71a1554de0b87fd53bcc04bd949cfbc6dcfb9eedc6826e4fdf42f3327',
};

/** The folders of the sources. */
export interface EosSources {
  eos: string;
  examples: string;
}

/** Fetches the sources; undefined, with one printed sentence, where they or Python cannot be had. */
export async function eosSources(): Promise<EosSources | undefined> {
  if (withoutPython()) return undefined;
  const [eosClone, examplesClone] = (processEnvironment()[clonesVariable] ?? '').split(',');
  try {
    return { eos: await sourceOf(eos, eosClone), examples: await sourceOf(examples, examplesClone) };
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    process.stderr.write(`${error.message}, so the tests of packages of EOS DO NOT RUN.\n`);
    return undefined;
  }
}

/**
 * Whether the Python of the services has BoFire, which the optimizers of these packages need: 6.5 GB with PyTorch, so nothing installs
 * it for the tests. False, with one printed sentence, where it has not.
 */
export async function hasBofire(): Promise<boolean> {
  const python = processEnvironment()['SVC_PYTHON'] ?? 'python3';
  try {
    await run(python, ['-I', '-c', 'import bofire.strategies.api']);
    return true;
  } catch {
    process.stderr.write(
      `${python} has no bofire[optimization], so the campaigns of EOS with it DO NOT RUN; SVC_PYTHON names a Python that has it.\n`,
    );
    return false;
  }
}

class Unavailable extends Error {}

/** @throws Error when the content is not the pinned one; {@link Unavailable} when there is none */
async function sourceOf(source: Source, clone: string | undefined): Promise<string> {
  const folder = join(cache, source.commit);
  if (!existsSync(folder)) {
    await mkdir(cache, { recursive: true });
    const fetched = await mkdtemp(join(cache, 'fetched-'));
    try {
      const archive = join(fetched, 'archive.tar');
      const isOfClone = clone !== undefined && clone !== '';
      if (isOfClone) await run('git', ['-C', clone, 'archive', '-o', archive, source.commit]);
      else await writeFile(archive, await download(source));
      const content = join(fetched, 'content');
      await mkdir(content);
      const strip = isOfClone ? [] : ['--strip-components=1'];
      await run('tar', ['-xf', archive, '-C', content, ...strip]);
      await rename(content, folder);
    } finally {
      await rm(fetched, { recursive: true, force: true });
    }
  }
  const digest = await digestOf(source, folder);
  if (digest !== source.digest) {
    await rm(folder, { recursive: true });
    throw new Error(`the files of ${source.repository} have the SHA-256 ${digest}, not ${source.digest}`);
  }
  return folder;
}

async function download({ repository, commit }: Source): Promise<Buffer> {
  const address = `https://codeload.github.com/${repository}/tar.gz/${commit}`;
  const unavailable = (why: string): Unavailable =>
    new Unavailable(`The packages of EOS are not in .cache and cannot be fetched from ${address} (${why})`);
  const response = await fetch(address, { signal: AbortSignal.timeout(patienceMs) }).catch(
    (error: unknown) => {
      throw unavailable(String(error));
    },
  );
  if (!response.ok) throw unavailable(`it answers ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

async function digestOf({ folders }: Source, root: string): Promise<string> {
  const entries = await Promise.all(
    folders.map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true })),
  );
  const files = entries
    .flat()
    .flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    const content = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
    hash.update(`${content} ${relative(root, file).split(sep).join('/')}\n`);
  }
  return hash.digest('hex');
}
