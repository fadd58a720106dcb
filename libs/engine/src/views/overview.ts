import { isActive, isTerminal, isWaiting, isWithinLabs, type LabRights } from '@lab/contracts';
import { compareTasks, type PlanTask, type Policy, type Timetable } from '@lab/scheduling';
import type { Backoff } from '@lab/ports';
import type { AgentDirectory } from '../agents/index.js';
import { UnitView, type Workload } from '../dispatch/index.js';
import type { Quotas } from '../quotas/index.js';
import { type LabMap, serviceComputer, unitsOf } from '../labs/index.js';
import { type TaskRunRow, allocationKey } from '../rows/index.js';
import { labsOf, labsOfTask, type WorkingState } from '../turn/index.js';
import { Expectations, Forecast } from './forecast.js';
import type { CausePorts } from './wait-causes.js';

export interface OverviewPorts {
  state: WorkingState;
  labs: LabMap;
  directory: AgentDirectory;
  workload: Workload;
  refusals: Backoff;
  policy: Policy;
  quotas: Quotas;
  /** The latest plan; null: there is none. */
  timetable: Timetable | null;
  /** Milliseconds since 1970. */
  now: number;
}

/** A task with its past, present or planned units. */
export interface Line {
  row: TaskRunRow;
  /** As policies see the task; undefined: it runs or has ended. */
  task: PlanTask | undefined;
  /** Slot to the actual or planned unit. */
  given: ReadonlyMap<string, string>;
  /** Actual or planned start, in milliseconds since 1970; Infinity: unknown. */
  start: number;
}

/**
 * All unfinished work at one moment, with its expected course, as one reader may see it: what it says of other work names
 * no laboratory and no work that the reader may not see.
 */
export class Overview {
  readonly expectations: Expectations;
  readonly forecast: Forecast;
  /** Input for the reasons why tasks wait. */
  readonly causes: CausePorts;
  readonly #state: WorkingState;
  readonly #order: (a: PlanTask, b: PlanTask) => number;
  readonly #see: LabRights['see'];
  readonly #seen = new Map<string, boolean>();

  constructor(
    { state, labs, directory, workload, refusals, timetable, now }: OverviewPorts,
    { see }: LabRights,
  ) {
    this.#state = state;
    this.#see = see;
    this.#order = compareTasks(now);
    this.expectations = new Expectations(state, workload, timetable, now);
    this.forecast = new Forecast(
      state,
      workload.snapshot(state, 0, now),
      this.expectations,
      this.#order,
      this,
    );
    this.causes = {
      forecast: this.forecast,
      view: new UnitView(state, labs, directory),
      unplanned: new Map((timetable?.unplanned ?? []).map(({ task, reason }) => [task, reason])),
      refusedUntil: (task) => refusals.at(task),
      isServiceComputerThere: () => directory.dispatchable(serviceComputer) !== undefined,
    };
  }

  /** Whether the reader may see a task. */
  sees(task: TaskRunRow): boolean {
    if (this.#see === 'all') return true;
    if (task.runId === null) return isWithinLabs(labsOfTask(this.#state, task), this.#see);
    return this.seesWork(task);
  }

  /** Whether the reader may see a campaign or a run. */
  seesWork(work: { definitionHash: string }): boolean {
    if (this.#see === 'all') return true;
    const known = this.#seen.get(work.definitionHash);
    if (known !== undefined) return known;
    const seen = isWithinLabs(labsOf(this.#state, work), this.#see);
    this.#seen.set(work.definitionHash, seen);
    return seen;
  }

  /** Whether the reader may see a laboratory. */
  seesLab(lab: string): boolean {
    return isWithinLabs([lab], this.#see);
  }

  /**
   * Tasks of unfinished runs and unfinished on-demand tasks: first running, then waiting, then ended ones. Waiting
   * tasks are ordered by their planned starts. Without a plan, those that could start come first, in the order of the
   * policy.
   */
  lines(isMeant: (line: Line) => boolean): Line[] {
    const lines: Line[] = [];
    for (const row of this.#state.rows.taskRuns.values()) {
      const run = row.runId === null ? undefined : this.#state.rows.protocolRuns.get(row.runId);
      if (row.runId === null ? isTerminal(row.state) : run === undefined || isTerminal(run.state)) continue;
      const planned = this.expectations.planned(row);
      const given = isWaiting(row.state)
        ? new Map(Object.entries(planned?.units ?? {}))
        : new Map(
            unitsOf(row).map(({ kind, key, slot }) => [allocationKey(kind, slot), allocationKey(kind, key)]),
          );
      const start = row.startedAt ?? planned?.start ?? Infinity;
      const line = { row, task: this.forecast.tasks.get(row.id), given, start };
      if (isMeant(line)) lines.push(line);
    }
    return lines.sort((a, b) => this.#byProgress(a, b));
  }

  /** The actual units of a task, else the planned ones, else all candidates. */
  unitsOf({ task, given }: Line): ReadonlySet<string> {
    const wanted = given.size > 0 ? [] : (task?.slots.flatMap((slot) => slot.candidates) ?? []);
    return new Set([...given.values(), ...wanted]);
  }

  /** Says whether the task is about the device (`<lab>.<device>`) and the laboratory. Undefined matches all. */
  isAbout(line: Line, device: string | undefined, lab: string | undefined): boolean {
    if (device === undefined && lab === undefined) return true;
    const units = this.unitsOf(line);
    if (device !== undefined && !units.has(allocationKey('device', device))) return false;
    if (lab === undefined) return true;
    const prefix = allocationKey('device', `${lab}.`);
    const devices = [...units].filter((id) => id.startsWith('device:'));
    // A task without devices works for the laboratories of its run.
    if (devices.length === 0) return labsOfTask(this.#state, line.row).includes(lab);
    return devices.some((id) => id.startsWith(prefix));
  }

  #byProgress(a: Line, b: Line): number {
    const [group, other] = [progressOf(a), progressOf(b)];
    if (group !== other) return group - other;
    if (group === 2) return (b.row.endedAt ?? 0) - (a.row.endedAt ?? 0);
    if (a.start !== b.start) return a.start - b.start;
    if (a.task === undefined || b.task === undefined) return a.row.id < b.row.id ? -1 : 1;
    const ready = Number(b.task.ready === true) - Number(a.task.ready === true);
    return ready !== 0 ? ready : this.#order(a.task, b.task);
  }
}

function progressOf({ row }: Line): number {
  return isActive(row.state) ? 0 : isWaiting(row.state) ? 1 : 2;
}
