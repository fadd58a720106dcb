import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { packageLimits, ServiceError } from '@lab/contracts';
import { extract, type Headers } from 'tar-stream';

/** A part of a path that every operating system takes. */
const goodName = /^[\w@+(),-][\w@+(),. -]*$|^\.[\w-]+$/;

/** Most content of a package. */
export interface UnpackedLimits {
  unpackedBytes: number;
  files: number;
}

/** Packed packages that this orchestrator has unpacked, by their SHA-256. Another process may share the folder. */
export class PackageCache {
  readonly #unpacking = new Map<string, Promise<string>>();

  /** @param pieces the bytes of a packed package; none: it is unknown */
  constructor(
    private readonly folder: string,
    private readonly pieces: (sha256: string) => AsyncIterable<Buffer>,
    private readonly limits: UnpackedLimits = packageLimits,
  ) {}

  /**
   * The folder of a package, which is unpacked first if it is missing. Its hash is compared before the folder appears.
   *
   * @returns absolute
   * @throws ServiceError `invalid` when the archive cannot be a package; `store_unavailable`
   */
  async rootOf(name: string, sha256: string): Promise<string> {
    const root = join(this.folder, sha256, name);
    if (await isFolder(root)) return root;
    const under = this.#unpacking.get(sha256) ?? this.#unpack(name, sha256);
    this.#unpacking.set(sha256, under);
    try {
      return await under;
    } finally {
      this.#unpacking.delete(sha256);
    }
  }

  /** Removes the folder of a package. It is unpacked again if somebody needs it. */
  async forget(sha256: string): Promise<void> {
    await rm(join(this.folder, sha256), { recursive: true, force: true });
  }

  async #unpack(name: string, sha256: string): Promise<string> {
    const target = join(this.folder, sha256);
    const draft = `${target}.${randomUUID()}.draft`;
    await mkdir(draft, { recursive: true });
    try {
      await unpackPackage(Readable.from(this.pieces(sha256)), { name, sha256, limits: this.limits }, draft);
      // Another process may have unpacked the same package meanwhile.
      await rename(draft, target).catch(async (error: unknown) => {
        if (!(await isFolder(join(target, name)))) throw error;
      });
      return join(target, name);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
}

/**
 * Unpacks a packed package. Nothing is written outside of `into`.
 *
 * @param into exists; if the archive is refused, it holds some of the files
 * @throws ServiceError `invalid` for an archive that is damaged, too large, of another hash, or has a file that is outside
 *   of the folder with the name of the package
 */
export async function unpackPackage(
  packed: Readable,
  { name, sha256, limits }: { name: string; sha256: string; limits: UnpackedLimits },
  into: string,
): Promise<void> {
  const hash = createHash('sha256');
  const hashed = new Transform({
    transform(piece: Buffer, _encoding, done) {
      hash.update(piece);
      done(null, piece);
    },
  });
  let files = 0;
  let bytes = 0;
  const reader = extract();
  const taken = new Set<string>();
  const take = async ({ name: path, type }: Headers, content: Readable): Promise<void> => {
    if (type === 'directory') return void content.resume();
    if (type !== undefined && type !== 'file') throw refused(`${path} is no file`);
    const parts = path.split('/');
    if (parts.length < 2 || parts[0] !== name || !parts.every((part) => goodName.test(part)))
      throw refused(`it has the path ${JSON.stringify(path)}; all files are in the folder ${name}`);
    // Such a folder could say that a library is any file of this computer.
    if (parts.includes('node_modules')) throw refused(`it has ${path}; npm installs libraries`);
    if (taken.has(path)) throw refused(`it has ${path} twice`);
    taken.add(path);
    files += 1;
    if (files > limits.files) throw refused(`it has more than ${limits.files} files`);
    const target = join(into, path);
    await mkdir(dirname(target), { recursive: true });
    const counted = new Transform({
      transform(piece: Buffer, _encoding, done) {
        bytes += piece.length;
        if (bytes <= limits.unpackedBytes) done(null, piece);
        else done(refused(`it has more than ${limits.unpackedBytes} bytes`));
      },
    });
    const file = await open(target, 'wx', 0o644);
    try {
      await pipeline(content, counted, file.createWriteStream({ flush: true }));
    } finally {
      await file.close();
    }
  };
  reader.on('entry', (headers, content, next) => {
    take(headers, content as Readable).then(() => next(), next);
  });
  try {
    await pipeline(packed, hashed, createGunzip(), reader);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    // Faults of the disk, such as ENOSPC, are not those of the archive.
    if (code?.startsWith('E') === true && !code.startsWith('ERR_')) throw error;
    throw refused(message);
  }
  const found = hash.digest('hex');
  if (found !== sha256) throw refused(`it has the SHA-256 ${found}`);
  if (files === 0) throw refused('it has no files');
}

function refused(why: string): ServiceError {
  const message = `the archive is no packed package: ${why}; make it with "svc pkg upload"`;
  return new ServiceError('invalid', message, {
    faults: [{ path: '', code: 'damaged_package', message: why }],
  });
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
