import type { Snapshot } from '../policy.js';
import type { Selection } from './selection.js';

/** Everything on which a plan depends, except the passing of time: snapshots with equal facts have the same plan. */
export type Facts = readonly (string | number)[];

export function factsOf(snapshot: Snapshot, selection: Selection): Facts {
  const facts: (string | number)[] = [];
  for (const task of snapshot.running ?? []) {
    // An overdue task may end at any moment; a later moment is no new fact.
    facts.push(task.id, task.priority, task.expectedEnd > snapshot.now ? task.expectedEnd : 'overdue');
    for (const { unit } of Object.values(task.units)) facts.push(unit);
  }
  for (const [unit, { run, by, keepers }] of selection.locks)
    facts.push(unit, run, by?.task ?? '', keepers.length, ...keepers);
  for (const work of selection.works) {
    facts.push(work.key, work.priority);
    for (const task of work.tasks) {
      const candidates = selection.candidates.get(task.id);
      if (candidates === undefined) continue;
      facts.push(task.id, task.ready === false ? 0 : 1, task.duration ?? -1);
      facts.push(task.notBefore ?? 0, task.notAfter ?? -1);
      for (const units of candidates) facts.push(units.length, ...units);
      for (const { task: other, minLagMs, maxLagMs } of task.dependencies ?? [])
        facts.push(other, minLagMs, maxLagMs ?? -1);
      facts.push(task.follows ?? '');
    }
  }
  return facts;
}

export function sameFacts(a: Facts, b: Facts): boolean {
  return a.length === b.length && a.every((fact, index) => fact === b[index]);
}
