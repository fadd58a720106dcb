import { isTerminal, isUnclear, isWithAgent } from '@lab/contracts';
import type { PlannedTask, PlanTask, Snapshot, Timetable } from '@lab/scheduling';
import { type Workload, expectedEnd } from '../dispatch/index.js';
import type { TaskRunRow } from '../rows/index.js';
import type { WorkingState } from '../turn/index.js';
import { otherLabs } from '../labs/index.js';

/** The holder of a unit, and the end of its hold. */
export interface Possession {
  /** Label of the task that uses the unit, or name of the run that holds it between two tasks. */
  by: string;
  /** When the unit becomes free, in milliseconds since 1970; null: cannot be known. */
  until: number | null;
}

/** Expected times of queued and running tasks: queued tasks by the plan, running tasks by their durations. */
export class Expectations {
  readonly #planned: ReadonlyMap<string, PlannedTask>;

  /** @param now milliseconds since 1970 */
  constructor(
    private readonly state: WorkingState,
    private readonly workload: Workload,
    timetable: Timetable | null,
    private readonly now: number,
  ) {
    this.#planned = new Map((timetable?.tasks ?? []).map((task) => [task.task, task]));
  }

  /** The plan of a queued task; undefined: it has none. */
  planned(row: TaskRunRow): PlannedTask | undefined {
    return isWithAgent(row.state) || isUnclear(row.state) || isTerminal(row.state)
      ? undefined
      : this.#planned.get(row.id);
  }

  /** When a task will end or has ended, in milliseconds since 1970; null: cannot be known. */
  endOf(id: string): number | null {
    const row = this.state.rows.taskRuns.get(id);
    if (row === undefined || isTerminal(row.state)) return row?.endedAt ?? this.now;
    if (isUnclear(row.state)) return null;
    if (!isWithAgent(row.state)) return this.#planned.get(id)?.end ?? null;
    const { expected } = this.workload.expectationOf(this.state, row);
    return expectedEnd(row.startedAt ?? this.now, expected, this.now).end;
  }

  /** When the last of the tasks will end; null: cannot be known for one of them. */
  lastEnd(ids: Iterable<string>): number | null {
    let last = this.now;
    for (const id of ids) {
      const end = this.endOf(id);
      if (end === null) return null;
      last = Math.max(last, end);
    }
    return last;
  }
}

/** What somebody may see of work. */
interface Reader {
  sees(task: TaskRunRow): boolean;
  seesWork(work: { definitionHash: string }): boolean;
}

/** Expected use of units: the holder of each unit, the end of its hold, and the order of the waiting tasks. */
export class Forecast {
  readonly tasks: ReadonlyMap<string, PlanTask>;
  readonly #usedBy = new Map<string, { task: string; keptFor: readonly string[] }>();
  #claims: Map<string, Claims> | undefined;

  constructor(
    readonly state: WorkingState,
    readonly snapshot: Snapshot,
    readonly expectations: Expectations,
    private readonly order: (a: PlanTask, b: PlanTask) => number,
    private readonly reader: Reader,
  ) {
    this.tasks = new Map(snapshot.tasks.map((task) => [task.id, task]));
    for (const task of snapshot.running ?? [])
      for (const { unit, keptFor } of Object.values(task.units))
        this.#usedBy.set(unit, { task: task.id, keptFor });
  }

  /** The label of a task, if the reader may see it. */
  labelOf(id: string): string {
    const row = this.state.rows.taskRuns.get(id);
    return row === undefined ? id : this.labelFor(row);
  }

  /** As {@link labelOf}. */
  readonly labelFor = (row: TaskRunRow): string =>
    this.reader.sees(row) ? this.state.labelOf(row) : otherLabs;

  /** The name of a protocol run, if the reader may see it. */
  runName(id: string): string | undefined {
    const run = this.state.rows.protocolRuns.get(id);
    return run && (this.reader.seesWork(run) ? run.name : otherLabs);
  }

  /** The holder of a unit now; undefined: none. */
  possession(id: string): Possession | undefined {
    const allocation = this.state.rows.allocations.get(id);
    const unit = this.snapshot.units.get(id);
    const heldFor = unit?.heldFor ?? [];
    const used = this.#usedBy.get(id);
    if (used !== undefined)
      return {
        by: this.labelOf(used.task),
        until: this.expectations.lastEnd([used.task, ...used.keptFor, ...heldFor]),
      };
    const user = allocation?.taskRunId ?? null;
    if (allocation !== undefined && user !== null && this.state.isInUse(allocation))
      return { by: this.labelOf(user), until: null };
    const holder = allocation?.heldByRunId ?? null;
    if (holder === null) return undefined;
    const name = this.runName(holder) ?? holder;
    return { by: name, until: heldFor.length === 0 ? null : this.expectations.lastEnd(heldFor) };
  }

  /**
   * Tasks that get a unit before the given task: those planned earlier on it; without a plan, those that could start
   * and precede the task in the order of the policy.
   *
   * @returns the number of all such tasks, and `most` of them
   */
  ahead(task: PlanTask, unit: string, most: number): { count: number; first: PlanTask[] } {
    this.#claims ??= this.#claimsByUnit();
    const claims = this.#claims.get(unit);
    const count = claims?.places.get(task.id) ?? 0;
    return { count, first: claims?.tasks.slice(0, Math.min(count, most)) ?? [] };
  }

  #claimsByUnit(): Map<string, Claims> {
    const byUnit = new Map<string, { task: PlanTask; start: number }[]>();
    const claim = (unit: string, task: PlanTask, start: number): void => {
      const claims = byUnit.get(unit);
      if (claims === undefined) byUnit.set(unit, [{ task, start }]);
      else claims.push({ task, start });
    };
    for (const task of this.snapshot.tasks) {
      const row = this.state.rows.taskRuns.get(task.id);
      const planned = row === undefined ? undefined : this.expectations.planned(row);
      if (planned !== undefined)
        for (const unit of Object.values(planned.units)) claim(unit, task, planned.start);
      else if (task.ready === true)
        for (const unit of new Set(task.slots.flatMap((slot) => slot.candidates)))
          claim(unit, task, Infinity);
    }
    const sorted = new Map<string, Claims>();
    for (const [unit, claims] of byUnit) {
      claims.sort((a, b) => (a.start === b.start ? this.order(a.task, b.task) : a.start - b.start));
      sorted.set(unit, {
        tasks: claims.map(({ task }) => task),
        places: new Map(claims.map(({ task }, place) => [task.id, place])),
      });
    }
    return sorted;
  }
}

interface Claims {
  tasks: PlanTask[];
  /** Task to its index. */
  places: Map<string, number>;
}
