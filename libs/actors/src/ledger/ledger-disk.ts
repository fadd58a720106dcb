/** The two files of a ledger. One of them is in use; the other takes the next checkpoint. */
export const segmentNames = ['ledger-a.seg', 'ledger-b.seg'] as const;
export type SegmentName = (typeof segmentNames)[number];

/**
 * Where a ledger is kept. What was written is there after a crash only when `datasync` has resolved after it; until then
 * any part of it may be there. One ledger at a time has a disk.
 */
export interface LedgerDisk {
  /** The whole segment; undefined when there is none. */
  read(segment: SegmentName): Promise<Uint8Array | undefined>;
  /**
   * Makes the segment at least `bytes` long, durably. What is added is zeros that are really written, so that later
   * writes need neither space nor a change of the file's size. What was there stays.
   */
  reserve(segment: SegmentName, bytes: number): Promise<void>;
  /** Overwrites a part of what is reserved. */
  write(segment: SegmentName, offset: number, bytes: Uint8Array): Promise<void>;
  datasync(segment: SegmentName): Promise<void>;
  /** Keeps a copy of the segment for people to look at, and says where. */
  preserve(segment: SegmentName): Promise<string>;
  /** Lets go of the files. */
  close(): Promise<void>;
}
