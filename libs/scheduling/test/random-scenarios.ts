import fc from 'fast-check';
import type { Disturbance, Job, JobSlot, JobTask, Scenario } from './scenario.js';

export interface Chances {
  /** Most jobs of a scenario. */
  jobs: number;
  /** Tasks take as long as expected, nothing fails and nothing is lost or cancelled. */
  calm: boolean;
}

const pools = [['arm1', 'arm2', 'arm3'], ['reader1', 'reader2'], ['plate1']] as const;

const rawSlot = fc.record({
  /** 0 or 1: none. 2: the pool. 3: part of it. 4 and 5: the unit of an earlier task. */
  kind: fc.nat(5),
  part: fc.nat(),
  hold: fc.boolean(),
});

const rawTask = fc.record({
  slots: fc.tuple(...pools.map(() => rawSlot)),
  seconds: fc.integer({ min: 1, max: 20 }),
  known: fc.nat(9).map((chance) => chance > 0),
  /** Tenths of the expected time. */
  takes: fc.constantFrom(3, 8, 10, 10, 12, 30),
  after: fc.array(fc.nat(), { maxLength: 2 }),
  lag: fc.constantFrom(
    null,
    null,
    null,
    { minLag: 3_000 },
    { maxLag: 60_000 },
    { minLag: 1_000, maxLag: 5_000 },
  ),
  grouped: fc.nat(3).map((chance) => chance === 0),
  failure: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, 'once', 'always'),
});

const rawJob = fc.record({
  tasks: fc.array(rawTask, { minLength: 1, maxLength: 6 }),
  priority: fc.integer({ min: 0, max: 3 }),
  arrives: fc.constantFrom(0, 0, 0, 5_000, 12_300, 40_000),
  onDemand: fc.nat(3).map((chance) => chance === 0),
});

const rawEvent = fc.record({
  kind: fc.constantFrom('lose', 'cancel'),
  which: fc.nat(),
  at: fc.integer({ min: 0, max: 60 }),
  for: fc.integer({ min: 1, max: 60 }),
});

/**
 * Laboratories of three pools, and jobs whose tasks use at most one unit of each pool, with holds, references, groups,
 * lags and disturbances. Each job could end if it were alone.
 */
export function randomScenario({ jobs, calm }: Chances): fc.Arbitrary<Scenario> {
  const disturbances = fc.array(rawEvent, { maxLength: calm ? 0 : 4 });
  return fc
    .tuple(fc.array(rawJob, { minLength: 1, maxLength: jobs }), disturbances)
    .map(([raw, events]): Scenario => {
      const built = raw.map((job, index) => buildJob(job, index, calm));
      const units = pools.flat();
      return {
        units,
        jobs: built,
        events: events.flatMap(({ kind, which, at, for: lasts }): Disturbance[] => {
          if (kind === 'cancel') return [{ at: at * 1_000, cancel: pick(built, which).id }];
          const unit = pick(units, which);
          return [
            { at: at * 1_000, lose: unit },
            { at: (at + lasts) * 1_000, restore: unit },
          ];
        }),
      };
    });
}

type Raw<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;

function buildJob(raw: Raw<typeof rawJob>, index: number, calm: boolean): Job {
  const tasks: JobTask[] = [];
  for (const [place, each] of (raw.onDemand ? raw.tasks.slice(0, 1) : raw.tasks).entries())
    tasks.push(buildTask(each, place, tasks, calm, raw.onDemand));
  const { priority, arrives, onDemand } = raw;
  return { id: `${onDemand ? 'o' : 'r'}${index}`, priority, arrives, onDemand, tasks };
}

function buildTask(
  raw: Raw<typeof rawTask>,
  place: number,
  earlier: readonly JobTask[],
  calm: boolean,
  onDemand: boolean,
): JobTask {
  const after = new Map<string, { task: string; minLag?: number; maxLag?: number }>();
  const previous = earlier.at(-1);
  const grouped = raw.grouped && previous !== undefined;
  if (previous !== undefined && (grouped || raw.after.length === 0))
    after.set(previous.name, { task: previous.name });
  if (earlier.length > 0 && !grouped)
    for (const which of raw.after) {
      const task = pick(earlier, which).name;
      after.set(task, { task, ...raw.lag });
    }
  const slots = raw.slots.flatMap((slot, pool): JobSlot[] => {
    const name = `s${pool}`;
    const hold = slot.hold && !onDemand;
    if (slot.kind < 2) return [];
    const users = earlier.filter((task) => task.slots.some((each) => each.name === name));
    if (slot.kind >= 4 && users.length > 0) {
      const task = pick(users, slot.part).name;
      if (!after.has(task)) after.set(task, { task });
      return [{ name, from: { task, slot: name }, hold }];
    }
    const units = pools[pool] ?? [];
    const from = slot.kind === 3 ? units.filter((_, unit) => (slot.part >> unit) % 2 === 0) : units;
    return [{ name, from: from.length > 0 ? from : units, hold }];
  });
  const expected = calm || raw.known ? raw.seconds : null;
  if (grouped) previous.group ??= `g${place}`;
  const group = grouped ? previous.group : undefined;
  return {
    name: `t${place}`,
    expected,
    takes: calm ? raw.seconds * 1_000 : raw.seconds * raw.takes * 100,
    slots,
    after: [...after.values()],
    ...(group !== undefined && { group }),
    ...(raw.failure !== undefined && !calm && { failure: raw.failure }),
  };
}

function pick<Value>(values: readonly Value[], which: number): Value {
  const value = values[which % values.length];
  if (value === undefined) throw new Error('there is nothing to pick from');
  return value;
}
