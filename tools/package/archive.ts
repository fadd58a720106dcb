import { gzip } from 'node:zlib';
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

/** Every file has this time, so that the same files give the same archive. Zip knows no earlier time, and has local times. */
const { year, month, day } = { year: 1980, month: 0, day: 1 };
/** Place of the operating system in the header of gzip, and the value for an unknown one. */
const systemByte = { at: 9, unknown: 255 };

const modeOf = ({ isProgram }: Entry): number => (isProgram ? 0o755 : 0o644);

/** Effort of the compression, from 1 to 9. */
type Level = 1 | 9;

/** A compressed archive for Linux and macOS, with the files in this order. */
export async function tarGz(entries: readonly Entry[], level: Level): Promise<Buffer> {
  const archive = pack();
  const written = bytesOf(archive);
  for (const entry of entries) {
    const header = { name: entry.path, mode: modeOf(entry), mtime: new Date(Date.UTC(year, month, day)) };
    await new Promise<void>((resolve, reject) => {
      archive.entry({ ...header, uid: 0, gid: 0 }, entry.content, (error) =>
        error ? reject(error) : resolve(),
      );
    });
  }
  archive.finalize();
  const compressed = await promisify<Buffer, object, Buffer>(gzip)(await written, { level });
  compressed[systemByte.at] = systemByte.unknown;
  return compressed;
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
