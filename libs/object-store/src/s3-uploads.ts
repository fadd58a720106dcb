import { createHash } from 'node:crypto';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  UploadPartCopyCommand,
  type ListMultipartUploadsCommandOutput,
} from '@aws-sdk/client-s3';
import { isServiceError, ServiceError } from '@lab/contracts';
import { compare, contentOf, mismatch, sizeFault, uploadName } from './content.js';
import type { Content, FileGrant } from './object-store.js';
import { otherOffset } from './partial-uploads.js';
import { onward } from './s3-answers.js';
import { isAbsent } from './s3-errors.js';
import {
  maxParts,
  piecesOf,
  type ReceivedPart,
  type S3Bucket,
  type S3Parts,
  type S3Sizes,
} from './s3-parts.js';
import { Writers } from './writers.js';

/** Prefix of uploads that are not yet complete and verified. */
const incoming = 'incoming/';

const abandonedMs = 24 * 60 * 60_000;

interface Progress {
  uploadId: string;
  parts: ReceivedPart[];
  /** Bytes of all parts. */
  size: number;
}

/**
 * Uploads that can be interrupted and continued, by another process too. Their parts are stored under a key that is
 * made of the target key and the expected content.
 */
export class S3Uploads {
  readonly #writers = new Writers();

  constructor(
    private readonly bucket: S3Bucket,
    private readonly parts: S3Parts,
    private readonly sizes: S3Sizes,
  ) {}

  /** Bytes of a part of an object of this size. Always the same, so that parts of two connections fit together. */
  partBytes(size = 0): number {
    return Math.max(this.sizes.part, Math.ceil(size / maxParts));
  }

