import type { ScheduledTask } from '@lab/api-client';
import { barOf, type GanttBar, type Hold } from './gantt.js';
import type { Dependencies } from './graph.js';

/** A device or resource that is taken at most this long after it was freed was waited for, in milliseconds. */
const promptMs = 2_000;

/** What a task of the chain waited for last. */
export type ChainCause =
  /** The task before it in the chain, on which it depends. */
  | { kind: 'dependency' }
  /** The task before it in the chain, which had the device or resource. */
  | { kind: 'unit'; unit: string }
  | { kind: 'hold'; hold: Hold }
  /** Nothing that is known. */
  | { kind: 'none' };

/** A bar of the chain. */
export interface ChainBar {
  bar: GanttBar;
  cause: ChainCause;
  /** Milliseconds from the end of the bar or hold that it waited for to its start. Clocks and estimates may differ, never negative. */
  waitedMs: number;
}

/** What the chain of a run needs to know beside the bars. */
export interface ChainKnowledge {
  /** undefined: the dependencies of the run of the task are not known. */
  dependenciesOf(task: ScheduledTask): Dependencies | undefined;
  /** What people hold, by `<lab>.<device>` or the name of a resource. */
  holds: ReadonlyMap<string, readonly Hold[]>;
}

/** Who had a device or resource before a bar. */
interface Former {
  unit: string;
  bar: GanttBar;
}

/** Name of the run of a task; an on-demand task is a run of its own. */
export const runOf = ({ protocol_run: run, label }: ScheduledTask): string => run ?? label;

/**
 * The critical chains of a plan and of what happened, for all work together: the critical path (Kelley and Walker, Critical-path
 * planning and scheduling, 1959), where a task follows not only its dependencies but also the task that had one of its devices or
 * resources before (Wiest, Some properties of schedules for large projects with limited resources, 1964).
 *
 * The constructor takes O(n log n) for n tasks, a chain O(n). Each bar is in a chain at most once.
 */
export class PlanChains {
  /** Names of the runs, the one that ends last first. */
  readonly runs: readonly string[];
  readonly #byRun = new Map<string, Map<string, GanttBar>>();
  readonly #formers = new Map<GanttBar, readonly Former[]>();

  /** @param now end of a bar whose end nobody knows, in milliseconds since 1970 */
  constructor(
    tasks: readonly ScheduledTask[],
    private readonly now: number,
  ) {
    const bars = tasks.map(barOf).filter((bar) => bar !== undefined);
    // A unit has one task at a time, so that the order of the starts is that in which it went from task to task.
    bars.sort((a, b) => a.start - b.start || this.#endOf(a) - this.#endOf(b) || byText(a.task.id, b.task.id));
    const latest = new Map<string, GanttBar>();
    for (const bar of bars) {
      const { task } = bar;
      const formers: Former[] = [];
      for (const unit of unitsOf(task)) {
        const former = latest.get(unit);
        // A task may have a unit under two names.
        if (former !== undefined && former !== bar) formers.push({ unit, bar: former });
        latest.set(unit, bar);
      }
      this.#formers.set(bar, formers);
      const run = this.#byRun.get(runOf(task));
      if (run === undefined) this.#byRun.set(runOf(task), new Map([[task.name, bar]]));
      else run.set(task.name, bar);
    }
    const ends = [...this.#byRun].map(([run, own]) => {
      const last = this.#lastOf(own.values());
      return { run, end: last === undefined ? now : this.#endOf(last) };
    });
    this.runs = ends.sort((a, b) => b.end - a.end || byText(a.run, b.run)).map(({ run }) => run);
  }

  /**
   * The bars that decide when a run ends, first to last. They may belong to other runs.
   *
   * @returns empty for a run without a bar
   */
  chainOf(run: string, knowledge: ChainKnowledge): ChainBar[] {
    const own = this.#byRun.get(run);
    if (own === undefined) return [];
    const chain: ChainBar[] = [];
    const seen = new Set<GanttBar>();
    for (let bar: GanttBar | undefined = this.#lastOf(own.values()); bar !== undefined;) {
      seen.add(bar);
      const { before, ...link } = this.#causeOf(bar, seen, knowledge);
      chain.push({ bar, ...link });
      bar = before;
    }
    return chain.reverse();
  }

  /** @returns the cause, and the bar before in the chain; undefined: the chain begins here */
  #causeOf(
    bar: GanttBar,
    seen: ReadonlySet<GanttBar>,
    { dependenciesOf, holds }: ChainKnowledge,
  ): Omit<ChainBar, 'bar'> & { before: GanttBar | undefined } {
    let before = this.#dependencyOf(bar, seen, dependenciesOf(bar.task));
    let cause: ChainCause = before === undefined ? { kind: 'none' } : { kind: 'dependency' };
    let end = before === undefined ? -Infinity : this.#endOf(before);
    const decides = (other: number): boolean => other > end && bar.start - other <= promptMs;
    for (const former of this.#formers.get(bar) ?? []) {
      const freed = this.#endOf(former.bar);
      if (seen.has(former.bar) || !decides(freed)) continue;
      [before, cause, end] = [former.bar, { kind: 'unit', unit: former.unit }, freed];
    }
    for (const unit of holds.size === 0 ? [] : unitsOf(bar.task))
      for (const hold of holds.get(unit) ?? []) {
        if (hold.end === undefined || hold.end > bar.start || !decides(hold.end)) continue;
        [before, cause, end] = [undefined, { kind: 'hold', hold }, hold.end];
      }
    return { before, cause, waitedMs: cause.kind === 'none' ? 0 : Math.max(0, bar.start - end) };
  }

  /**
   * The dependency of a bar that ended last. A dependency without a bar was skipped, or was over before the time that is known: those
   * that it depends on itself stand for it.
   */
  #dependencyOf(
    { task }: GanttBar,
    seen: ReadonlySet<GanttBar>,
    dependencies: Dependencies | undefined,
  ): GanttBar | undefined {
    if (dependencies === undefined || task.protocol_run === null) return undefined;
    const own = this.#byRun.get(task.protocol_run);
    const found: GanttBar[] = [];
    const asked = new Set([task.name]);
    for (const name of asked)
      for (const dependency of dependencies.get(name) ?? []) {
        const bar = own?.get(dependency);
        if (bar === undefined) asked.add(dependency);
        else if (!seen.has(bar)) found.push(bar);
      }
    return this.#lastOf(found);
  }

  #endOf({ start, end }: GanttBar): number {
    return end ?? Math.max(start, this.now);
  }

  /** The bar that ends last; among equals the one that began last, and then the last by its id. */
  #lastOf(bars: Iterable<GanttBar>): GanttBar | undefined {
    let last: GanttBar | undefined;
    for (const bar of bars)
      if (
        last === undefined ||
        (this.#endOf(bar) - this.#endOf(last) ||
          bar.start - last.start ||
          byText(bar.task.id, last.task.id)) > 0
      )
        last = bar;
    return last;
  }
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const unitsOf = ({ devices, resources }: ScheduledTask): string[] => [
  ...Object.values(devices),
  ...Object.values(resources),
];
