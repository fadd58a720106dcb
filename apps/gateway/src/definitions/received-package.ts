import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isServiceError, packageLimits, ServiceError } from '@lab/contracts';
import type { FastifyRequest } from 'fastify';
import { breakLongPauses, limits } from '../http/index.js';

/** Bytes of one piece in the database. */
const pieceBytes = 1024 ** 2;

/** A packed package that has arrived, in a file of this computer. */
export class ReceivedPackage {
  private constructor(
    private readonly folder: string,
    readonly path: string,
    /** In bytes. */
    readonly size: number,
  ) {}

  /**
   * Takes the body of a request, at most one piece at a time in memory.
   *
   * @throws ServiceError `invalid` when its hash is another one; `payload_too_large`; `bad_request` when it broke off
   */
  static async from(request: FastifyRequest, sha256: string): Promise<ReceivedPackage> {
    if (Number(request.headers['content-length'] ?? 0) > packageLimits.packedBytes) throw tooLarge();
    const folder = await mkdtemp(join(tmpdir(), 'svc-package-'));
    const path = join(folder, 'package.tar.gz');
    const hash = createHash('sha256');
    let size = 0;
    const counted = new Transform({
      transform(piece: Buffer, _encoding, done) {
        size += piece.length;
        hash.update(piece);
        if (size <= packageLimits.packedBytes) done(null, piece);
        else done(tooLarge());
      },
    });
    // A client that disconnects in the middle of its body clears `raw.socket`.
    const { socket } = request.raw;
    const stop = breakLongPauses(request, limits.bodyMs);
    try {
      await pipeline(request.raw, counted, createWriteStream(path));
      const found = hash.digest('hex');
      if (found === sha256) return new ReceivedPackage(folder, path, size);
      throw new ServiceError(
        'invalid',
        `The body has the SHA-256 ${found}, and the address says ${sha256}.`,
        {
          faults: [{ path: 'sha256', code: 'other_hash', message: `is ${found}` }],
        },
      );
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      if (request.raw.complete || isServiceError(error)) throw error;
      throw new ServiceError('bad_request', 'The upload broke off.', { cause: error });
    } finally {
      stop();
      // Nobody reads the rest of the body, and the end of a connection that nobody reads goes unnoticed.
      if (!request.raw.complete) setTimeout(() => socket.destroy(), limits.bodyMs).unref();
    }
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The bytes of a file in pieces of one size. */
export async function* piecesOf(path: string): AsyncGenerator<Buffer> {
  for await (const piece of createReadStream(path, { highWaterMark: pieceBytes })) yield piece as Buffer;
}

function tooLarge(): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `A packed package has at most ${packageLimits.packedBytes} bytes.`,
  );
}
