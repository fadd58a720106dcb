import type { Timetable } from '../policy.js';
import type { Schedule } from '../problem/problem.js';
import type { KnownPlace } from './acceptance.js';
import type { Compiled } from './compiled.js';

/** A candidate for the plan. */
export interface Draft {
  compiled: Compiled;
  schedule: Schedule;
  provenance: Timetable['provenance'];
  cost: number;
}

export interface Accepted extends Draft {
  timetable: Timetable;
  places: ReadonlyMap<string, KnownPlace>;
  /** All tasks that waited when the plan was made. */
  known: ReadonlySet<string>;
  /** Milliseconds since 1970; before this time, new tasks alone do not cause another plan. */
  standsUntil: number;
}
