import { disjointSets, grouped } from '../problem/groups.js';
import type { Problem } from '../problem/problem.js';
import { familiesOf, type Occupancy } from './occupancies.js';
import { edgesInto, timingOf, type Timing } from './timing.js';

/**
 * A lower bound of the objective, computed in milliseconds without search. For each set of independent runs it adds
 * the greater of two bounds:
 *
 * - Every run ends no earlier than its longest chain of precedences.
 * - Every pool of units works like one preemptive machine with the speed of all of them. Always serving the run with
 *   the greatest weight per length gives the best mean of its working times (Goemans, Queyranne, Schulz, Skutella and
 *   Wang, "Single machine scheduling with release dates", 2002). A run ends no earlier than this mean plus half of its
 *   length (Eastman, Even and Isaacs, 1964).
 *
 * The makespan gets the same bounds, with the minimum time before and after the work of a pool.
 *
 * @returns 0 or more; if precedences run in a circle, a bound of the remaining activities
 */
export function lowerBound(problem: Problem): number {
  const timing = timingOf(problem);
  const { runs, makespanWeight } = problem;
  const { completions } = timing;
  const pools = poolsOf(problem, timing);
  const partOf = componentsOf(problem, pools);
  let makespan = Math.max(0, ...completions);
  const best = new Map<number, number>();
  for (const run of runs.keys())
    best.set(partOf(run), (best.get(partOf(run)) ?? 0) + runs[run]!.weight * completions[run]!);
  const chains = new Map(best);
  for (const pool of pools) {
    makespan = Math.max(makespan, poolMakespan(pool));
    const part = partOf(pool.work[0]!.run);
    const { sum, without } = poolCompletion(problem, pool, completions);
    best.set(part, Math.max(best.get(part)!, sum + chains.get(part)! - without));
  }
  const completion = [...best.values()].reduce((sum, bound) => sum + bound, 0);
  return wholeWhereItMustBe(problem, completion + makespanWeight * makespan);
}

interface Work {
  run: number;
  first: number;
  until: readonly number[];
  /** Minimum ticks for which a unit is needed. */
  length: number;
  /** Earliest begin. */
  head: number;
  /** Minimum ticks from its end to the end of the run. */
  tail: number;
}

/** Units, with the work that no other unit can do. */
interface Pool {
  units: readonly number[];
  work: Work[];
  timing: Timing;
}

function poolsOf(problem: Problem, timing: Timing): Pool[] {
  const pools = new Map<string, Pool>();
  const families = familiesOf(problem, timing);
  for (const { units } of families) {
    const sorted = [...units].sort((a, b) => a - b);
    pools.set(sorted.join(), { units: sorted, work: [], timing });
  }
  for (const { units, occupancies } of families) {
    // Intervals that may lie within each other must not count twice: only the first is used.
    const counted = occupancies.some(({ keeps }) => keeps) ? occupancies.slice(0, 1) : occupancies;
    const work = counted.flatMap((occupancy) => workOf(problem, timing, occupancy));
    if (work.length === 0) continue;
    for (const pool of pools.values())
      if (units.length <= pool.units.length && units.every((unit) => pool.units.includes(unit)))
        pool.work.push(...work);
  }
  return [...pools.values()].filter(({ work }) => work.length > 0);
}

function workOf({ activities }: Problem, timing: Timing, { first, until }: Occupancy): Work[] {
  const { activity } = first;
  const { durations, heads, tails } = timing;
  const { run, fixed } = activities[activity]!;
  // A unit that is kept for another run counts for its own run only until then.
  const ends = until.filter((last) => activities[last]!.run === run);
  if (ends.length === 0) ends.push(activity);
  const head = Math.max(0, heads[activity]!);
  const length = Math.max(
    ...ends.map((last) =>
      fixed === null
        ? longestPath({ activities, durations }, activity, last)
        : heads[last]! + durations[last]! - head,
    ),
  );
  const tail = Math.min(...ends.map((last) => tails[last]!));
  return length > 0 ? [{ run, first: activity, until: ends, length, head, tail }] : [];
}

