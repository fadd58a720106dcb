import type { Snapshot, Timetable } from '../policy.js';
import type { Schedule } from '../problem/problem.js';
import type { Steps } from '../steps.js';
import type { KnownPlace } from './acceptance.js';
import type { Compiled } from './compiled.js';

/** A candidate for the plan. */
export interface Draft {
  compiled: Compiled;
  schedule: Schedule;
  provenance: Timetable['provenance'];
  cost: number;
}

export interface Making {
  snapshot: Snapshot;
  /** Ends with the snapshot in numbers; null: it has no plan. */
  steps: Steps<Compiled | null>;
}

export interface Accepted extends Draft {
  timetable: Timetable;
  places: ReadonlyMap<string, KnownPlace>;
  /** All tasks that waited when the plan was made. */
  known: ReadonlySet<string>;
  /** Milliseconds since 1970; before this time, new tasks alone do not cause another plan. */
  standsUntil: number;
}
