import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { onward } from './s3-answers.js';

export interface S3Bucket {
  client: S3Client;
  name: string;
}

export interface S3Sizes {
  /** Bytes of one part, at least 5 MiB. An object that would have too many parts has larger ones. */
  part: number;
  /** Most bytes that one request copies. */
  copy: number;
}

const mebibyte = 1024 * 1024;

export const defaultSizes: S3Sizes = { part: 8 * mebibyte, copy: 1024 * mebibyte };

/** S3 allows 10,000 parts per object. */
export const maxParts = 10_000;

export interface ReceivedPart {
  number: number;
  /** Bytes. */
  size: number;
  etag: string;
}

/** The parts of unfinished objects. */
export class S3Parts {
  constructor(private readonly bucket: S3Bucket) {}

  /** @returns the id of the upload */
  async begin(key: string): Promise<string> {
    const { UploadId = '' } = await this.bucket.client.send(
      new CreateMultipartUploadCommand({ Bucket: this.bucket.name, Key: key }),
    );
    return UploadId;
  }

  /** @param number from 1 */
  async send(key: string, uploadId: string, number: number, bytes: Buffer): Promise<string> {
    const { ETag = '' } = await this.bucket.client.send(
      new UploadPartCommand({ ...this.#of(key, uploadId), PartNumber: number, Body: bytes }),
    );
    return ETag;
  }

  /** The parts that follow each other without a gap from the first one. */
  async received(key: string, uploadId: string): Promise<ReceivedPart[]> {
    const parts: ReceivedPart[] = [];
    let marker: string | undefined;
    do {
      const page = await this.bucket.client.send(
        new ListPartsCommand({ ...this.#of(key, uploadId), PartNumberMarker: marker }),
      );
      for (const { PartNumber = 0, Size = 0, ETag = '' } of page.Parts ?? []) {
        if (PartNumber !== parts.length + 1) return parts;
        parts.push({ number: PartNumber, size: Size, etag: ETag });
      }
      marker = page.IsTruncated === true ? onward(marker, page.NextPartNumberMarker) : undefined;
    } while (marker !== undefined);
    return parts;
  }

  /** Joins the parts into one object, in place of the earlier content of the key. */
  async complete(key: string, uploadId: string, etags: readonly string[]): Promise<void> {
    const Parts = etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
    await this.bucket.client.send(
      new CompleteMultipartUploadCommand({ ...this.#of(key, uploadId), MultipartUpload: { Parts } }),
    );
  }

  async abort(key: string, uploadId: string): Promise<void> {
    await this.bucket.client.send(new AbortMultipartUploadCommand(this.#of(key, uploadId)));
  }

  #of(key: string, uploadId: string) {
    return { Bucket: this.bucket.name, Key: key, UploadId: uploadId };
  }
}

/** Cuts what a source yields into pieces of this many bytes. The last piece has the rest, which may be empty. */
export async function* piecesOf(
  source: AsyncIterable<Uint8Array>,
  bytes: number,
): AsyncIterable<{ bytes: Buffer; isLast: boolean }> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    for (let rest = chunk; rest.length > 0;) {
      // A full piece waits for the next byte, because it may be the last piece.
      if (size === bytes) {
        yield { bytes: Buffer.concat(held), isLast: false };
        held = [];
        size = 0;
      }
      const taken = rest.subarray(0, bytes - size);
      held.push(taken);
      size += taken.length;
      rest = rest.subarray(taken.length);
    }
  }
  yield { bytes: Buffer.concat(held), isLast: true };
}
