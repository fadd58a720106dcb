import type {
  AttemptCalls,
  AttemptOutcome,
  CodeRuntime,
  Effect,
  EmergencyStop,
  ErrorCode,
  JsonObject,
  JsonValue,
} from '@lab/contracts';
import type { OtherAgent, SpooledFile } from '../ports/index.js';

/** A call that may change something, as the ledger has it. */
export interface RecordedCall {
  /** Unique for ever; the same id again is the same call. */
  callId: string;
  /** `<lab>.<device>`. */
  device: string;
  function: string;
  kind: 'effect' | 'idempotent';
  /** The attempt that called; absent: a person called. */
  attemptId?: string | undefined;
  /** Fence of the allocation under which the call was made; absent: a person called. */
  fence?: number | undefined;
  /**
   * Set: the device belongs to that computer, whose agent keeps the authoritative record. This record only serves the
   * tally of the attempt.
   */
  computer?: string | undefined;
  /** For people: without secret values, and cut. Absent: written by an earlier version. */
  arguments?: JsonObject | undefined;
  /** Wall clock when it began, in milliseconds since 1970. */
  atMs?: number | undefined;
  /** Person who called; absent: a task called. */
  by?: string | undefined;
  /** Content hash of the code of the device. */
  code?: string | undefined;
  /** What executed that code. Absent: its process did not say, or an earlier version wrote the record. */
  runtime?: CodeRuntime | undefined;
}

/** A call on a device of this computer whose record has not been stored centrally, or only its beginning. */
export interface UnstoredCall {
  call: RecordedCall;
  ending?: CallEnding | undefined;
  /** Wall clock when it ended, in milliseconds since 1970. */
  endedMs?: number | undefined;
}

/** How a recorded call ended. */
export type CallEnding =
  | { kind: 'returned'; value?: JsonValue | undefined }
  /** `lost`: nobody knows how the call ended. */
  | { kind: 'failed'; code: ErrorCode; message: string; effect: Effect; lost?: true };

/** How and when an attempt ended. */
export interface AttemptEnd {
  outcome: AttemptOutcome;
  /** Wall clock when its process ended, in milliseconds since 1970. Absent: not known. */
  endedMs?: number;
  /** What executed its code. Absent: nothing did, or nobody knows. */
  runtime?: CodeRuntime;
}

/** What the agent must still know after a restart. Each record names an act and is durable before that act. */
export type LedgerRecord =
  /** The agent accepts the attempt, and answers only when this is durable. `fences`: `<lab>.<device>` to its fence. */
  | {
      type: 'accept';
      attemptId: string;
      label: string;
      fences?: Record<string, number>;
      /** Other computers that run devices of the attempt. */
      elsewhere?: OtherAgent[];
    }
  /** The attempt is handed to a process. From here on it may have an effect. */
  | { type: 'begin'; attemptId: string }
  /** The process is done and no device call is in progress. The files are still to be stored. */
  | ({ type: 'end'; attemptId: string; files: SpooledFile[] } & AttemptEnd)
  /** The final outcome, which is reported until the orchestrator acknowledges it. */
  | ({ type: 'result'; attemptId: string } & AttemptEnd)
  /** The attempt is unknown, or never began. The agent refuses it for ever. */
  | { type: 'tombstone'; attemptId: string }
  /** The orchestrator has committed the result. */
  | { type: 'acked'; attemptId: string }
  /** The call is sent to the device. From here on it may have an effect. */
  | { type: 'call_begin'; call: RecordedCall }
  /** The device has answered, or the call is known never to have begun. `shown`: its value for people, if `ending` is not what it returned. */
  | { type: 'call_end'; callId: string; ending: CallEnding; atMs?: number; shown?: JsonValue }
  /** The driver or a person has said that the device is idle. */
  | { type: 'settled'; device: string; by: string }
  /** This incarnation of the agent keeps the ledger. */
  | { type: 'incarnation'; inc: number }
  /** A process of the agent opened the ledger. Its session proves to the leader that the next process has this ledger. */
  | { type: 'session'; session: string }
  /** An emergency stop is in force. */
  | { type: 'halt'; halt: EmergencyStop }
  /** These emergency stops are over. */
  | { type: 'released'; ids: string[] }
  /** The records of these ended calls are stored centrally. */
  | { type: 'calls_stored'; callIds: string[] }
  /** In checkpoints: an ended call whose record is not stored centrally. */
  | { type: 'call_unstored'; unstored: UnstoredCall }
  /** In checkpoints: the ended calls of an open attempt. */
  | { type: 'tally'; attemptId: string; calls: AttemptCalls }
  /** In checkpoints: an ended call, kept to answer its repeat. */
  | { type: 'call_over'; call: RecordedCall; ending: CallEnding }
  /** In checkpoints: what is still known about a device whose calls are over. */
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
  'session',
  'halt',
  'released',
  'calls_stored',
  'call_unstored',
  'tally',
  'call_over',
  'device',
] as const satisfies readonly LedgerRecord['type'][];
