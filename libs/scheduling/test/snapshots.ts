import type { PlanRunning, PlanSlot, PlanTask, PlanUnit, Snapshot } from '../src/policy.js';

/** Hand-made snapshots: times in seconds, the moment 0 is {@link origin}. */
export const origin = 1_700_000_000_000;
export const at = (seconds: number): number => origin + seconds * 1_000;

export function unit(id: string, more: Partial<PlanUnit> = {}): PlanUnit {
  return { id, kind: 'device', busy: false, heldBy: null, heldFor: [], usable: true, since: 0, ...more };
}

/** @param slots candidates of each slot; the slots are called s0, s1, and so on */
export function task(
  id: string,
  duration: number | null,
  slots: readonly (readonly string[] | Partial<PlanSlot>)[],
  more: Partial<PlanTask> = {},
): PlanTask {
  return {
    id,
    run: null,
    priority: 0,
    queuedAt: origin,
    duration,
    slots: slots.map((slot, index) => ({
      name: `s${index}`,
      candidates: [],
      ...('length' in slot ? { candidates: slot as readonly string[] } : slot),
    })),
    ...more,
  };
}

/** The dependencies of a task of the snapshot. */
export function after(...tasks: string[]): Pick<PlanTask, 'ready' | 'dependencies'> {
  return { ready: false, dependencies: tasks.map((id) => ({ task: id, minLagMs: 0, maxLagMs: null })) };
}

/** @param units slot to unit, or to unit and the tasks that it is kept for */
export function running(
  id: string,
  from: number,
  to: number,
  units: Record<string, string | { unit: string; keptFor: readonly string[] }>,
  more: Partial<PlanRunning> = {},
): PlanRunning {
  return {
    id,
    run: null,
    priority: 0,
    startedAt: at(from),
    expectedEnd: at(to),
    units: Object.fromEntries(
      Object.entries(units).map(([slot, given]) => [
        slot,
        typeof given === 'string' ? { unit: given, keptFor: [] } : given,
      ]),
    ),
    ...more,
  };
}

/** @param units ids of free units, or units. Running tasks make their units busy. */
export function snapshot(
  now: number,
  units: readonly (string | PlanUnit)[],
  tasks: readonly PlanTask[],
  going: readonly PlanRunning[] = [],
): Snapshot {
  const busy = new Set(going.flatMap((each) => Object.values(each.units).map((given) => given.unit)));
  const all = units.map((each) => (typeof each === 'string' ? unit(each) : each));
  return {
    version: 1,
    now: at(now),
    tasks,
    running: going,
    units: new Map(all.map((each) => [each.id, busy.has(each.id) ? { ...each, busy: true } : each])),
  };
}
