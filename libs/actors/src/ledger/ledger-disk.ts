/** The two files of a ledger. One of them is in use; the other takes the next checkpoint. */
export const segmentNames = ['ledger-a.seg', 'ledger-b.seg'] as const;
export type SegmentName = (typeof segmentNames)[number];

/**
 * The storage of a ledger. After a crash, written bytes are certainly there only if `datasync` had resolved after the write;
 * otherwise any part of them may be there. A disk belongs to one ledger at a time.
 */
export interface LedgerDisk {
  /**
   * Why nothing new may begin, for people; undefined: the disk has room for it. The ledger has its space already, but the
   * files of a task do not.
   */
  readonly lack?: string | undefined;
  /** Reads the whole segment; undefined: there is none. */
  read(segment: SegmentName): Promise<Uint8Array | undefined>;
  /**
   * Durably extends the segment to at least `bytes` bytes. The new zeros are physically written, so that later writes need
   * neither space nor a change of the file size. The present content stays.
   */
  reserve(segment: SegmentName, bytes: number): Promise<void>;
  /** Overwrites a part of the reserved bytes. */
  write(segment: SegmentName, offset: number, bytes: Uint8Array): Promise<void>;
  datasync(segment: SegmentName): Promise<void>;
  /** Keeps a copy of the segment for inspection by people. @returns where it is */
  preserve(segment: SegmentName): Promise<string>;
  /** Closes the files. */
  close(): Promise<void>;
}
