import { invariants, type Invariant, type Violation } from '../../invariants/index.js';
import { scheduleOf, type Schedule } from '../plan/schedule.js';
import { shrink } from './shrink.js';
import { simulate } from './simulate.js';

/** The result of many schedules. */
export interface Tally {
  schedules: number;
  violations: number;
  per_invariant: Record<Invariant, number>;
  events: number;
  /** Seeds whose schedule broke an invariant. */
  failed: number[];
}

export function emptyTally(): Tally {
  const none = Object.fromEntries(Object.keys(invariants).map((name) => [name, 0])) as Record<
    Invariant,
    number
  >;
  return { schedules: 0, violations: 0, per_invariant: none, events: 0, failed: [] };
}

/** Adds one tally to another. */
export function addTally(to: Tally, other: Tally): void {
  to.schedules += other.schedules;
  to.violations += other.violations;
  to.events += other.events;
  to.failed.push(...other.failed);
  for (const name of Object.keys(invariants) as Invariant[])
    to.per_invariant[name] += other.per_invariant[name];
}

/** Plays the schedules of these seeds, one after the other. */
export async function playSeeds(seeds: Iterable<number>): Promise<Tally> {
  const tally = emptyTally();
  for (const seed of seeds) {
    const { violations, events } = await simulate(scheduleOf(seed));
    tally.schedules += 1;
    tally.events += events;
    tally.violations += violations.length;
    for (const { invariant } of violations) tally.per_invariant[invariant] += 1;
    if (violations.length > 0) tally.failed.push(seed);
  }
  return tally;
}

/** The explanation of a failed seed. */
export interface Report {
  schedule: Schedule;
  violations: readonly Violation[];
  /** The smallest schedule that was found to break the same invariant. */
  shrunk: Schedule;
  lines: readonly string[];
}

/** Plays the schedule of a seed again, and shrinks it while it still breaks an invariant. */
export async function explain(seed: number): Promise<Report> {
  const schedule = scheduleOf(seed);
  const { violations, lines } = await simulate(schedule);
  if (violations.length === 0) return { schedule, violations, shrunk: schedule, lines };
  const shrunk = await shrink(schedule, new Set(violations.map(({ invariant }) => invariant)));
  return { schedule, violations, shrunk, lines: (await simulate(shrunk)).lines };
}
