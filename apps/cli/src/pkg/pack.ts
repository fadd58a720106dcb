import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { packageLimits } from '@lab/contracts';
import { wheelsFolder } from '@lab/definitions/environments';
import { pack, type Pack } from 'tar-stream';

/** A packed package. */
export interface PackedPackage {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Hexadecimal. */
  sha256: string;
}

/** Every file has this time, so that the same files give the same archive. */
const time = new Date(Date.UTC(1980, 0, 1));
/** Folders that a package does not need where it runs. */
const leftOut = new Set(['node_modules', 'dist', 'coverage']);
/** What every operating system takes for a name. */
const goodName = /^[\w@+(),-][\w@+(),. -]*$/;
/** Files that are private, such as the code key of a lab. */
const isPrivate = (name: string): boolean => name.startsWith('.') || /\.(pem|key)$/.test(name);

/**
 * Packs the files of a package: all but hidden files, private keys, `node_modules` and build output. With one version of Node,
 * the same files give the same bytes on each computer.
 *
 * @param root absolute folder of the package
 * @param wheels false: leave out the wheels of its libraries for Python, because the service has them
 * @throws Error in one sentence when a file cannot be packed, or the package is too large
 */
export async function packPackage(root: string, wheels = true): Promise<PackedPackage> {
  const name = basename(root);
  const archive = pack();
  const added = addFiles(archive, root, name, wheels ? [] : [wheelsFolder]).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  );
  const gzip = createGzip({ level: 9 });
  archive.on('error', (error) => gzip.destroy(error));
  const [content] = await Promise.all([buffer(archive.pipe(gzip)), added]);
  // The byte for the operating system differs between computers.
  content[9] = 255;
  const hasWheels = wheels && existsSync(join(root, wheelsFolder));
  if (content.length > packageLimits.packedBytes)
    throw new Error(
      `${name} has ${content.length} bytes when packed, and at most ${packageLimits.packedBytes} are taken${hasWheels ? '; put its wheels into the folder SVC_WHEELS of the service, and add --without-wheels' : ''}`,
    );
  const bytes = new Uint8Array(content);
  return { name, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Adds all files below a folder, in the order of their names. */
async function addFiles(
  archive: Pack,
  folder: string,
  path: string,
  without: readonly string[] = [],
): Promise<void> {
  for (const name of (await readdir(folder)).sort()) {
    if (leftOut.has(name) || without.includes(name) || isPrivate(name)) continue;
    const file = join(folder, name);
    const found = await lstat(file);
    if (!goodName.test(name) || /[. ]$/.test(name) || !(found.isDirectory() || found.isFile()))
      throw new Error(
        `${path}/${name} cannot be packed: ${found.isDirectory() || found.isFile() ? 'some operating systems do not take its name' : 'it is a link'}`,
      );
    if (found.isDirectory()) await addFiles(archive, file, `${path}/${name}`);
    else {
      const header = { name: `${path}/${name}`, mode: 0o644, mtime: time, uid: 0, gid: 0 };
      const content = await readFile(file);
      await new Promise<void>((resolve, reject) => {
        archive.entry(header, content, (error) => (error ? reject(error) : resolve()));
      });
    }
  }
}
