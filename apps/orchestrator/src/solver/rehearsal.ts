import {
  CpsatPolicy,
  type Ongoing,
  type PlanLog,
  type PlanSlot,
  type PlanTask,
  type Snapshot,
} from '@lab/scheduling';

/** Number of runs that are planned at a time, of four tasks each, and number of rounds. */
const runs = 25;
const plans = 15;
/** Milliseconds between two steps. The process is free for its own work most of the time. */
const pauseMs = 5;

/**
 * Plans an imaginary laboratory step by step, which compiles the code of the planner: the first real plan takes a
 * fraction of the time.
 *
 * @param log gets defects
 */
export function rehearse(log: PlanLog): Ongoing<void> {
  let first = 0;
  let timer: NodeJS.Timeout | undefined;
  let end = (): void => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  const knobs = { time_limit: 1, seed: 1, resolution: 0.1, frozen_window: 30 };
  const ports = { clock: { now: () => first }, searcher: null, exact: null, log };
  const policy = new CpsatPolicy(ports, knobs, 0);
  const step = (): void => {
    const snapshot = laboratory(first);
    if (policy.plan(snapshot).wakeAt !== snapshot.now + 1) first += 1;
    if (first < plans) wait();
    else end();
  };
  // The timer does not keep the process alive.
  const wait = (): void => void (timer = setTimeout(step, pauseMs).unref());
  wait();
  const cancel = (): void => {
    clearTimeout(timer);
    end();
  };
  return { done, cancel };
}

const units = ['arm1', 'arm2', 'mixer1', 'mixer2', 'mixer3', 'reader', 'station'];

/** Each run takes a mixer, keeps it while an arm pours, measures, and cleans. Run number `first` has begun. */
function laboratory(first: number): Snapshot {
  const now = first * 1_000;
  const tasks = Array.from({ length: runs }, (_, nth) => tasksOf(first + nth)).flat();
  const [begun, ...waiting] = tasks as [PlanTask, ...PlanTask[]];
  const { id, run, priority } = begun;
  const inUse = { a: { unit: 'mixer1', keptFor: [taskOf(first, 'pour')] } };
  const running = [{ id, run, priority, startedAt: now - 2_000, expectedEnd: now + 9_000, units: inUse }];
  const all = units.map((unit) => ({
    id: unit,
    kind: 'device' as const,
    busy: unit === 'mixer1',
    heldBy: null,
    heldFor: [],
    usable: true,
    since: 0,
  }));
  return { version: first, now, tasks: waiting, running, units: new Map(all.map((unit) => [unit.id, unit])) };
}

function tasksOf(run: number): PlanTask[] {
  const any = (name: string, kind: string): PlanSlot => ({
    name,
    candidates: units.filter((unit) => unit.startsWith(kind)),
  });
  const task = (name: string, duration: number, slots: PlanSlot[], after?: string): PlanTask => ({
    id: taskOf(run, name),
    run: `${run}`,
    priority: run % 3,
    queuedAt: run,
    duration,
    slots,
    ready: after === undefined,
    dependencies: after === undefined ? [] : [{ task: taskOf(run, after), minLagMs: 0, maxLagMs: null }],
  });
  const mixer = any('a', 'mixer');
  return [
    task('mix', 10 + (run % 7), [{ ...mixer, keptFor: [taskOf(run, 'pour')] }]),
    task(
      'pour',
      4 + (run % 3),
      [{ ...mixer, sameAs: { task: taskOf(run, 'mix'), slot: 'a' } }, any('b', 'arm')],
      'mix',
    ),
    task('measure', 3, [any('a', 'reader')], 'pour'),
    task('clean', 5, [any('a', 'station')], 'measure'),
  ];
}

function taskOf(run: number, name: string): string {
  return `${run}/${name}`;
}
