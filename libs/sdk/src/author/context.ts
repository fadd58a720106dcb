import type { AuthorLog } from './log.js';

/**
 * Where a host puts what it knows about the device or task. Registered symbols, because every package module carries its
 * own copy of this library.
 */
export const contextKey: unique symbol = Symbol.for('svc.context');

export interface DeviceContext {
  name: string;
  lab: string;
  log: AuthorLog;
  /** Id of the call that the running code belongs to. */
  callId(): string | undefined;
}

export interface TaskContext {
  signal: AbortSignal;
  log: AuthorLog;
  devices: object;
  parameters: object;
  resources: object;
  files: object;
}
