import type { AuthorLog } from './log.js';

/**
 * The key under which a host attaches its context to a device or task. It is a registered symbol, because every package
 * module has its own copy of this library.
 */
export const contextKey: unique symbol = Symbol.for('svc.context');

/** The time in which a task has a device. */
export interface Allocation {
  /** Id of the attempt of the task. */
  attemptId: string;
  /** It is higher than the fence of every earlier allocation of the device. */
  fence: number;
}

export interface DeviceContext {
  name: string;
  lab: string;
  log: AuthorLog;
  /** Makes the folder of the device if it is missing. Null: the device has none. @throws Error of the disk */
  folder(): string | null;
  /** Id of the call that the running code serves. */
  callId(): string | undefined;
  /** Asks people for something; null: it asks no more. */
  ask(question: string | null): void;
  /** The allocation of the task that calls. Absent in hosts of the release before. */
  allocation?(): Allocation | undefined;
}

export interface TaskContext {
  signal: AbortSignal;
  log: AuthorLog;
  devices: object;
  parameters: object;
  resources: object;
  files: object;
  /** @throws an error with `code`, such as `deadline_exceeded` */
  expectFile(slot: string, pattern: string, timeoutS: number): Promise<unknown>;
  /** Absent in hosts of the release before. @throws Error of the disk */
  scratchFolder?(): Promise<string>;
}
