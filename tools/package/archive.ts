import { brotliCompress, constants, gzip } from 'node:zlib';
import { promisify } from 'node:util';
import { pack } from 'tar-stream';
import { ZipFile } from 'yazl';

/** A file of an archive. */
export interface Entry {
  /** Relative, with `/`. */
  path: string;
  content: Buffer;
  isProgram: boolean;
}

/** A symbolic link of an archive. */
export interface Link {
  /** Relative, with `/`. */
  path: string;
  /** Relative to the folder of the link. */
  target: string;
}

/** Every file has this time, so that the same files give the same archive. Zip knows no earlier time, and has local times. */
const { year, month, day } = { year: 1980, month: 0, day: 1 };
/** Place of the operating system in the header of gzip, and the value for an unknown one. */
const systemByte = { at: 9, unknown: 255 };

const modeOf = ({ isProgram }: Entry): number => (isProgram ? 0o755 : 0o644);

/** Effort of the compression, from 1 to 9. */
type Level = 1 | 9;

/** A compressed archive for Linux and macOS, with the files in this order. */
export async function tarGz(entries: readonly Entry[], level: Level): Promise<Buffer> {
  const compressed = await promisify<Buffer, object, Buffer>(gzip)(await tar(entries), { level });
  compressed[systemByte.at] = systemByte.unknown;
  return compressed;
}

/** A small archive that takes minutes to make. Node unpacks it, and no program of the system needs to. */
export async function tarBr(entries: readonly (Entry | Link)[]): Promise<Buffer> {
  const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = constants;
  const params = {
    [BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  };
  return promisify<Buffer, object, Buffer>(brotliCompress)(await tar(entries), { params });
}

/** An archive without compression, with the files and links in this order. */
export async function tar(entries: readonly (Entry | Link)[]): Promise<Buffer> {
  const archive = pack();
  const written = bytesOf(archive);
  const shared = { mtime: new Date(Date.UTC(year, month, day)), uid: 0, gid: 0 };
  for (const entry of entries) {
    await new Promise<void>((resolve, reject) => {
      const added = (error?: Error | null): void => (error ? reject(error) : resolve());
      if ('target' in entry)
        archive.entry({ ...shared, name: entry.path, type: 'symlink', linkname: entry.target }, added);
      else archive.entry({ ...shared, name: entry.path, mode: modeOf(entry) }, entry.content, added);
    });
  }
  archive.finalize();
  return written;
}

/** A compressed archive for Windows, with the files in this order. */
export async function zip(entries: readonly Entry[], level: Level): Promise<Buffer> {
  const archive = new ZipFile();
  const written = bytesOf(archive.outputStream);
  for (const entry of entries) {
    archive.addBuffer(entry.content, entry.path, {
      mtime: new Date(year, month, day),
      forceDosTimestamp: true,
      mode: modeOf(entry) | 0o100_000,
      compressionLevel: level,
    });
  }
  archive.end();
  return written;
}

async function bytesOf(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
