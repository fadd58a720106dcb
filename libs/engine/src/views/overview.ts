import { isActive, isTerminal, isWaiting } from '@lab/contracts';
import { compareTasks, type PlanTask, type Policy, type Timetable } from '@lab/scheduling';
import type { Backoff } from '@lab/ports';
import type { AgentDirectory } from '../agents/index.js';
import { UnitView, type Workload } from '../dispatch/index.js';
import { type LabMap, serviceComputer, unitsOf } from '../labs/index.js';
import { type TaskRunRow, allocationKey } from '../rows/index.js';
import type { WorkingState } from '../turn/index.js';
import { Expectations, Forecast } from './forecast.js';
import type { CausePorts } from './wait-causes.js';

export interface OverviewPorts {
  state: WorkingState;
  labs: LabMap;
  directory: AgentDirectory;
  workload: Workload;
  refusals: Backoff;
  policy: Policy;
  /** The latest plan; null: there is none. */
  timetable: Timetable | null;
  /** Milliseconds since 1970. */
  now: number;
}

/** A task, with the units that it has or had, or is to get. */
export interface Line {
  row: TaskRunRow;
  /** As policies see it; undefined: it runs or has ended. */
  task: PlanTask | undefined;
  /** Slot to unit, as it is or as it is planned. */
  given: ReadonlyMap<string, string>;
  /** When it started or is to start, in milliseconds since 1970; Infinity: nobody knows. */
  start: number;
}

/** Everything that is not over, as it stands and as it is expected to go on, at one moment. */
export class Overview {
  readonly expectations: Expectations;
  readonly forecast: Forecast;
  /** What tells why a task waits. */
  readonly causes: CausePorts;
  readonly #state: WorkingState;
  readonly #order: (a: PlanTask, b: PlanTask) => number;

  constructor({ state, labs, directory, workload, refusals, timetable, now }: OverviewPorts) {
    this.#state = state;
    this.#order = compareTasks(now);
    this.expectations = new Expectations(state, workload, timetable, now);
    this.forecast = new Forecast(state, workload.snapshot(state, 0, now), this.expectations, this.#order);
    this.causes = {
      forecast: this.forecast,
      view: new UnitView(state, labs, directory),
      unplanned: new Map((timetable?.unplanned ?? []).map(({ task, reason }) => [task, reason])),
      refusedUntil: (task) => refusals.at(task),
      isServiceComputerThere: () => directory.dispatchable(serviceComputer) !== undefined,
    };
  }

  /**
   * Tasks of protocol runs that are not over, and on-demand tasks that are not over: those that run, those that wait, those
   * that have ended. Those that wait are in the order of their planned starts; without one, first those that could start if
   * they got their units, in the order of the policy.
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

  /** The units that a task has or had, else those it is to get, else all that it may get. */
  unitsOf({ task, given }: Line): ReadonlySet<string> {
    const wanted = given.size > 0 ? [] : (task?.slots.flatMap((slot) => slot.candidates) ?? []);
    return new Set([...given.values(), ...wanted]);
  }

  /** Is it about this device (`<lab>.<device>`), and about a device of this laboratory? Undefined: about any. */
  isAbout(line: Line, device: string | undefined, lab: string | undefined): boolean {
    if (device === undefined && lab === undefined) return true;
    const units = this.unitsOf(line);
    if (device !== undefined && !units.has(allocationKey('device', device))) return false;
    if (lab === undefined) return true;
    const prefix = allocationKey('device', `${lab}.`);
    return [...units].some((id) => id.startsWith(prefix));
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
