import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';

/** Every file has this time, so that the same files give the same archive. */
const time = new Date(Date.UTC(1980, 0, 1));
/** Folders of links to programs, of npm itself and of build tools. No code imports them. */
const leftOut = new Set(['.bin', '.cache', '.package-lock.json']);
/** What every operating system takes for a name, and an agent unpacks. */
const goodName = /^[\w@+(),.-][\w@+(),. -]*$/;

/**
 * Packs `node_modules` of a folder.
 *
 * @param path of the new file
 * @throws Error in one sentence when a file cannot be packed
 */
export async function packModules(folder: string, path: string): Promise<{ sha256: string; size: number }> {
  const archive = pack();
  const file = await open(path, 'w', 0o644);
  try {
    const written = pipeline(archive, createGzip({ level: 9 }), file.createWriteStream({ flush: true }));
    const added = addFiles(archive, folder, 'node_modules').then(
      () => archive.finalize(),
      (error: Error) => archive.destroy(error),
    );
    await Promise.all([written, added]);
  } finally {
    await file.close();
  }
  return { sha256: await sha256Of(path), size: (await lstat(path)).size };
}

/** Adds all files below a path, in the order of their names. */
async function addFiles(archive: ReturnType<typeof pack>, folder: string, path: string): Promise<void> {
  for (const name of (await readdir(join(folder, path))).sort()) {
    if (leftOut.has(name)) continue;
    const each = `${path}/${name}`;
    const { mode, ...found } = await lstat(join(folder, each)).then((stats) => ({
      mode: stats.mode,
      isFolder: stats.isDirectory(),
      isFile: stats.isFile(),
    }));
    if (!goodName.test(name) || /[. ]$/.test(name) || !(found.isFolder || found.isFile))
      throw new Error(
        `${each} cannot be packed: ${found.isFolder || found.isFile ? 'some operating systems do not take its name' : 'it is a link'}`,
      );
    if (found.isFolder) await addFiles(archive, folder, each);
    else {
      const header = { name: each, mode: (mode & 0o111) === 0 ? 0o644 : 0o755, mtime: time, uid: 0, gid: 0 };
      const content = await readFile(join(folder, each));
      await new Promise<void>((resolve, reject) => {
        archive.entry(header, content, (error) => (error ? reject(error) : resolve()));
      });
    }
  }
}

/** @returns lower-case hexadecimal */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
