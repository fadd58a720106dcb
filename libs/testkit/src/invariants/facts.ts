import type { JsonObject } from '@lab/contracts';

/**
 * What happened in a laboratory, in neutral terms. Two sources produce these facts: the fault simulator, which knows
 * every commit, and the chaos test, which reads database, ledgers and logs of instruments afterwards. A source leaves out
 * what it cannot observe; a rule judges the facts that are there. Times are milliseconds since 1970, devices are
 * `<lab>.<device>`.
 */
export interface Facts {
  /** From the logs of the instruments; those of one device in the order of their beginning. */
  motions: readonly Motion[];
  /** In the order of their creation. */
  attempts: readonly AttemptFact[];
  tasks: readonly TaskFact[];
  /** Times at which the code of a task ran, as the task itself noted them. */
  executions: readonly ExecutionFact[];
  /**
   * Accepted submissions. `state` is undefined when the record does not have the submission; `cancelRequested` says whether a
   * person asked for the cancellation, undefined: not known.
   */
  submissions: readonly { name: string; state: string | undefined; cancelRequested?: boolean }[];
  /** What is not over when everything should be, in words. */
  unfinished?: readonly string[];
  /** Calls with the fence that they carried, in the order in which each ledger has them. */
  calls?: readonly { computer: string; device: string; call: string; fence: number }[];
  /** Who had a device or resource over time; by `device:<lab>.<device>` or `resource:<name>`. */
  owners?: ReadonlyMap<string, readonly Ownership[]>;
  stops?: readonly StopFact[];
  /** Results in ledgers. `recordedAs`: the states that the record may show for this result; undefined: every one. */
  results?: readonly {
    computer: string;
    attempt: string;
    outcome: string;
    recordedAs: readonly string[] | undefined;
  }[];
  /** Files that can be read back, by `<attempt>/<name>`. */
  stored?: ReadonlyMap<string, FileFact>;
  /** In the order of the log. */
  events?: readonly EventFact[];
  /** Records with their last state, for comparison with the events, by aggregate. */
  states?: ReadonlyMap<string, string | undefined>;
  /** What leaders wrote, in the order of writing. */
  writes?: readonly { what: string; at: number; epoch: number }[];
  /** Each epoch with its beginning, oldest first. */
  leaderships?: readonly { at: number; epoch: number }[];
  /** Questions that people were asked. */
  questions?: readonly QuestionFact[];
  /** Share of needless questions that is tolerated, from 0 to 1. Default 0. */
  needlessShare?: number;
  trials?: readonly TrialFact[];
  /** Runs of campaigns with an optimizer. */
  searchedRuns?: readonly SearchedRunFact[];
  /** Allocations at the end. */
  allocations: readonly { unit: string; taskRunId: string | null; heldByRunId: string | null }[];
  /** Processes, files, ledger entries and open questions that should be gone, in words. */
  left: readonly string[];
  /** What the source found while it read its evidence. */
  found?: readonly Violation[];
}

export interface Motion {
  device: string;
  /** Identifies the call that caused the motion. */
  call: string;
  /** Null: a person called the device. */
  attempt: string | null;
  at: number;
  /** Undefined: the instrument noted no end. */
  end: number | undefined;
}

export interface AttemptFact {
  id: string;
  task: string;
  number: number;
  /** The last state. */
  state: string;
  createdAt: number;
  /** When it was recorded that the attempt is over, or that a person is asked about it; null: never. */
  settledAt: number | null;
  /** When it was recorded that the attempt is over; null: never, undefined: not known. */
  overAt?: number | null;
  /** A person decided how the attempt ended. */
  decided: boolean;
  devices: readonly string[];
  /** By device. */
  fences?: ReadonlyMap<string, number>;
  /** How many of its states are final. Default 1. */
  ends?: number;
}

export interface TaskFact {
  id: string;
  name: string;
  state: string;
  /** A person decided how the task ended. */
  decided?: boolean;
  /** Number of the attempt that the record shows; undefined: the completed one. */
  attempt?: number;
  outputs: JsonObject | null;
  /** How many motions the task says it made; undefined: it does not say. */
  motions?: number | undefined;
  files: readonly (FileFact & { name: string })[];
}

export interface FileFact {
  size: number;
  sha256: string;
}

export interface ExecutionFact {
  attempt: string;
  /** Undefined: the task noted only its end. */
  beganAt?: number | undefined;
  /** Undefined: the code did not return. `exact`: the outputs are all that it returned, not a part. */
  returned: { outputs: JsonObject; exact: boolean } | undefined;
  files: readonly (FileFact & { name: string })[];
}

export interface Ownership {
  at: number;
  taskRunId: string | null;
  heldByRunId: string | null;
  fence: number;
}

/** An emergency stop, or a pause of the queue. */
export interface StopFact {
  id: string;
  /** `all`, `queue`, `lab:<lab>` or `device:<lab>.<device>`. */
  scope: string;
  /** From when it is recorded. */
  from: number;
  /** When a person asked for its end. */
  until: number;
  /** When the agent of a device heard of the stop; undefined: not known. */
  heardAt?: (device: string) => number | undefined;
}

export interface EventFact {
  aggregate: string;
  /** Counts the events of one record from 1. */
  seq: number;
  /** Position in the log, from 0 or 1; undefined: not compared. */
  id?: number;
  /** `<kind>.<what happened>`; undefined: not compared. */
  type?: string;
  /** State that the record had when it was archived. */
  archivedState?: string;
}

export interface QuestionFact {
  what: string;
  /** Nothing had been lost that could have known the answer. */
  needless: boolean;
}

export interface TrialFact {
  number: number;
  run: string;
  state: string | undefined;
  inputs: Readonly<Record<string, unknown>>;
  outputs: Readonly<Record<string, number>> | null;
}

export interface SearchedRunFact {
  id: string;
  name: string;
  state: string | undefined;
  over: boolean;
  parameters: Readonly<Record<string, JsonObject>> | undefined;
  /** What the optimizer proposes for the trial of this run. */
  expected: (trial: TrialFact) => Readonly<Record<string, unknown>>;
  /** What the tasks of the run returned, by `<task>.<output>`. */
  measured: ReadonlyMap<string, unknown>;
}

/** The invariants in the words of an operator. */
export const invariants = {
  I1: 'motions of an instrument never overlap, and each call reaches it at most once',
  I2: 'an attempt runs at most once; the next begins only after the one before is certainly over; no attempt begins a motion after the record says that it is over',
  I3: 'a device has one owner at a time; fences rise; only the owner moves the device and keeps it until the motion ends; a run keeps what it holds',
  I4: 'every accepted submission ends or is shown to a person within 60 s after the last fault',
  I5: 'every durable result is recorded once, as it ended; only completed work is recorded as completed',
  I6: 'files are stored as they were written',
  I7: 'the events of a record are complete and in order, and the last one gives its last state',
  I8: 'only the leader writes',
  I9: 'people are asked only when something was lost that could have known the answer',
  I10: 'in the end nothing is allocated, running or left behind',
  I11: 'every run of a campaign with an optimizer has exactly one trial, made before it and measured as it ended',
  stop: 'nothing that people have stopped begins to move before they release it',
  defect: 'every error is an answer of the service',
} as const;
export type Invariant = keyof typeof invariants;

export interface Violation {
  invariant: Invariant;
  what: string;
}
