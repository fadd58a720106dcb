/** The input and output of a policy. Snapshots are values. Times are milliseconds since 1970. */

/** A device (`<lab>.<device>`) or a resource (`<name>`): a unit that one task can have for itself. */
export interface PlanUnit {
  /** Unique among devices and resources, for example `device:lab.arm`. */
  id: string;
  kind: 'device' | 'resource';
  /** A task uses it now. */
  busy: boolean;
  /** The run that keeps it between its tasks: only that run may get it, for slots of whose candidates it keeps all. */
  heldBy: string | null;
  /** Waiting or running tasks that must end before the run releases it; empty when no run holds it. */
  heldFor: readonly string[];
  /** False: nobody may get it now (faulted, or its computer is away). */
  usable: boolean;
  /** When it became free, or when its present task got it; 0: no task had it. */
  since: number;
}

/** A requirement of a task that exactly one of the candidates fills. */
export interface PlanSlot {
  name: string;
  /** Ids of units. */
  candidates: readonly string[];
  /** It gets the unit of this slot of another task of the snapshot; absent: any of its candidates. */
  sameAs?: { task: string; slot: string };
  /** Tasks of the snapshot that must end before another run gets the unit, from the start of this task on. */
  keptFor?: readonly string[];
}

export interface PlanDependency {
  task: string;
  /** Milliseconds from its end to the start of the other. */
  minLagMs: number;
  /** Milliseconds; null: no limit. */
  maxLagMs: number | null;
}

export interface PlanTask {
  id: string;
  run: string | null;
  /** Higher goes first. */
  priority: number;
  queuedAt: number;
  /** Expected duration in seconds; null when unknown. */
  duration: number | null;
  slots: readonly PlanSlot[];
  /** It could start at once with its units. Absent: yes. */
  ready?: boolean;
  /** Candidates that other people have reserved for a time in which it would use them: it may not start on them now. */
  reserved?: readonly string[];
  /** Its start time is unknown (paused, emergency stop, or its agent is away): it is not planned. */
  blocked?: boolean;
  /** Earliest start: after a wait before a retry, or after a lag of an ended task. */
  notBefore?: number;
  /** It should have started by then: a greatest lag after an ended task. */
  notAfter?: number;
  /** Its dependencies that have not ended. */
  dependencies?: readonly PlanDependency[];
  /** The task of the same group at whose end it starts; running or waiting. */
  follows?: string;
}

export interface PlanRunning {
  id: string;
  run: string | null;
  priority: number;
  startedAt: number;
  /** Its expected end; not before `now` of the snapshot. */
  expectedEnd: number;
  /** Slot name to the id of the unit, and the tasks of the snapshot for which it is kept. */
  units: Readonly<Record<string, { unit: string; keptFor: readonly string[] }>>;
}

/** The remaining needs of a run that keeps units, by which a policy detects runs that would wait for each other. */
export interface RunNeeds {
  /**
   * Each unit that it keeps, or will keep after its current task, with the waiting tasks that must end before its
   * release. Units that are kept only for running tasks are left out.
   */
  keeps: readonly { unit: string; for: readonly string[] }[];
  /**
   * All of its waiting tasks, each after its dependencies, with all candidates of their slots. A slot that refers to a
   * started task has the unit of that slot as its only candidate.
   */
  tasks: readonly Pick<PlanTask, 'id' | 'slots' | 'dependencies'>[];
}

export interface Snapshot {
  /** Identifies the state from which the snapshot was taken. */
  version: number;
  now: number;
  /**
   * The waiting tasks. For a policy with {@link Policy.scope} `ready`: those for whose slots units are free, or that
   * have waited for {@link Policy.patienceMs}.
   */
  tasks: readonly PlanTask[];
  /** Absent for a policy whose scope is `ready`. */
  running?: readonly PlanRunning[];
  units: ReadonlyMap<string, PlanUnit>;
  /**
   * For each run that keeps a unit, or has a task in {@link tasks} with {@link PlanSlot.keptFor}. Only for a policy
   * whose scope is `ready`; others see it in the tasks.
   */
  needs?: ReadonlyMap<string, RunNeeds>;
}

export interface Assignment {
  task: string;
  /** Slot name to the id of the unit. */
  units: Record<string, string>;
}

export interface PlannedTask {
  task: string;
  start: number;
  end: number;
  /** Slot name to the id of the unit. */
  units: Record<string, string>;
  /** It breaks a greatest lag or its group, because the expected durations contradict them. */
  relaxed?: true;
}

/** The quality of a timetable, in seconds and weights of priorities. */
export interface PlanQuality {
  /** Sum over runs and on-demand tasks of weight x seconds from `madeAt` to completion. */
  weightedCompletion: number;
  /** Seconds from `madeAt` to the end of everything planned. */
  makespan: number;
  /** The minimised value. */
  objective: number;
  /** Lower bound of the objective of every timetable; null when unknown. */
  lowerBound: number | null;
  /** `(objective - lowerBound) / objective`; null when unknown. */
  gap: number | null;
}

/** A timetable of all planned work that passed the checker. */
export interface Timetable {
  madeAt: number;
  tasks: readonly PlannedTask[];
  quality: PlanQuality;
  /** Its origin: `repair`, `list`, `search` or `cp-sat`, with the seed and the time taken. */
  provenance: { engine: string; seed: number | null; ms: number | null; reproducible: boolean };
  /** Waiting tasks without a place, with the reason. */
  unplanned: readonly { task: string; reason: string }[];
}

export interface Plan {
  /** The tasks that start at once, in this order. */
  assignments: Assignment[];
  /** The plan ahead; null for a policy that does not plan ahead. */
  timetable: Timetable | null;
  /** The time of the next call if nothing happens before; null: none. */
  wakeAt: number | null;
}

/** Decides which waiting tasks get which units, and when. */
export interface Policy {
  readonly name: 'greedy' | 'cpsat';
  /** `ready`: it sees only tasks that could start at once; `all`: all waiting and running tasks. */
  readonly scope: 'ready' | 'all';
  /**
   * For a policy whose scope is `ready`: after this number of milliseconds in the queue, a task with several slots is
   * shown even while its units are in use, so that the others can be reserved for it.
   */
  readonly patienceMs?: number;
  /** Called in every turn in which a task could start. Takes milliseconds; never waits for a solver. */
  plan(snapshot: Snapshot): Plan;
  /** Called once before the first plan. The policy calls `ask` when it has found an improvement. */
  begin?(ask: () => void): void;
  stop?(): Promise<void>;
}
