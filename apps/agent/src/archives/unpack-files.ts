import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { readArchive, type ArchiveEntry } from './archive.js';
import { writeFrom } from '../files/index.js';

/** More is no package. */
const mostBytes = 1024 ** 3;
const mostFiles = 20_000;

export interface Unpacked {
  /** SHA-256 of each file, by its path below the folder that is around all of them. */
  hashes: Map<string, string>;
  /** Paths of all folders, also of the one into which the archive was unpacked. */
  folders: Set<string>;
}

/**
 * Unpacks the files below one folder of an archive, without that folder.
 *
 * Guarantees: nothing is written outside of `into`. The content of the files is durable; the folders are not.
 *
 * @param name of the archive: its end says whether it is a `.zip` or a `.tar.gz`
 * @param top name of the folder that is around all files
 * @param into exists
 * @param wrong makes the error for a fault of the archive
 * @throws Error of `wrong`, or of the disk; the folder then holds some of the files
 */
export async function unpackFiles(
  archive: string,
  name: string,
  top: string,
  into: string,
  wrong: (what: string) => Error,
): Promise<Unpacked> {
  const hashes = new Map<string, string>();
  const folders = new Set([into]);
  let total = 0;
  const faults = new Set<unknown>();
  const fault = (what: string): Error => {
    const made = wrong(what);
    faults.add(made);
    return made;
  };

  const take = async (entry: ArchiveEntry, content: Readable): Promise<void> => {
    const path = pathBelow(top, entry.path);
    if (path === undefined) throw fault(`it has the path ${JSON.stringify(entry.path)}`);
    if (entry.kind === 'other') throw fault(`${entry.path} is no file`);
    if (entry.kind === 'folder') return void content.resume();
    if (hashes.has(path)) throw fault(`it has ${path} twice`);
    if (hashes.size >= mostFiles) throw fault(`it has more than ${mostFiles} files`);
    const target = join(into, path);
    for (let each = dirname(target); !folders.has(each); each = dirname(each)) folders.add(each);
    mkdirSync(dirname(target), { recursive: true });
    const hash = createHash('sha256');
    const counted = new Transform({
      transform(piece: Buffer, _encoding, done) {
        total += piece.length;
        hash.update(piece);
        if (total > mostBytes) done(fault(`it has more than ${mostBytes} bytes`));
        else done(null, piece);
      },
    });
    const mode = entry.isProgram ? 0o755 : 0o644;
    await writeFrom(content, counted, target, { flags: 'wx', mode, flush: true });
    chmodSync(target, mode);
    hashes.set(path, hash.digest('hex'));
  };

  try {
    await readArchive(archive, name, take);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Faults of the disk, such as ENOSPC, are not those of the archive.
    const isOfDisk = code?.startsWith('E') === true && !code.startsWith('ERR_');
    throw isOfDisk || faults.has(error) ? error : wrong(message);
  }
  // Another user may run the code of devices and tasks, and then reads the files. The umask of the agent forbids it.
  for (const each of folders) if (each !== into) chmodSync(each, 0o755);
  return { hashes, folders };
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
