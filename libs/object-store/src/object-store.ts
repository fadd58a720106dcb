import type { Readable } from 'node:stream';

export interface Content {
  /** Bytes. */
  size: number;
  /** 64 lower-case hexadecimal digits. */
  sha256: string;
}

/** The content that a token allows its bearer to upload or download under this key. */
export interface FileGrant extends Content {
  key: string;
}

export interface ObjectHead {
  /** Bytes. */
  size: number;
  modifiedAt: Date;
}

export interface ListedObject extends ObjectHead {
  key: string;
}

/** Bytes `start` to `end`, both included and counted from 0. Without `end`: up to the last byte. */
export interface ByteRange {
  start: number;
  end?: number;
}

export interface TicketRequest extends Content {
  key: string;
  /** How long the ticket is valid from now, in milliseconds. */
  expiresInMs: number;
}

/** Permission to upload the bytes of one object over HTTP. */
export interface UploadTicket {
  method: 'PUT';
  url: string;
  headers: Record<string, string>;
}

/** Permission to download the bytes of one object, or a range of them, over HTTP. */
export interface DownloadTicket {
  url: string;
  headers: Record<string, string>;
}

/**
 * Bytes under keys. A key is any well-formed text of 1 to 1000 bytes in UTF-8 without control characters. `/` has a
 * meaning only in {@link ObjectStore.list}, where prefixes usually end with it. Every operation throws ServiceError
 * `invalid` for another key, and `service_unavailable` (effect none) when the storage itself fails.
 */
export interface ObjectStore {
  /**
   * Stores what the source yields, in place of the earlier content of the key. The object appears complete, checked
   * and durable, or not at all. Until then, and after any failure, the key keeps its earlier content. When the source
   * throws, so does this.
   *
   * @param expected the required content
   * @throws ServiceError `invalid` with faults, when the content differs from the expected one
   */
  put(key: string, source: AsyncIterable<Uint8Array>, expected?: Content): Promise<Content>;
  /**
   * The content at the time of the call, whatever happens to the key afterwards. The reader must read the stream to
   * its end or destroy it.
   *
   * @throws ServiceError `not_found`; `invalid` when the range begins after the last byte or ends before its start
   */
  get(key: string, range?: ByteRange): Promise<Readable>;
  head(key: string): Promise<ObjectHead | undefined>;
  /** All objects whose key begins with the prefix, in no particular order. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Removes the object. A missing object is not an error. */
  delete(key: string): Promise<void>;
  /**
   * A ticket for uploading one object with exactly this content.
   *
   * @throws ServiceError `invalid` when size, hash or validity make no sense
   */
  uploadTicket(request: TicketRequest): Promise<UploadTicket>;
}

/** An {@link ObjectStore} whose uploads and downloads go through our own gateway. */
export interface FileStore extends ObjectStore {
  /**
   * What the bearer of a token may upload.
   *
   * @param now milliseconds since 1970; default: the clock of the store
   * @throws ServiceError `forbidden` when the token is not one of ours, was changed or has expired
   */
  acceptTicket(token: string, now?: number): FileGrant;
  /** What the bearer of a token may download. @throws as {@link acceptTicket} */
  acceptDownload(token: string): FileGrant;
  /**
   * The number of bytes of an upload that have arrived, so that the upload can go on after them; all of them when it
   * is complete.
   */
  received(grant: FileGrant): Promise<number>;
  /**
   * Accepts an upload, or the rest of an interrupted one. The object appears when it is complete and matches the
   * grant. The received part of an interrupted upload stays for a day.
   *
   * @param from number of bytes that arrived before; the source yields the bytes after them. 0: the upload begins
   *   again
   * @throws ServiceError `wrong_state` (effect none) when another number of bytes arrived before, when another
   *   connection takes over the upload, or when the earlier bytes are wrong and were removed; `invalid` when the
   *   content does not match the grant; errors of the source
   */
  receive(grant: FileGrant, source: AsyncIterable<Uint8Array>, from: number): Promise<Content>;
}
