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

/** Bytes `start` to `end`, both included and counted from 0; without `end` up to the last. */
export interface ByteRange {
  start: number;
  end?: number;
}

export interface TicketRequest extends Content {
  key: string;
  /** How long the ticket is valid from now, in milliseconds. */
  expiresInMs: number;
}

/** Leave to bring the bytes of one object by HTTP. */
export interface UploadTicket {
  method: 'PUT';
  url: string;
  headers: Record<string, string>;
}

/** Leave to fetch the bytes of one object by HTTP, or a range of them. */
export interface DownloadTicket {
  url: string;
  headers: Record<string, string>;
}

/**
 * Bytes under keys. A key is any well-formed text of 1 to 1000 bytes in UTF-8 without control characters; `/` has no
 * meaning but in {@link ObjectStore.list}, where prefixes are usually cut there. Every operation throws ServiceError `invalid` for
 * another key, and `service_unavailable` (effect none) when the storage itself fails.
 */
export interface ObjectStore {
  /**
   * Stores what the source yields, in place of what the key held. The object appears whole, checked and durable, or
   * not at all: until then, and after any failure, the key holds what it held before. When the source throws, so does
   * this.
   *
   * @param expected what the content must be
   * @throws ServiceError `invalid` with faults, when the content is not what was expected
   */
  put(key: string, source: AsyncIterable<Uint8Array>, expected?: Content): Promise<Content>;
  /**
   * The content; it stays what it was when the call was answered, whatever happens to the key. The reader must read
   * the stream to its end or destroy it.
   *
   * @throws ServiceError `not_found`; `invalid` when the range begins behind the last byte or ends before its start
   */
  get(key: string, range?: ByteRange): Promise<Readable>;
  head(key: string): Promise<ObjectHead | undefined>;
  /** All objects whose key begins with the prefix, in no particular order. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Removes the object; one that is not there is no error. */
  delete(key: string): Promise<void>;
  /**
   * A ticket for uploading one object with exactly this content.
   *
   * @throws ServiceError `invalid` when size, hash or validity make no sense
   */
  uploadTicket(request: TicketRequest): Promise<UploadTicket>;
}

/** An {@link ObjectStore} whose uploads arrive, and whose downloads leave, at our own gateway. */
export interface FileStore extends ObjectStore {
  /**
   * What the bearer of a token may upload.
   *
   * @param now milliseconds since 1970; default: the clock of the store
   * @throws ServiceError `forbidden` when the token is not one of ours, was changed or has expired
   */
  acceptTicket(token: string, now?: number): FileGrant;
  /** What the bearer of a token may fetch. @throws as {@link acceptTicket} */
  acceptDownload(token: string): FileGrant;
  /** How many bytes of an upload are here, so that it may go on behind them; all of them when it is done. */
  received(grant: FileGrant): Promise<number>;
  /**
   * Takes an upload, or the rest of one that broke off. The object appears when it is whole and what the grant says; what
   * arrived of an upload that breaks off stays for a day.
   *
   * @param from bytes that arrived before; what the source yields comes behind them. 0: all begins anew
   * @throws ServiceError `wrong_state` (effect none) when not `from` bytes arrived before, when another connection takes
   *   the upload over, or when what arrived before is wrong, which is forgotten then; `invalid` when the content is not
   *   what the grant says; what the source throws
   */
  receive(grant: FileGrant, source: AsyncIterable<Uint8Array>, from: number): Promise<Content>;
}
