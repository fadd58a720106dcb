import { Readable } from 'node:stream';
import { makeZip, predictLength } from 'client-zip';

/** A file as it stands in an archive. */
export interface ArchivedFile {
  /** Its folders and name, with `/` between them. */
  path: string;
  /** Bytes. */
  size: number;
  modified: Date;
  /** Where its content is. */
  key: string;
}

/**
 * How many bytes {@link archiveOf} gives for these files.
 *
 * @returns a whole number in decimal, of any size
 */
export function archiveLength(files: readonly ArchivedFile[]): string {
  return String(predictLength(entriesOf(files)));
}

/**
 * A zip of the files, stored, in their order, with zip64 where a size asks for it. One content is open at a time, and
 * none after the stream has ended or was destroyed.
 *
 * @param open gives the content under a key
 * @returns fails when a content cannot be opened or read, or is not as long as the file is said to be
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
        // An archive that is given up gives up its entries, and not what it reads of them.
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

/** Paths as every program unpacks them: relative, inside, and each once. */
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
