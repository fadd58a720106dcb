import { appendFile, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Isolation } from '@lab/contracts';
import { inTools } from './paths.js';

/** Makes a temporary folder, and removes it after `work` whether or not it fails. */
export async function inFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `svc-${name}-`));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Lab {
  name: string;
  computers: Record<string, object>;
  devices: Record<string, object>;
}

/**
 * Copies a package, and writes its laboratory.
 *
 * @param source the package, below `tools/`
 * @param target the folder of the copy
 */
export async function writePackage(source: string, target: string, lab: Lab): Promise<void> {
  await cp(inTools(source), target, { recursive: true });
  const folder = join(target, 'laboratories', lab.name);
  await mkdir(folder, { recursive: true });
  // JSON is YAML.
  await writeFile(join(folder, 'lab.yml'), JSON.stringify({ desc: 'Simulated', ...lab }, null, 2));
}

/**
 * Copies packages whose tasks declare no isolation, and gives all of them one.
 *
 * @param source the folder of the packages, below `tools/`
 * @param target the folder of the copies
 */
export async function copyPackages(source: string, target: string, isolation: Isolation): Promise<void> {
  await cp(inTools(source), target, { recursive: true });
  for (const path of await readdir(target, { recursive: true }))
    if (path.endsWith('task.yml')) await appendFile(join(target, path), `isolation: ${isolation}\n`);
}