/** Minimum ticks from the start of one activity to the end of a later one. */
function longestPath(
  { activities, durations }: { activities: Problem['activities']; durations: Float64Array },
  from: number,
  to: number,
): number {
  const known = new Map<number, number>([[from, durations[from]!]]);
  const lengthTo = (activity: number): number => {
    const found = known.get(activity);
    if (found !== undefined) return found;
    known.set(activity, -Infinity);
    const before =
      activities[activity]!.fixed === null
        ? edgesInto(activities[activity]!).map((edge) => lengthTo(edge.before) + edge.lag)
        : [];
    const length = Math.max(-Infinity, ...before) + durations[activity]!;
    known.set(activity, length);
    return length;
  };
  // A unit that is kept for an activity that need not come later is kept at least for its own duration.
  return Math.max(durations[from]!, lengthTo(to));
}

/** Minimum end of all work of the pool with the minimum times before and after, also for late work alone. */
function poolMakespan({ units, work }: Pool): number {
  let bound = 0;
  let total = 0;
  let tail = Infinity;
  for (const { head, length, tail: own } of [...work].sort((a, b) => b.head - a.head)) {
    total += length;
    tail = Math.min(tail, own);
    bound = Math.max(bound, head + total / units.length + tail);
  }
  return bound;
}

/** @returns the bound for the runs that need the pool, and the bound of their chains alone */
function poolCompletion(
  { runs }: Problem,
  { units, work, timing }: Pool,
  completions: Float64Array,
): { sum: number; without: number } {
  const isOver = ({ until }: Work, { first }: Work): boolean =>
    until.every((activity) => timing.ancestors(first).has(activity));
  const jobs = [...grouped(work, ({ run }) => run)].map(([run, items]) => {
    const total = items.reduce((sum, { length }) => sum + length, 0);
    const inOrder = items.every((a, at) => items.slice(at + 1).every((b) => isOver(a, b) || isOver(b, a)));
    return {
      run,
      weight: runs[run]!.weight,
      length: total / units.length,
      /** Maximum amount of its work at a time. */
      ownLength: total / (inOrder ? 1 : Math.min(units.length, items.length)),
      release: Math.min(...items.map(({ head }) => head)),
      tail: Math.min(...items.map(({ tail }) => tail)),
    };
  });
  const means = meanBusyTimes(jobs);
  let sum = 0;
  let without = 0;
  jobs.forEach(({ run, weight, ownLength, tail }, index) => {
    sum += weight * (means[index]! + ownLength / 2 + tail);
    without += weight * completions[run]!;
  });
  return { sum, without };
}

/** Mean working time of a machine for each job, when it always serves the job with the greatest weight per length. */
function meanBusyTimes(jobs: readonly { weight: number; length: number; release: number }[]): number[] {
  const order = [...jobs.keys()].sort((a, b) => jobs[a]!.release - jobs[b]!.release);
  const rate = (index: number): number => jobs[index]!.weight / jobs[index]!.length;
  const rest = jobs.map(({ length }) => length);
  const moments = jobs.map(() => 0);
  /** Released and not done, with the most urgent last. */
  const open: number[] = [];
  let now = 0;
  for (let next = 0; next < order.length || open.length > 0;) {
    if (open.length === 0) now = Math.max(now, jobs[order[next]!]!.release);
    for (; next < order.length && jobs[order[next]!]!.release <= now; next += 1) {
      const arrived = order[next]!;
      const place = open.findIndex((index) => rate(index) >= rate(arrived));
      open.splice(place === -1 ? open.length : place, 0, arrived);
    }
    const index = open.at(-1)!;
    const until = next < order.length ? jobs[order[next]!]!.release : Infinity;
    const worked = Math.min(rest[index]!, until - now);
    moments[index]! += worked * (now + worked / 2);
    rest[index]! -= worked;
    now += worked;
    if (rest[index]! <= 1e-9) open.pop();
  }
  return moments.map((moment, index) => moment / jobs[index]!.length);
}

/** Runs are independent if they share no pool and do not wait for each other. */
function componentsOf(problem: Problem, pools: readonly Pool[]): (run: number) => number {
  const { runs, activities } = problem;
  const { find, join } = disjointSets(runs.length + problem.units);
  for (const { run, slots } of activities)
    for (const { units } of slots) for (const unit of units) join(run, runs.length + unit);
  for (const { units, work } of pools) for (const { run } of work) join(run, runs.length + units[0]!);
  return find;
}

/** With integral weights and ticks the objective is integral. */
function wholeWhereItMustBe({ runs, makespanWeight }: Problem, bound: number): number {
  const whole = Number.isInteger(makespanWeight) && runs.every(({ weight }) => Number.isInteger(weight));
  return whole ? Math.ceil(bound - 1e-6 * Math.max(1, bound)) : bound;
}
