import { checkSchedule } from '../src/check-schedule.js';
import {
  objectiveOf,
  type Activity,
  type Problem,
  type Schedule,
  type Slot,
} from '../src/problem/problem.js';
import { SeededRandom } from '../src/problem/random.js';

type Draft<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

/**
 * A random problem with every feature, and a schedule of it. The generator first makes a schedule, and then conditions
 * of all kinds that the schedule happens to satisfy.
 *
 * @param moment the part of the schedule before this moment is past and therefore decided. 0: nothing is decided.
 */
export function problemWithWitness(
  seed: number,
  { activities: count, moment = 0 }: { activities: number; moment?: number },
): { problem: Problem; witness: Schedule } {
  const random = new SeededRandom(seed);
  const chance = (percent: number): boolean => random.below(100) < percent;
  const unitCount = 2 + random.below(6);
  const runCount = 1 + random.below(5);
  const activities: Draft<Activity>[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const units: number[][] = [];
  const free = (unit: number, from: number, to: number): boolean =>
    units.every((own, other) => !own.includes(unit) || ends[other]! <= from || starts[other]! >= to);

  for (let index = 0; index < count; index++) {
    const run = random.below(runCount);
    const duration = chance(5) ? 0 : 1 + random.below(12);
    const before = activities.flatMap((activity, other) => (activity.run === run ? [other] : []));
    const after = before[random.below(before.length)];
    const wanted = Math.min(unitCount, chance(10) ? 0 : 1 + random.below(2));
    let start =
      after === undefined || chance(20)
        ? random.below(30)
        : ends[after]! + (chance(50) ? 0 : random.below(6));
    // A moment longer than its duration, so that activities of length zero are separate, too.
    const freeUnits = (): number[] =>
      Array.from({ length: unitCount }, (_, unit) => unit).filter((unit) =>
        free(unit, start - 1, start + duration + 1),
      );
    while (freeUnits().length < wanted) start++;
    const own = freeUnits();
    while (own.length > wanted) own.splice(random.below(own.length), 1);
    const deciding = chance(25) ? 0 : -1;
    const slots = own.map((unit, at): Slot => {
      const choices = Array.from({ length: unitCount }, (_, each) => each).filter(
        (each) => each === unit || chance(35),
      );
      return {
        units: choices,
        ...(at === deciding
          ? { durations: choices.map((each) => (each === unit ? duration : 1 + random.below(12))) }
          : {}),
        sameAs: null,
        keptUntil: [],
      };
    });
    activities.push({ run, duration, release: 0, predecessors: [], follows: null, slots, fixed: null });
    starts.push(start);
    ends.push(start + duration);
    units.push(own);
  }

  const problem: Problem = {
    activities,
    units: unitCount,
    runs: Array.from({ length: runCount }, () => ({ weight: random.below(6) })),
    makespanWeight: random.below(6),
  };
  const witness: Schedule = { starts, ends, units, objective: objectiveOf(problem, ends).total };
  const attempt = (index: number, change: Partial<Activity>): void => {
    const old = activities[index]!;
    activities[index] = { ...old, ...change } as Draft<Activity>;
    if (checkSchedule(problem, witness).length > 0) activities[index] = old;
  };
  const some = (): number => random.below(count);
  for (let round = 0; round < 4 * count; round++) {
    const index = some();
    const other = some();
    const { release, predecessors, slots, run } = activities[index]!;
    if (index === other || (activities[other]!.run !== run && !chance(10))) continue;
    // Precedences follow the time, so they are never circular.
    const later =
      starts[other]! < starts[index]! ||
      (starts[other] === starts[index] && ends[other]! <= starts[index]! && other < index);
    const kind = random.below(6);
    if (kind === 0) attempt(index, { release: Math.max(release, starts[index]! - random.below(10)) });
    else if (kind <= 2 && later) {
      const lag = starts[index]! - ends[other]!;
      const minLag = Math.max(0, lag - random.below(4));
      const maxLag = chance(30) ? Math.max(0, lag) + random.below(5) : null;
      attempt(index, {
        predecessors: [...predecessors, { activity: other, minLag: chance(60) ? 0 : minLag, maxLag }],
      });
    } else if (kind === 3 && later) attempt(index, { follows: other });
    else if (kind === 4 && later && slots.length > 0 && activities[other]!.slots.length > 0) {
      const place = random.below(slots.length);
      const from = random.below(activities[other]!.slots.length);
      const unit = units[index]![place]!;
      const same = slots.map((slot, at): Slot =>
        at === place
          ? {
              units: activities[other]!.slots[from]!.units,
              sameAs: { activity: other, slot: from },
              keptUntil: slot.keptUntil,
            }
          : slot,
      );
      if (
        unit === units[other]![from] &&
        slots[place]!.durations === undefined &&
        slots[place]!.sameAs === null
      )
        attempt(index, { slots: same });
    } else if (
      kind === 5 &&
      activities[other]!.slots.length > 0 &&
      later &&
      // Without a length it could use the kept unit itself in the last moment, which is not intended.
      activities[index]!.duration > 0
    ) {
      const place = random.below(activities[other]!.slots.length);
      attempt(other, {
        slots: activities[other]!.slots.map((slot, at) =>
          at === place ? { ...slot, keptUntil: [...slot.keptUntil, index] } : slot,
        ),
      });
    }
  }

  const shift = (list: readonly number[]): number[] => list.map((each) => each - moment);
  const moved = { starts: shift(starts), ends: shift(ends), units };
  const decided = activities.map((activity, index): Activity => {
    const release = activity.release - moment;
    if (moved.starts[index]! >= 0 || moment === 0) return { ...activity, release };
    if (moved.ends[index]! > 0)
      return { ...activity, release, fixed: { start: moved.starts[index]!, units: units[index]! } };
    moved.starts[index] = moved.ends[index]!;
    const slots = activity.slots.map(({ units: list, sameAs, keptUntil }): Slot => ({
      units: list,
      sameAs,
      keptUntil,
    }));
    return {
      ...activity,
      release,
      duration: 0,
      slots,
      fixed: { start: moved.starts[index]!, units: units[index]! },
    };
  });
  const shifted = { ...problem, activities: decided };
  return { problem: shifted, witness: { ...moved, objective: objectiveOf(shifted, moved.ends).total } };
}
