import type { Edge } from './graph.js';

/** A task with its times, in milliseconds since 1970. */
export interface TimedTask {
  name: string;
  start: number;
  /** For a task that runs: the present. */
  end: number;
  /** Devices and resources that it had. */
  units: readonly string[];
}

/** A part of the chain: a task, and how long it waited after its predecessor in the chain, in milliseconds. */
export interface ChainPart {
  name: string;
  waitedMs: number;
  tookMs: number;
}

/**
 * The tasks that decide when a run ends, first to last: the critical path (Kelley and Walker, Critical-path planning and
 * scheduling, 1959) over what happened, where a task follows not only its dependencies but also the task that had one of its
 * devices or resources before (Wiest, Some properties of schedules for large projects with limited resources, 1964).
 *
 * @param tasks that have started
 * @param edges dependencies by the names of the tasks
 * @returns empty without a task. A task that another run kept waiting has the time as `waitedMs`
 */
export function criticalChain(tasks: readonly TimedTask[], edges: readonly Edge[]): ChainPart[] {
  const chain: ChainPart[] = [];
  let current = latest(tasks);
  const seen = new Set<string>();
  while (current !== undefined) {
    const { name, start, end } = current;
    seen.add(name);
    const before = latest(
      tasks.filter((each) => !seen.has(each.name) && each.end <= start && follows(name, each, tasks, edges)),
    );
    chain.unshift({
      name,
      waitedMs: before === undefined ? 0 : start - before.end,
      tookMs: end - start,
    });
    current = before;
  }
  return chain;
}

function follows(
  name: string,
  before: TimedTask,
  tasks: readonly TimedTask[],
  edges: readonly Edge[],
): boolean {
  if (edges.some(({ from, to }) => from === before.name && to === name)) return true;
  const units = tasks.find((each) => each.name === name)?.units ?? [];
  return before.units.some((unit) => units.includes(unit));
}

/** The task that ends last; among equals the one that began last. */
const latest = (tasks: readonly TimedTask[]): TimedTask | undefined =>
  tasks.reduce<TimedTask | undefined>(
    (found, each) =>
      found === undefined || each.end > found.end || (each.end === found.end && each.start > found.start)
        ? each
        : found,
    undefined,
  );
