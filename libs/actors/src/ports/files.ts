import type { FileDescription, ModuleReference } from '@lab/contracts';

/** The code of packages on this computer. */
export interface Modules {
  /**
   * Returns the absolute path of a verified module file. Fetches the module if this computer lacks it.
   *
   * @param host `<lab>.<device>` or the task type whose process executes the module next; absent: none does yet
   * @throws ServiceError `not_found` when no process has the module; `forbidden` when it must not run; another code when it
   *   cannot be had at present
   */
  path(module: ModuleReference, host?: string): Promise<string>;
  /** Whether a debugger may attach to the processes of a task type. Absent: to none. */
  isDebugged?(taskType: string): boolean;
}

/** A file in the spool folder of an attempt. */
export interface SpooledFile {
  name: string;
  /** In bytes. */
  size: number;
  sha256: string;
  /** Relative to the spool folder. */
  path: string;
}

/** An input file of an attempt. */
export interface InputFile extends FileDescription {
  handle: string;
}

/** The right to send one file to the object store, or to fetch one from it. */
export interface FileTicket {
  url: string;
  headers: Record<string, string>;
}

/** The spool folders of attempts, and the way to and from the object store. */
export interface Files {
  /** Makes the empty spool folder of an attempt and returns its absolute path. */
  prepare(attemptId: string): Promise<string>;
  /**
   * Puts an input file into the spool folder of an attempt, as a copy of its own with the expected SHA-256. A file that
   * this computer has already is not fetched again. A fetch that was interrupted continues where it stopped.
   *
   * @param ticket called only when something has to be fetched
   * @param signal when it fires, the fetch ends and the promise rejects
   * @returns the absolute path of the copy
   * @throws ServiceError; if it is not retryable (`invalid`, `not_found`), no later try can succeed
   */
  place(
    attemptId: string,
    file: InputFile,
    ticket: () => Promise<FileTicket>,
    signal: AbortSignal,
  ): Promise<string>;
  /** Writes one more file into the spool folder of an attempt, durably. */
  add(attemptId: string, name: string, text: string): Promise<SpooledFile>;
  /**
   * Sends one spooled file to the address of the ticket.
   *
   * @throws ServiceError; if it is not retryable (`invalid`, `not_found`, `payload_too_large`), no later try can succeed
   */
  upload(attemptId: string, file: SpooledFile, ticket: FileTicket): Promise<void>;
  /** Removes the spool folder of an attempt. It is no error if there is none. */
  discard(attemptId: string): Promise<void>;
  /** Removes every spool folder except those of these attempts. */
  sweep(kept: ReadonlySet<string>): Promise<void>;
}
