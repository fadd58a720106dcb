import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Headers } from 'tar-stream';
import { openPromise } from 'yauzl';

/** An entry of an archive. */
export interface ArchiveEntry {
  /** As the archive has it. Not checked. */
  path: string;
  /** `other`: a link, a device, or something that is unknown. */
  kind: 'file' | 'folder' | 'other';
  isProgram: boolean;
}

/** Takes an entry. It must read the content to its end, or fail. */
export type Take = (entry: ArchiveEntry, content: Readable) => Promise<void>;

/**
 * Reads a package: `.zip` or `.tar.gz`, by the end of its name.
 *
 * @throws Error when the archive is damaged, or `take` fails
 */
export function readArchive(path: string, name: string, take: Take): Promise<void> {
  return name.endsWith('.zip') ? readZip(path, take) : readTarGz(path, take);
}

const kinds: Partial<Record<NonNullable<Headers['type']>, ArchiveEntry['kind']>> = {
  file: 'file',
  directory: 'folder',
};

async function readTarGz(path: string, take: Take): Promise<void> {
  const reader = extract();
  reader.on('entry', ({ name, type, mode = 0 }, content, next) => {
    const entry = { path: name, kind: kinds[type ?? 'file'] ?? 'other', isProgram: (mode & 0o111) !== 0 };
    take(entry, content as Readable).then(() => next(), next);
  });
  await pipeline(createReadStream(path), createGunzip(), reader);
}

/** Bits of a mode of Unix that say what an entry is. */
const fileType = { mask: 0o170_000, none: 0, file: 0o100_000, folder: 0o040_000 } as const;

async function readZip(path: string, take: Take): Promise<void> {
  const archive = await openPromise(path, { strictFileNames: true });
  try {
    for await (const entry of archive.eachEntry()) {
      const mode = entry.externalFileAttributes >>> 16;
      const type = mode & fileType.mask;
      const isFolder = entry.fileName.endsWith('/');
      const isKnown = type === fileType.none || type === (isFolder ? fileType.folder : fileType.file);
      const kind = isKnown ? (isFolder ? 'folder' : 'file') : 'other';
      const content = await archive.openReadStreamPromise(entry);
      await take({ path: entry.fileName, kind, isProgram: (mode & 0o111) !== 0 }, content);
    }
  } finally {
    archive.close();
  }
}
