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
  /** How many bytes of an upload are here, so that it may go on behind them. */
  abstract received(grant: FileGrant): Promise<number>;
  /**
   * Takes an upload, or what follows the first `from` bytes of one that broke off.
   *
   * @throws ServiceError `wrong_state` when it cannot go on there; `invalid` when the content is not what was granted
   */
  abstract receive(
    grant: FileGrant,
    source: AsyncIterable<Uint8Array>,
    from: number,
  ): Promise<{ size: number; sha256: string }>;
  /** @throws ServiceError `forbidden` when the token is not one of ours or has expired */
  abstract acceptTicket(token: string): FileGrant;
  /** What the bearer of a token may fetch. @throws as {@link acceptTicket} */
  abstract acceptDownload(token: string): FileGrant;
}
