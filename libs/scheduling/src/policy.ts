/** What a policy sees and says. Snapshots are values: a policy neither changes nor keeps them. Moments are milliseconds since 1970. */

export type UnitKind = 'device' | 'resource';

/** A device (`<lab>.<device>`) or a resource (`<name>`): what a task can get for itself alone. */
export interface PlanUnit {
  /** Unique among devices and resources, for example `device:lab.arm`. */
  id: string;
  kind: UnitKind;
  /** A task uses it at this moment. */
  busy: boolean;
  /**
   * The run that keeps it between its tasks; only tasks of that run may get it, and not for a slot that has a candidate
   * which the run does not keep.
   */
  heldBy: string | null;
  /** Waiting or running tasks that must end before the run that holds it gives it up; empty when nobody holds it. */
  heldFor: readonly string[];
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
  /** It gets the unit that this slot of another task of the snapshot gets; absent: any of its candidates. */
  sameAs?: { task: string; slot: string };
  /** Tasks of the snapshot that must end before the unit goes to another run, from the start of this task on. */
  keptFor?: readonly string[];
}

/** What a task waits for besides units. */
export interface PlanDependency {
  /** A waiting or running task of the snapshot. */
  task: string;
  /** Milliseconds from its end to the start of the other. */
  minLagMs: number;
  /** Milliseconds; null: any time later. */
  maxLagMs: number | null;
}

/** A task that waits. */
export interface PlanTask {
  id: string;
  run: string | null;
  /** Higher goes first. */
  priority: number;
  queuedAt: number;
  /** Seconds it is expected to take; null when nobody said. */
  duration: number | null;
  slots: readonly PlanSlot[];
  /** It could start at once if it got its units. Absent: yes. */
  ready?: boolean;
  /** Nobody knows when it may start (paused, stopped by people, or its agent is away): it is not planned. */
  blocked?: boolean;
  /** It starts no earlier: a pause before a retry, or a lag after a task that has ended. */
  notBefore?: number;
  /** It should have started by then: a greatest lag after a task that has ended. */
  notAfter?: number;
  /** What it waits for; tasks that have ended are not among it. */
  dependencies?: readonly PlanDependency[];
  /** The task of the same group in the moment of whose end it starts; running or waiting. */
  follows?: string;
}

/** A task that is going on. */
export interface PlanRunning {
  id: string;
  run: string | null;
  priority: number;
  startedAt: number;
  /** When it is expected to end; not before the snapshot's `now`. */
  expectedEnd: number;
  /** Slot name to the id of the unit, and the tasks of the snapshot that it is kept for. */
  units: Readonly<Record<string, { unit: string; keptFor: readonly string[] }>>;
}

/**
 * What a run that keeps units still asks for before it gives them up: with it a policy sees whether runs would come to
 * keep what the others need.
 */
export interface RunNeeds {
  /**
   * Each unit that it keeps, or will keep when the task that uses it has ended, and the waiting tasks that must end
   * before it gives it up. A unit that is kept for running tasks alone is none of them: nothing but their ends is needed.
   */
  keeps: readonly { unit: string; for: readonly string[] }[];
  /**
   * All of its tasks that wait, ready or not, each after those that it depends on, with all candidates of their slots.
   * A slot that refers to a task that has started has the unit of that slot as its only candidate.
   */
  tasks: readonly Pick<PlanTask, 'id' | 'slots' | 'dependencies'>[];
}

export interface Snapshot {
  /** Names the state of the world that this was taken from. */
  version: number;
  now: number;
  /**
   * Those that wait; of a policy whose {@link Policy.scope} is `ready`, those that could start at once if they got their
   * units: a unit is free for every slot, or they have waited for {@link Policy.patienceMs}.
   */
  tasks: readonly PlanTask[];
  /** Absent for a policy whose scope is `ready`. */
  running?: readonly PlanRunning[];
  units: ReadonlyMap<string, PlanUnit>;
  /**
   * Of each run that keeps a unit, or a task of which in {@link tasks} has a slot with {@link PlanSlot.keptFor}. For a
   * policy whose scope is `ready`; absent for others, which see it in the tasks themselves.
   */
  needs?: ReadonlyMap<string, RunNeeds>;
}

export interface Assignment {
  task: string;
  /** Slot name to the id of the unit. */
  units: Record<string, string>;
}

/** What is expected of a task that waits or is going on. */
export interface PlannedTask {
  task: string;
  start: number;
  end: number;
  /** Slot name to the id of the unit. */
  units: Record<string, string>;
  /** It cannot keep to a greatest lag or to its group: what is expected to take how long contradicts them. */
  relaxed?: true;
}

/** How good a timetable is. Seconds, and weights of priorities as the policy says. */
export interface PlanQuality {
  /** Sum over runs and on-demand tasks of weight x seconds from `madeAt` to completion. */
  weightedCompletion: number;
  /** Seconds from `madeAt` to the end of everything planned. */
  makespan: number;
  /** What is minimised. */
  objective: number;
  /** No timetable can have a lower objective; null when unknown. */
  lowerBound: number | null;
  /** `(objective - lowerBound) / objective`; null when unknown. */
  gap: number | null;
}

/** A timetable of everything that is planned, which passed the checker. */
export interface Timetable {
  madeAt: number;
  tasks: readonly PlannedTask[];
  quality: PlanQuality;
  /** What found it: `repair`, `list`, `search` or `cp-sat`; with the seed, and how long it took. */
  provenance: { engine: string; seed: number | null; ms: number | null; reproducible: boolean };
  /** Waiting tasks that have no place in it, and why. */
  unplanned: readonly { task: string; reason: string }[];
}

export interface Plan {
  /** What is to start at once, in this order. */
  assignments: Assignment[];
  /** What is to come; null of a policy that does not plan ahead. */
  timetable: Timetable | null;
  /** When the policy wants to be asked again if nothing happens; null: only when something does. */
  wakeAt: number | null;
}

/** Chooses which of the waiting tasks get which units, and when. */
export interface Policy {
  readonly name: 'greedy' | 'cpsat';
  /** `ready`: it is shown only tasks that could start at once; `all`: all that wait and run. */
  readonly scope: 'ready' | 'all';
  /**
   * Of a policy whose scope is `ready`: a task with several slots that has been queued for so many milliseconds is shown
   * even while units of it are in use, so that the others can be kept free for it.
   */
  readonly patienceMs?: number;
  /** Called in every turn in which something could start; takes milliseconds, never waits for a solver. */
  plan(snapshot: Snapshot): Plan;
  /** Called once before the first plan: `ask` has the policy asked again soon, when something better was found. */
  begin?(ask: () => void): void;
  /** Ends searches that are going on. */
  stop?(): Promise<void>;
}
