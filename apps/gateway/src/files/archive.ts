import { Readable } from 'node:stream';
import { makeZip, predictLength } from 'client-zip';

/** A file of an archive. */
export interface ArchivedFile {
  /** Folders and name, separated by `/`. */
  path: string;
  /** Bytes. */
  size: number;
  modified: Date;
  /** Key of the content in the file store. */
  key: string;
}

/**
 * The length of the archive that {@link archiveOf} makes of these files, in bytes.
 *
 * @returns a whole number in decimal, of any size
 */
export function archiveLength(files: readonly ArchivedFile[]): string {
  return String(predictLength(entriesOf(files)));
}

/**
 * A zip of the files in their order, without compression, with zip64 where a size needs it. At most one file is open at a
 * time, and none after the stream has ended or was destroyed.
 *
 * @param open opens the content under a key
 * @returns a stream that fails when a file cannot be read or does not have its declared size
 */
export function archiveOf(
  files: readonly ArchivedFile[],
  open: (key: string) => Promise<Readable>,
): Readable {
  async function* entries() {
    for (const entry of entriesOf(files)) {
      const content = await open(entry.key);
      try {
        yield { ...entry, input: exactly(content, entry.size) };
      } finally {
        // Destroying the archive ends its entries, but not the content that is open.
        content.destroy();
      }
    }
  }
  return Readable.fromWeb(makeZip(entries()));
}

async function* exactly(
  content: AsyncIterable<Uint8Array>,
  size: number,
): AsyncIterable<Uint8Array<ArrayBuffer>> {
  let given = 0;
  for await (const chunk of content) {
    given += chunk.length;
    yield chunk as Uint8Array<ArrayBuffer>;
  }
  if (given !== size) throw new Error(`a file of ${size} bytes has ${given}`);
}

/** Makes paths that every program unpacks: relative, inside the folder, and unique. */
function entriesOf(files: readonly ArchivedFile[]) {
  const taken = new Set<string>();
  return files.map(({ path, size, modified, key }) => {
    const safe = path.split('/').map(safeName).join('/');
    let name = safe;
    for (let copy = 2; taken.has(name.toLowerCase()); copy += 1) name = `${safe}~${copy}`;
    taken.add(name.toLowerCase());
    return { name, size, lastModified: modified, key };
  });
}

function safeName(part: string): string {
  const plain = part
    .toWellFormed()
    // eslint-disable-next-line no-control-regex -- names come from authors' code
    .replace(/[\u0000-\u001f\u007f\\:*?"<>|]/g, '_')
    // Windows drops dots and spaces at the end of a name.
    .replace(/[. ]+$/, (end) => '_'.repeat(end.length));
  return plain === '' ? '_' : plain;
}
