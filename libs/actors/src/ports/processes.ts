import type { DeviceAssignment, FromDevice, FromTask, Runtime, ToDevice, ToTask } from '@lab/contracts';

/** How a process ended. If `code` and `signal` are null, it could not be started, and `lastStderr` says why. */
export interface ProcessExit {
  code: number | null;
  signal: string | null;
  /** The last line that the process wrote to standard error, or the known cause of its end. */
  lastStderr: string | null;
}

/** Describes for people how a process ended, in one line: `exit code 1: <last line of stderr, or the cause>`. */
export function describeExit(exit: ProcessExit): string {
  const how =
    exit.signal !== null
      ? `signal ${exit.signal}`
      : exit.code !== null
        ? `exit code ${exit.code}`
        : 'it could not be started';
  // A process waits for messages, so it ends with 0 only when code asks for that.
  const cause =
    exit.lastStderr || (exit.code === 0 ? 'its code, or that of a library, called process.exit' : '');
  return cause === '' ? how : `${how}: ${cause}`;
}

/**
 * A running child process. Its messages arrive in order, one at a time, and never inside `send` or inside the call that
 * started the process. The exit is reported exactly once, after the last message, also when the process could not be
 * started.
 */
export interface ProcessHandle<To, From> {
  /** Address at which a debugger may attach to the process; undefined: none may. */
  readonly debugger?: string | undefined;
  /** Never throws. A message to a process that has ended is dropped; the caller learns of the end by `onExit`. */
  send(message: To): void;
  /** Sets the only listener. Call it in the turn of the event loop in which the process was started. */
  onMessage(listener: (message: From) => void): void;
  /** Sets the only listener. Call it in the turn of the event loop in which the process was started. */
  onExit(listener: (exit: ProcessExit) => void): void;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

export type DeviceProcess = ProcessHandle<ToDevice, FromDevice>;
export type TaskProcess = ProcessHandle<ToTask, FromTask>;

export interface DeviceProcesses {
  /** Starts a process for a device. The process waits for `init`. */
  start(device: DeviceAssignment): DeviceProcess;
}

/** What a process for tasks can execute. */
export interface HostKind {
  runtime: Runtime;
  /** SHA-256 of the lock of its libraries for Python; undefined: it has none. */
  environment?: string | undefined;
  /** Task type whose processes a debugger may attach to. Such a process is for one task. Absent: none may. */
  debugged?: string | undefined;
}

export interface TaskProcesses {
  /**
   * Starts a process for tasks of a kind, whose module was provided before. The process sends `waiting` when it is ready for a task.
   */
  start(kind: HostKind): TaskProcess;
}
