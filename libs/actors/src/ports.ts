import type {
  AttemptCalls,
  AttemptOutcome,
  AttemptReport,
  AttemptResult,
  DeviceAssignment,
  DeviceFunction,
  DeviceStatus,
  Effect,
  ErrorCode,
  Fault,
  FileDescription,
  FromDevice,
  FromTask,
  Halt,
  JsonObject,
  JsonValue,
  ModuleReference,
  ToDevice,
  ToTask,
} from '@lab/contracts';
import type { LedgerMemory, LedgerState } from './ledger/ledger-state.js';

/** The only sources of time, chance, memory and effect of an agent. Each has an in-memory twin in `memory/`. */

export interface Clock {
  /** Milliseconds since 1970; used for differences only. */
  now(): number;
}

export interface Timers {
  /** Runs `callback` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

export interface Ids {
  /** A new unique identifier. */
  next(): string;
}

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** The same log with fields that stand in every line. */
  child(bindings: Record<string, unknown>): Log;
}

/** How a process ended. Both null: it could not be started, and `lastStderr` says why. */
export interface ProcessExit {
  code: number | null;
  signal: string | null;
  /** The last line it wrote to standard error. */
  lastStderr: string | null;
}

/**
 * A running child process. Messages arrive in order, one at a time, never inside `send` or the call that made the
 * process; the exit is told exactly once and after the last message, also when the process could not be started.
 */
