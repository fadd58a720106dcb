import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { z } from 'zod';
import { writeFrom } from '../files/index.js';
import { giveToOwner, syncFolder } from '../keeping/index.js';
import { readArchive, type ArchiveEntry } from './archive.js';

/** Which package an archive must be. */
export interface ExpectedPackage {
  /** Name of the archive. */
  name: string;
  version: string;
  platform: string;
}

/** More is no package of the agent. */
const mostBytes = 1024 ** 3;
const mostFiles = 20_000;

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
  const hashes = new Map<string, string>();
  const folders = new Set([folder]);
  let total = 0;

  const take = async (entry: ArchiveEntry, content: Readable): Promise<void> => {
    const path = pathBelow(top, entry.path);
    if (path === undefined) throw wrong(`it has the path ${JSON.stringify(entry.path)}`);
    if (entry.kind === 'other') throw wrong(`${entry.path} is no file`);
    if (entry.kind === 'folder') return void content.resume();
    if (hashes.has(path)) throw wrong(`it has ${path} twice`);
    if (hashes.size >= mostFiles) throw wrong(`it has more than ${mostFiles} files`);
    const target = join(folder, path);
    for (let each = dirname(target); !folders.has(each); each = dirname(each)) folders.add(each);
    mkdirSync(dirname(target), { recursive: true });
    const hash = createHash('sha256');
    const counted = new Transform({
      transform(piece: Buffer, _encoding, done) {
        total += piece.length;
        hash.update(piece);
        if (total > mostBytes) done(wrong(`it has more than ${mostBytes} bytes`));
        else done(null, piece);
      },
    });
    const mode = entry.isProgram ? 0o755 : 0o644;
    await writeFrom(content, counted, target, { flags: 'wx', mode, flush: true });
    chmodSync(target, mode);
    hashes.set(path, hash.digest('hex'));
  };

  mkdirSync(folder);
  try {
    await readArchive(archive, name, take);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Faults of the disk, such as ENOSPC, are not those of the package.
    if (code?.startsWith('E') === true && !code.startsWith('ERR_')) throw error;
    throw message.startsWith('the package ') ? error : wrong(message);
  }
  const fault = differences(hashes, folder, expected);
  if (fault !== undefined) throw wrong(fault);
  giveToOwner(data, ...folders, ...[...hashes.keys()].map((path) => join(folder, path)));
  // Another user may run the code of devices and tasks, and then reads the programs. The umask of the agent forbids it.
  for (const each of folders) chmodSync(each, 0o755);
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

/**
 * The path below the folder that is around all files of a package.
 *
 * @returns undefined: the path leads elsewhere, or is none on some operating system
 */
export function pathBelow(top: string, path: string): string | undefined {
  const [first, ...rest] = path.replace(/\/$/, '').split('/');
  if (first !== top) return undefined;
  const isRight = (part: string): boolean => /^[\w@+(),.-][\w@+(),. -]*$/.test(part) && !/[. ]$/.test(part);
  return rest.every(isRight) ? rest.join('/') : undefined;
}
