/** What a policy sees and says. Snapshots are values: a policy neither changes nor keeps them. */

export type UnitKind = 'device' | 'resource';

/** A device (`<lab>.<device>`) or a resource (`<name>`): what a task can get for itself alone. */
export interface PlanUnit {
  /** Unique among devices and resources, for example `device:lab.arm`. */
  id: string;
  kind: UnitKind;
  /** A task uses it at this moment. */
  busy: boolean;
  /** The run that keeps it between its tasks; only tasks of that run may get it. */
  heldBy: string | null;
  /** False: it must not be given to anyone at present (faulted, or its computer is away). */
  usable: boolean;
  /** Milliseconds it has been in use so far, for balancing the load. */
  busyMs: number;
}

/** One place of a task that must be filled by exactly one of the candidates. */
export interface PlanSlot {
  name: string;
  /** Ids of units. */
  candidates: readonly string[];
}

/** A task that could start at once if it got its units. */
export interface PlanTask {
  id: string;
  run: string | null;
  /** Higher goes first. */
  priority: number;
  /** Milliseconds since 1970. */
  queuedAt: number;
  /** Seconds it is expected to take; null when nobody said. */
  duration: number | null;
  slots: readonly PlanSlot[];
}

export interface Snapshot {
  /** Names the state of the world that this was taken from. */
  version: number;
  /** Milliseconds since 1970. */
  now: number;
  tasks: readonly PlanTask[];
  units: ReadonlyMap<string, PlanUnit>;
}

/** What a policy may spend before it must answer. */
export interface Budget {
  /** Milliseconds. */
  timeLimitMs: number;
}

export interface Assignment {
  task: string;
  /** Milliseconds since 1970; not after the snapshot's `now`: start at once. */
  start: number;
  /** Slot name to the id of the unit. */
  units: Record<string, string>;
}

export interface Plan {
  /** In the order in which they are to be started. */
  assignments: Assignment[];
  /** What the policy minimises; null when it optimises nothing. */
  objective: number | null;
  /** No plan can have a lower objective; null when unknown. */
  lowerBound: number | null;
  /** `(objective - lowerBound) / objective`; null when unknown. */
  gap: number | null;
  /** What found the plan. */
  provenance: string;
}

/** Chooses which of the waiting tasks get which units. Pure: the same snapshot and budget give the same plan. */
export interface Policy {
  readonly name: string;
  plan(snapshot: Snapshot, budget: Budget): Plan;
}
