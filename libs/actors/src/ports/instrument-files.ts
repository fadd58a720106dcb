import type { DeviceAssignment } from '@lab/contracts';
import type { FileTicket, InputFile } from './files.js';

/** A file that an instrument wrote for an attempt. Its handle is unique for ever. */
export interface ArrivedFile {
  file: InputFile;
  ticket: FileTicket;
}

/** The files that instruments write into folders. */
export interface InstrumentFiles {
  /** From now on the folders of these devices are watched, and no others. Never throws. */
  assign(devices: readonly DeviceAssignment[]): void;
  /**
   * Looks for the first file of a device that belongs to the attempt, matches the pattern, and is not among the known ones.
   *
   * @param known handles
   * @returns undefined: it is not there yet
   * @throws ServiceError `invalid` when the pattern or the folder can never give a file; other codes: try again later
   */
  next(wanted: {
    attemptId: string;
    device: { lab: string; name: string };
    pattern: string;
    known: ReadonlySet<string>;
  }): Promise<ArrivedFile | undefined>;
}
