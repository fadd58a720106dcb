import type {
  Fault,
  ErrorCode,
  ProtocolRunSubmission,
  SimulatedScheduler,
  SimulationRecord,
  SimulationScenario,
  Submission,
  SubmissionEstimate,
  WhatIfRecord,
} from '@lab/contracts';
import type { CurrentState } from '@lab/simulation';
import type { LoadedSet } from '../definitions/index.js';

/** What the thread that simulates is given. */
export type SimulationOrder = { loaded: LoadedSet; maxTasks: number } & (
  | { kind: 'scenario'; scenario: SimulationScenario }
  | {
      kind: 'what_if';
      submission: ProtocolRunSubmission;
      current: CurrentState;
      scheduler: SimulatedScheduler;
    }
  | { kind: 'estimate'; asked: Submission; current: CurrentState; scheduler: SimulatedScheduler }
);

/** What was found, by the kind of the order. */
export interface Found {
  scenario: SimulationRecord;
  what_if: WhatIfRecord;
  estimate: { estimate: SubmissionEstimate; warnings: string[] };
}

/** What it says of it. */
export type SimulationAnswer =
  | { ok: true; record: Found[keyof Found] }
  | { ok: false; code: ErrorCode; message: string; faults: readonly Fault[] };