export interface ProcessHandle<To, From> {
  /** Never throws; a message to a process that is gone is dropped, for its exit is told. */
  send(message: To): void;
  /** One listener; must be set in the same turn of the event loop in which the process was started. */
  onMessage(listener: (message: From) => void): void;
  /** One listener; must be set in the same turn of the event loop in which the process was started. */
  onExit(listener: (exit: ProcessExit) => void): void;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

export type DeviceProcess = ProcessHandle<ToDevice, FromDevice>;
export type TaskProcess = ProcessHandle<ToTask, FromTask>;

export interface DeviceProcesses {
  /** Starts a process for a device; it waits for `init`. */
  start(device: DeviceAssignment): DeviceProcess;
}

export interface TaskProcesses {
  /** Starts a task process; it says `waiting` when it is warm. */
  start(): TaskProcess;
}

/**
 * Checks the arguments of a call against what the function declares. One that declares no parameters takes anything.
 *
 * @returns the arguments with the defaults of those that were left out, and all faults, with paths that begin with
 *   `arguments`
 */
export type CheckArguments = (
  declared: DeviceFunction,
  given: JsonObject,
) => { values: JsonObject; faults: Fault[] };

export interface Modules {
  /**
   * Absolute path of the verified module file; fetched when this computer lacks it.
   *
   * @throws ServiceError `not_found` when nobody has it; another code when it cannot be had at present
   */
  path(module: ModuleReference): Promise<string>;
}

/** A file in the spool folder of an attempt. */
export interface SpooledFile {
  name: string;
  size: number;
  sha256: string;
  /** Relative to the spool folder. */
  path: string;
}

/** A call that may change something, as the ledger knows it. */
export interface RecordedCall {
  /** Unique for ever; the same id again is the same call. */
  callId: string;
  /** `<lab>.<device>`. */
  device: string;
  function: string;
  kind: 'effect' | 'idempotent';
  /** The attempt that called; absent: a person. */
  attemptId?: string | undefined;
  /** Of the allocation under which it was made; absent: a call of a person. */
  fence?: number | undefined;
  /** Set: the device is of that computer, whose agent keeps the record that counts; this one is for the attempt's tally. */
  computer?: string | undefined;
}

/** How a recorded call ended. */
export type CallEnding =
  | { kind: 'returned'; value?: JsonValue | undefined }
  | { kind: 'failed'; code: ErrorCode; message: string; effect: Effect };

/**
 * Where calls are recorded before they act. The actor of the device calls it: `begin` right before the call is sent to
 * the process, `end` when the process has answered or is known never to have begun it, `inDoubt` when it is gone without
 * an answer. Between `begin` and `end` nobody may say that the device is idle.
 */
export interface CallRecords {
  /**
   * Resolves when it is durable that the call may act from now on.
   *
   * @throws ServiceError `service_unavailable` with effect none when it could not be recorded; the call must not be sent
   */
  begin(call: RecordedCall): Promise<void>;
  /** Notes the end; nobody waits for the disk, for a lost end is only asked about. */
  end(callId: string, ending: CallEnding): void;
  /** The effects of a device that began and have no known end, oldest first; also those of earlier agent processes. */
  inDoubt(device: string): RecordedCall[];
  /** The last call of a device that is known to have ended, for the person who is asked. */
  lastConfirmed(device: string): RecordedCall | undefined;
  /**
   * Somebody who can know has said that the device is idle: its driver (`_reconcile`) or a person. Resolves when that is
   * durable; {@link inDoubt} is empty then.
   */
  settled(device: string, by: string): Promise<void>;
}

/** What the agent must still know after it died. Each record names an act and is durable before that act. */
export type LedgerRecord =
  /** The attempt was taken on; it is answered only when this is durable. `fences`: `<lab>.<device>` to its fence. */
  | {
      type: 'accept';
      attemptId: string;
      label: string;
      fences?: Record<string, number>;
      /** Other computers that have devices of the attempt. */
      elsewhere?: OtherAgent[];
    }
  /** The attempt is handed to a process: from here on it may have had an effect. */
  | { type: 'begin'; attemptId: string }
  /** The process is done and no device call is open; the files are still to be stored. */
  | { type: 'end'; attemptId: string; outcome: AttemptOutcome; files: SpooledFile[] }
  /** The final outcome, reported until it is acknowledged. */
  | { type: 'result'; attemptId: string; outcome: AttemptOutcome }
  /** The attempt was never heard of, or never began, and is refused for ever. */
  | { type: 'tombstone'; attemptId: string }
  /** The orchestrator has committed the result. */
  | { type: 'acked'; attemptId: string }
  /** The call is sent to the device: from here on it may have an effect. */
  | { type: 'call_begin'; call: RecordedCall }
  /** The device has answered, or the call is known never to have begun. */
  | { type: 'call_end'; callId: string; ending: CallEnding }
  /** Somebody who can know has said that the device is idle. */
  | { type: 'settled'; device: string; by: string }
  /** This ledger is kept by that incarnation of the agent. */
  | { type: 'incarnation'; inc: number }
  /** People have stopped devices. */
  | { type: 'halt'; halt: Halt }
  /** These stops are over. */
  | { type: 'released'; ids: string[] }
  /** In checkpoints: the calls of an open attempt that are over. */
  | { type: 'tally'; attemptId: string; calls: AttemptCalls }
  /** In checkpoints: a call that is over, to answer its repeat. */
  | { type: 'call_over'; call: RecordedCall; ending: CallEnding }
  /** In checkpoints: what is still known of a device whose calls are over. */
  | { type: 'device'; device: string; fence?: number; lastConfirmed?: RecordedCall };

/** Every type of record. */
export const ledgerRecordTypes = [
  'accept',
  'begin',
  'end',
  'result',
  'tombstone',
  'acked',
  'call_begin',
  'call_end',
  'settled',
  'incarnation',
  'halt',
  'released',
  'tally',
  'call_over',
  'device',
] as const satisfies readonly LedgerRecord['type'][];

/** The memory of an agent that outlives it. */
export interface Ledger {
  /** What the records mean that are durable, and those noted. */
  readonly state: LedgerState;
  /** Why nothing can be recorded at present; undefined when it can. */
  readonly trouble: string | undefined;
  /**
   * Reads what an earlier agent process left. Called once, before anything is appended. What a crash cut short is gone.
   *
   * @throws Error when the ledger cannot be read or written
   */
  open(memory: LedgerMemory): Promise<void>;
  /**
   * Resolves when the record and every earlier one is durable and part of the state.
   *
   * @throws Error when it could not be written; then it counts as never appended
   */
  append(record: LedgerRecord): Promise<void>;
  /**
   * Takes a fact into the state at once; it is written when the disk allows, of a ledger that is not open yet when it is.
   * What follows in the ledger is durable only together with it. A crash may lose it.
   */
  note(record: LedgerRecord): void;
  /** Waits for the writing under way. */
  close(): Promise<void>;
}

export interface Registration {
  inc: number;
  epoch: number;
  devices: DeviceAssignment[];
  /** The stops of people that are in force; absent: not told. */
  halts?: Halt[] | undefined;
  /** Ids of the latest ones that were released. */
  released?: string[] | undefined;
}

export interface UploadTicket {
  url: string;
  headers: Record<string, string>;
}

/** Leave to fetch one file. */
export interface DownloadTicket {
  url: string;
  headers: Record<string, string>;
}

/** The way to the leading orchestrator. Rejections are ServiceErrors. */
export interface Orchestrator {
  register(hello: {
    computer: string;
    session: string;
    version: string;
    attempts: AttemptReport[];
    incarnations: number[];
    devices: DeviceStatus[];
    halts: Halt[];
  }): Promise<Registration>;
  /** Resolves when the result is committed. */
  reportResult(result: AttemptResult): Promise<void>;
  uploadTicket(file: {
    attemptId: string;
    name: string;
    size: number;
    sha256: string;
  }): Promise<UploadTicket>;
  /** @throws ServiceError `not_found` when the attempt does not run any more, or gets no such file */
  downloadTicket(file: { attemptId: string; handle: string }): Promise<DownloadTicket>;
}

export interface DeviceAddress {
  computer: string;
  inc: number;
  lab: string;
  name: string;
}

/** The way to devices that other agents run. */
export interface Peers {
  /**
   * @param timeoutMs how long to wait for the answer; a call that has not begun a second later never begins
   * @throws ServiceError what the other agent answered, or with effect none when it was not reached;
   *   {@link Unanswered} when it was, and no answer came
   */
  call(
    to: DeviceAddress,
    call: {
      callId: string;
      function: string;
      arguments: JsonObject;
      attemptId: string;
      fence: number;
    },
    timeoutMs: number,
  ): Promise<JsonValue | undefined>;
  /**
   * Tells another agent that an attempt is over: it begins no call of it any more, and stops those in progress if it can.
   *
   * @returns whether one still goes on there
   * @throws ServiceError when it was not reached
   */
  barCalls(to: AgentIncarnation, attemptId: string, reason: string): Promise<boolean>;
  /** Calls `over` once when a later incarnation of the agent is heard. The returned function ends it. */
  whenOver(agent: AgentIncarnation, over: () => void): () => void;
}

/** One life of an agent. */
export interface AgentIncarnation {
  computer: string;
  inc: number;
}

/** Another agent that has devices of an attempt. */
export interface OtherAgent extends AgentIncarnation {
  /** A call to one of them that was sent at some moment is over so much later in any case, in milliseconds. */
  restMs: number;
}

/** A file that an attempt gets. */
export interface WantedFile extends FileDescription {
  handle: string;
}

/** The spool folders of attempts, and the way to and from the object store. */
export interface Files {
  /** Makes the empty spool folder of an attempt and returns its absolute path. */
  prepare(attemptId: string): Promise<string>;
  /**
   * Puts a file that an attempt gets into its spool folder: a copy of its own, whole and with the SHA-256 it must have.
   * What is on this computer already is not fetched again, and a fetch that broke off goes on where it did.
   *
   * @param ticket asked for only when something is to be fetched
   * @param signal gives up; rejects then
   * @returns absolute path
   * @throws ServiceError: one that is not retryable (`invalid`, `not_found`) means never
   */
  place(
    attemptId: string,
    file: WantedFile,
    ticket: () => Promise<DownloadTicket>,
    signal: AbortSignal,
  ): Promise<string>;
  /** Writes one more file into the spool folder of an attempt, durably. */
  add(attemptId: string, name: string, text: string): Promise<SpooledFile>;
  /**
   * Sends one spooled file to where the ticket says.
   *
   * @throws ServiceError: one that is not retryable (`invalid`, `not_found`, `payload_too_large`) means never
   */
  upload(attemptId: string, file: SpooledFile, ticket: UploadTicket): Promise<void>;
  /** Removes the spool folder; no error when there is none. */
  discard(attemptId: string): Promise<void>;
  /** Removes every spool folder but those of these attempts. */
  sweep(kept: ReadonlySet<string>): Promise<void>;
}

/** Who hears what happens in the agent. */
export interface Announcer {
  /** The state of a device changed. */
  deviceChanged(status: DeviceStatus): void;
  /** The agent has a (new) incarnation and must be reachable under it when this resolves. */
  incarnated(inc: number): Promise<void>;
}

export interface AgentPorts {
  clock: Clock;
  timers: Timers;
  ids: Ids;
  random: Random;
  log: Log;
  ledger: Ledger;
  modules: Modules;
  checkArguments: CheckArguments;
  deviceProcesses: DeviceProcesses;
  taskProcesses: TaskProcesses;
  orchestrator: Orchestrator;
  peers: Peers;
  files: Files;
  announcer: Announcer;
}
