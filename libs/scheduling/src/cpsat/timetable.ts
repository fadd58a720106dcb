import type { PlannedTask, Snapshot, Timetable } from '../policy.js';
import { objectiveOf, type Schedule } from '../problem/problem.js';
import { placesOf, type Compiled } from './compiled.js';

/** A schedule in the terms of its snapshot. @param lowerBound of its objective, in ticks */
export function timetableOf(
  snapshot: Snapshot,
  compiled: Compiled,
  schedule: Schedule,
  provenance: Timetable['provenance'],
  lowerBound: number | null,
): Timetable {
  const running = (snapshot.running ?? []).map((task): PlannedTask => ({
    task: task.id,
    start: task.startedAt,
    end: task.expectedEnd,
    units: Object.fromEntries(Object.entries(task.units).map(([slot, { unit }]) => [slot, unit])),
  }));
  const waiting = [...placesOf(compiled, schedule)].map(([task, place]): PlannedTask => ({
    task,
    ...place,
    ...(compiled.concessions.relaxed.has(task) ? { relaxed: true as const } : {}),
  }));
  return withBound(
    {
      madeAt: snapshot.now,
      tasks: [...running, ...waiting.sort((a, b) => a.start - b.start)],
      quality: qualityOf(compiled, schedule),
      provenance,
      unplanned: compiled.unplanned,
    },
    lowerBound === null ? null : (lowerBound * compiled.tickMs) / 1_000,
  );
}

/** @param lowerBound of the objective in its own unit */
export function withBound(timetable: Timetable, lowerBound: number | null): Timetable {
  const { objective } = timetable.quality;
  const bound = lowerBound === null ? null : Math.min(objective, Math.max(0, lowerBound));
  const gap = bound === null ? null : objective === 0 ? 0 : (objective - bound) / objective;
  return { ...timetable, quality: { ...timetable.quality, lowerBound: bound, gap } };
}

function qualityOf(compiled: Compiled, schedule: Schedule): Timetable['quality'] {
  const { weightedCompletion, makespan, total } = objectiveOf(compiled.problem, schedule.ends);
  const seconds = compiled.tickMs / 1_000;
  return {
    weightedCompletion: weightedCompletion * seconds,
    makespan: makespan * seconds,
    objective: total * seconds,
    lowerBound: null,
    gap: null,
  };
}
