import type { Readable } from 'node:stream';

export interface FileGrant {
  key: string;
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
}

/** Files that tasks produced. */
export abstract class FileStore {
  /** @param range bytes `start` to `end`, both included; default: all */
  abstract get(key: string, range?: { start: number; end: number }): Promise<Readable>;
  /** Number of bytes that are stored of an upload, so that it can continue behind them. */
  abstract received(grant: FileGrant): Promise<number>;
  /**
   * Stores an upload, or the rest of an interrupted one behind its first `from` bytes.
   *
   * @throws ServiceError `wrong_state` when it cannot continue there; `invalid` when the content is not the granted one
   */
  abstract receive(
    grant: FileGrant,
    source: AsyncIterable<Uint8Array>,
    from: number,
  ): Promise<{ size: number; sha256: string }>;
  /** @throws ServiceError `forbidden` when this service did not sign the token, or it has expired */
  abstract acceptTicket(token: string): FileGrant;
  /** The file that the bearer of a token may fetch. @throws as {@link acceptTicket} */
  abstract acceptDownload(token: string): FileGrant;
}
