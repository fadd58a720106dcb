import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { ServiceError } from '@lab/contracts';
import { checkOrder, compare, fromSource, mismatch, outside, sizeFault } from './content.js';
import { checkKey } from './key-path.js';
import type { ByteRange, Content, FileGrant, FileStore, ListedObject, ObjectHead } from './object-store.js';
import { boundAnswers, onward } from './s3-answers.js';
import { isAbsent, nameOf, storage } from './s3-errors.js';
import { defaultSizes, piecesOf, S3Parts, type S3Bucket, type S3Sizes } from './s3-parts.js';
import { S3Uploads } from './s3-uploads.js';
import { FileTickets, type FileTicketsOptions } from './file-tickets.js';
import { TicketedStore } from './ticketed-store.js';

export interface S3StoreOptions extends FileTicketsOptions {
  /** Address of the server; default: the one of AWS for the region. */
  endpoint?: string | undefined;
  region: string;
  /** Must exist, and hold nothing else. */
  bucket: string;
  /** Whether addresses name the bucket in the path, and not in the host name. */
  pathStyle: boolean;
  accessKeyId: string;
  secretAccessKey: string;
  /** Overrides the sizes that suit S3. */
  sizes?: Partial<S3Sizes>;
}

/** Objects and unfinished uploads have different prefixes, so that nobody sees an incomplete object. */
const objects = 'objects/';

/**
 * Opens a store in a bucket, and aborts uploads there that nobody has continued for a day.
 *
 * @throws ServiceError `bad_request` for a short secret; `service_unavailable` when the bucket cannot be used
 */
export async function openS3Store(options: S3StoreOptions): Promise<FileStore> {
  const store = new S3Store(options);
  await store.prepare();
  return store;
}

class S3Store extends TicketedStore implements FileStore {
  readonly #client: S3Client;
  readonly #bucket: S3Bucket;
  readonly #parts: S3Parts;
  readonly #uploads: S3Uploads;
  readonly #now: () => number;

  constructor(options: S3StoreOptions) {
    const { endpoint, region, bucket, pathStyle, accessKeyId, secretAccessKey, now = Date.now } = options;
    super(new FileTickets(options));
    this.#client = new S3Client({
      region,
      forcePathStyle: pathStyle,
      credentials: { accessKeyId, secretAccessKey },
      ...(endpoint === undefined ? {} : { endpoint }),
      // Servers other than AWS do not support these checksums; the signature covers the payload.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: 5_000, socketTimeout: 30_000 },
    });
    boundAnswers(this.#client);
    this.#bucket = { client: this.#client, name: bucket };
    this.#parts = new S3Parts(this.#bucket);
    this.#uploads = new S3Uploads(this.#bucket, this.#parts, { ...defaultSizes, ...options.sizes });
    this.#now = now;
  }

  prepare(): Promise<void> {
    return storage(async () => {
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket.name }));
      await this.#uploads.removeAbandoned(this.#now());
    });
  }

  async put(key: string, source: AsyncIterable<Uint8Array>, expected?: Content): Promise<Content> {
    const place = this.#place(key);
    return fromSource(source, (watched) => storage(() => this.#put(place, watched, expected)));
  }

  async get(key: string, range: ByteRange = { start: 0 }): Promise<Readable> {
    const place = this.#place(key);
    checkOrder(range);
    const isWhole = range.start === 0 && range.end === undefined;
    try {
      const { Body } = await storage(() =>
        this.#client.send(
          new GetObjectCommand({
            ...place,
            ...(isWhole ? {} : { Range: `bytes=${range.start}-${range.end ?? ''}` }),
          }),
        ),
      );
      return Body as Readable;
    } catch (error) {
      if (isAbsent(error)) throw new ServiceError('not_found', 'there is no such object', { cause: error });
      if (nameOf(error) !== 'InvalidRange') throw error;
      throw outside(`begins behind the end, at ${range.start}`);
    }
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    const place = this.#place(key);
    try {
      const { ContentLength = 0, LastModified = new Date(0) } = await storage(() =>
        this.#client.send(new HeadObjectCommand(place)),
      );
      return { size: ContentLength, modifiedAt: LastModified };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    let token: string | undefined;
    do {
      const page = await storage(() =>
        this.#client.send(
          new ListObjectsV2Command({
            Bucket: this.#bucket.name,
            Prefix: objects + prefix,
            ContinuationToken: token,
            // XML cannot carry some characters.
            EncodingType: 'url',
          }),
        ),
      );
      for (const { Key = '', Size = 0, LastModified = new Date(0) } of page.Contents ?? []) {
        const key = decodeURIComponent(Key.replaceAll('+', ' ')).slice(objects.length);
        yield { key, size: Size, modifiedAt: LastModified };
      }
      const next = page.NextContinuationToken;
      token = next === undefined ? undefined : await storage(() => Promise.resolve(onward(token, next)));
    } while (token !== undefined);
  }

  async delete(key: string): Promise<void> {
    const place = this.#place(key);
    await storage(() => this.#client.send(new DeleteObjectCommand(place))).catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
    });
  }

  protected arrived(grant: FileGrant): Promise<number | undefined> {
    return storage(() => this.#uploads.received(grant));
  }

  async receive(grant: FileGrant, source: AsyncIterable<Uint8Array>, from: number): Promise<Content> {
    const place = this.#place(grant.key);
    const confirmed = await this.confirmed(grant, from);
    if (confirmed !== undefined) return confirmed;
    // An upload that fits into one part is not worth continuing.
    const isSmall = from === 0 && grant.size <= this.#uploads.partBytes(grant.size);
    return fromSource(source, (watched) =>
      storage(() =>
        isSmall
          ? this.#put(place, watched, grant)
          : this.#uploads.receive(grant, watched, { from, to: place.Key }),
      ),
    );
  }

  /**
   * Uploads a small object in one request, and a larger one in parts that become the object after they are verified.
   */
  async #put(
    place: { Bucket: string; Key: string },
    source: AsyncIterable<Uint8Array>,
    expected: Content | undefined,
  ): Promise<Content> {
    const hash = createHash('sha256');
    let size = 0;
    let uploadId: string | undefined;
    const etags: string[] = [];
    const most = expected?.size ?? Infinity;
    const counted = async function* (): AsyncIterable<Uint8Array> {
      for await (const chunk of source) {
        size += chunk.length;
        if (size > most) throw mismatch([sizeFault(most, `more than ${most}`)]);
        hash.update(chunk);
        yield chunk;
      }
    };
    try {
      let small: Buffer | undefined;
      for await (const { bytes, isLast } of piecesOf(counted(), this.#uploads.partBytes(expected?.size))) {
        if (isLast && uploadId === undefined) small = bytes;
        else {
          uploadId ??= await this.#parts.begin(place.Key);
          etags.push(await this.#parts.send(place.Key, uploadId, etags.length + 1, bytes));
        }
      }
      const content = { size, sha256: hash.digest('hex') };
      if (expected !== undefined) compare(content, expected);
      if (uploadId !== undefined) await this.#parts.complete(place.Key, uploadId, etags);
      else await this.#client.send(new PutObjectCommand({ ...place, Body: small ?? Buffer.alloc(0) }));
      return content;
    } catch (error) {
      if (uploadId !== undefined) {
        const abort = new AbortMultipartUploadCommand({ ...place, UploadId: uploadId });
        // The upload is aborted after a day in any case; the first error says more.
        await this.#client.send(abort).catch(() => undefined);
      }
      throw error;
    }
  }

  #place(key: string): { Bucket: string; Key: string } {
    checkKey(key);
    return { Bucket: this.#bucket.name, Key: objects + key };
  }
}
