import type {
  Fault,
  ErrorCode,
  LabRights,
  ProtocolRunSubmission,
  SimulatedScheduler,
  SimulationRecord,
  SimulationScenario,
  Submission,
  SubmissionEstimate,
  WhatIfRecord,
} from '@lab/contracts';
import type { CurrentState } from '@lab/simulation';
import type { LoadedSet } from '../loaded/index.js';

/** The order to the simulation thread. */
export type SimulationOrder = { loaded: LoadedSet; maxTasks: number; rights: LabRights } & (
  | { kind: 'scenario'; scenario: SimulationScenario }
  | {
      kind: 'what_if';
      submission: ProtocolRunSubmission;
      current: CurrentState;
      scheduler: SimulatedScheduler;
    }
  | { kind: 'estimate'; asked: Submission; current: CurrentState; scheduler: SimulatedScheduler }
);

/** The results, by kind of order. */
export interface Found {
  scenario: SimulationRecord;
  what_if: WhatIfRecord;
  estimate: { estimate: SubmissionEstimate; warnings: string[] };
}

/** The answer of the thread. */
export type SimulationAnswer =
  | { ok: true; record: Found[keyof Found] }
  | { ok: false; code: ErrorCode; message: string; faults: readonly Fault[] };