  /** Number of bytes that have arrived; undefined: there is no upload in progress. */
  async received(grant: FileGrant): Promise<number | undefined> {
    const waiting = waitingKey(grant);
    const progress = await this.#progress(waiting);
    if (progress !== undefined) return progress.size;
    return (await this.#isThere(waiting)) ? grant.size : undefined;
  }

  /**
   * Accepts the bytes after the first `from` ones, checks the whole, and moves it to its place. After a failure of the
   * source all complete parts stay; wrong content is removed. Ends another upload of the same content in this process.
   *
   * @param options.to key of the object
   * @throws ServiceError `wrong_state` when another number of bytes arrived before, when another connection has taken
   *   over the upload, or when the earlier bytes are wrong; `invalid` when the new bytes are wrong; errors of the
   *   source
   */
  receive(
    grant: FileGrant,
    source: AsyncIterable<Uint8Array>,
    { from, to }: { from: number; to: string },
  ): Promise<Content> {
    const waiting = waitingKey(grant);
    return this.#writers.alone(waiting, source, async (mine) => {
      try {
        const isKnown = await this.#bring(waiting, grant, mine, from);
        if (!isKnown) await this.#verify(waiting, grant);
      } catch (error) {
        if (!isServiceError(error) || error.code !== 'invalid') throw error;
        await this.#forget(waiting);
        if (from === 0) throw error;
        throw new ServiceError('wrong_state', 'what arrived before is not what was announced: begin again', {
          cause: error,
        });
      }
      await this.#copy(waiting, to, grant.size);
      await this.#remove(waiting);
      return { size: grant.size, sha256: grant.sha256 };
    });
  }

  /** Aborts uploads that nobody has continued for a day. */
  async removeAbandoned(now: number): Promise<void> {
    for (const { key, uploadId, begun } of await this.#underWay(incoming)) {
      if (now - begun > abandonedMs) await this.parts.abort(key, uploadId).catch(ignoreAbsent);
    }
  }

  /** @returns true when this connection brought all bytes, and they are right */
  async #bring(
    waiting: string,
    grant: FileGrant,
    source: AsyncIterable<Uint8Array>,
    from: number,
  ): Promise<boolean> {
    if (from === 0) await this.#forget(waiting);
    const before = await this.#progress(waiting);
    if (before === undefined && from > 0) {
      if (from === grant.size && (await this.#isThere(waiting))) return false;
      throw otherOffset(0);
    }
    if (before !== undefined && before.size !== from) throw otherOffset(before.size);
    const uploadId = before?.uploadId ?? (await this.parts.begin(waiting));
    const etags = before?.parts.map(({ etag }) => etag) ?? [];
    const hash = createHash('sha256');
    let size = from;
    const counted = async function* (): AsyncIterable<Uint8Array> {
      for await (const chunk of source) {
        size += chunk.length;
        if (size > grant.size) throw mismatch([sizeFault(grant.size, `more than ${grant.size}`)]);
        if (from === 0) hash.update(chunk);
        yield chunk;
      }
    };
    for await (const { bytes } of piecesOf(counted(), this.partBytes(grant.size))) {
      if (bytes.length > 0 || etags.length === 0)
        etags.push(await this.parts.send(waiting, uploadId, etags.length + 1, bytes));
    }
    if (size !== grant.size) throw mismatch([sizeFault(grant.size, String(size))]);
    if (from === 0) compare({ size, sha256: hash.digest('hex') }, grant);
    await this.parts.complete(waiting, uploadId, etags);
    return from === 0;
  }

  /** @throws ServiceError `invalid` when bytes of several connections do not match the grant */
  async #verify(waiting: string, grant: FileGrant): Promise<void> {
    const { Body } = await this.bucket.client.send(new GetObjectCommand(this.#at(waiting)));
    compare(await contentOf(Body as AsyncIterable<Buffer>), grant);
  }

  /** The server copies the object; the bytes do not pass through this process. */
  async #copy(from: string, to: string, size: number): Promise<void> {
    const source = `${this.bucket.name}/${from}`;
    const { client } = this.bucket;
    if (size <= this.sizes.copy) {
      await client.send(new CopyObjectCommand({ ...this.#at(to), CopySource: source }));
      return;
    }
    const uploadId = await this.parts.begin(to);
    try {
      const etags: string[] = [];
      for (let start = 0; start < size; start += this.sizes.copy) {
        const end = Math.min(start + this.sizes.copy, size) - 1;
        const { CopyPartResult } = await client.send(
          new UploadPartCopyCommand({
            ...this.#at(to),
            UploadId: uploadId,
            PartNumber: etags.length + 1,
            CopySource: source,
            CopySourceRange: `bytes=${start}-${end}`,
          }),
        );
        etags.push(CopyPartResult?.ETag ?? '');
      }
      await this.parts.complete(to, uploadId, etags);
    } catch (error) {
      // The error of the copy says more than an error of the cleanup.
      await this.parts.abort(to, uploadId).catch(() => undefined);
      throw error;
    }
  }

  async #forget(waiting: string): Promise<void> {
    for (const { key, uploadId } of await this.#underWay(waiting)) {
      await this.parts.abort(key, uploadId).catch(ignoreAbsent);
    }
    await this.#remove(waiting);
  }

  async #remove(waiting: string): Promise<void> {
    await this.bucket.client.send(new DeleteObjectCommand(this.#at(waiting))).catch(ignoreAbsent);
  }

  async #isThere(waiting: string): Promise<boolean> {
    try {
      await this.bucket.client.send(new HeadObjectCommand(this.#at(waiting)));
      return true;
    } catch (error) {
      ignoreAbsent(error);
      return false;
    }
  }

  /** The most recent upload. */
  async #progress(waiting: string): Promise<Progress | undefined> {
    const [latest] = (await this.#underWay(waiting)).sort((a, b) => b.begun - a.begun);
    if (latest === undefined) return undefined;
    try {
      const parts = await this.parts.received(waiting, latest.uploadId);
      return { uploadId: latest.uploadId, parts, size: parts.reduce((sum, { size }) => sum + size, 0) };
    } catch (error) {
      ignoreAbsent(error);
      return undefined;
    }
  }

  async #underWay(prefix: string): Promise<{ key: string; uploadId: string; begun: number }[]> {
    const found: { key: string; uploadId: string; begun: number }[] = [];
    let after: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
    while (after !== undefined) {
      const page: ListMultipartUploadsCommandOutput = await this.bucket.client.send(
        new ListMultipartUploadsCommand({ Bucket: this.bucket.name, Prefix: prefix, ...after }),
      );
      for (const { Key = '', UploadId = '', Initiated } of page.Uploads ?? []) {
        found.push({ key: Key, uploadId: UploadId, begun: Initiated?.getTime() ?? 0 });
      }
      after =
        page.IsTruncated === true
          ? onward(after, { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker })
          : undefined;
    }
    return found;
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.bucket.name, Key: key };
  }
}

function waitingKey(grant: FileGrant): string {
  return `${incoming}${uploadName(grant)}`;
}

function ignoreAbsent(error: unknown): void {
  if (!isAbsent(error)) throw error;
}
