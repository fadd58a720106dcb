import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { unpackFiles } from '../archives/index.js';
import { giveToOwner, syncFolder } from '../keeping/index.js';

/** Which package an archive must be. */
export interface ExpectedPackage {
  /** Name of the archive. */
  name: string;
  version: string;
  platform: string;
}

const manifestFile = 'manifest.json';
const manifestShape = z.object({
  version: z.string(),
  platform: z.string(),
  /** SHA-256 by path. */
  files: z.record(z.string(), z.string()),
});

/**
 * Unpacks a package without the folder around its files, and compares every file with the manifest of the package. When it
 * returns, all files are durable.
 *
 * @param folder does not exist yet
 * @param data the data folder, whose user gets the files
 * @throws Error in one sentence; the folder then holds some of the files
 */
export async function unpack(
  archive: string,
  folder: string,
  expected: ExpectedPackage,
  data: string,
): Promise<void> {
  const { name, version, platform } = expected;
  const wrong = (what: string): Error => new Error(`the package ${name} is damaged: ${what}`);
  const top = `svc-agent-${version}-${platform}`;
  mkdirSync(folder);
  const { hashes, folders } = await unpackFiles(archive, name, top, folder, wrong);
  const fault = differences(hashes, folder, expected);
  if (fault !== undefined) throw wrong(fault);
  giveToOwner(data, ...folders, ...[...hashes.keys()].map((path) => join(folder, path)));
  // Another user may run the code of devices and tasks, and then reads the programs.
  chmodSync(folder, 0o755);
  for (const each of folders) syncFolder(each);
}

/** What differs from the manifest of the package; undefined: nothing. */
function differences(
  hashes: ReadonlyMap<string, string>,
  folder: string,
  { version, platform }: ExpectedPackage,
): string | undefined {
  if (!hashes.has(manifestFile)) return `it has no ${manifestFile}`;
  let manifest;
  try {
    manifest = manifestShape.parse(JSON.parse(readFileSync(join(folder, manifestFile), 'utf8')));
  } catch {
    return `its ${manifestFile} cannot be read`;
  }
  if (manifest.version !== version || manifest.platform !== platform)
    return `it is version ${manifest.version} for ${manifest.platform}`;
  const files = new Map(Object.entries(manifest.files));
  const launcher = platform.startsWith('win-') ? 'svc-agent.cmd' : 'svc-agent';
  if (!files.has(launcher)) return `it has no ${launcher}`;
  for (const [path, hash] of hashes) {
    if (path === manifestFile) continue;
    if (!files.has(path)) return `its ${manifestFile} does not name ${path}`;
    if (files.get(path) !== hash) return `${path} is another file than its ${manifestFile} says`;
  }
  const missing = [...files.keys()].find((path) => !hashes.has(path));
  return missing === undefined ? undefined : `${missing} is missing`;
}
