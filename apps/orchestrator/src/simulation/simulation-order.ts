import type {
  Fault,
  ErrorCode,
  ProtocolRunSubmission,
  SimulatedScheduler,
  SimulationRecord,
  SimulationScenario,
  WhatIfRecord,
} from '@lab/contracts';
import type { Present } from '@lab/simulation';
import type { LoadedSet } from '../definitions/loaded-definitions.js';

/** What the thread that simulates is given. */
export type SimulationOrder = { loaded: LoadedSet; maxTasks: number } & (
  | { kind: 'scenario'; scenario: SimulationScenario }
  | { kind: 'what_if'; submission: ProtocolRunSubmission; present: Present; scheduler: SimulatedScheduler }
);

/** What it says of it. */
export type SimulationAnswer =
  | { ok: true; record: SimulationRecord | WhatIfRecord }
  | { ok: false; code: ErrorCode; message: string; faults: readonly Fault[] };
