/** The parts of a world. Milliseconds, unless stated otherwise. */
export interface Scenario {
  units: readonly string[];
  jobs: readonly Job[];
  events?: readonly Disturbance[];
}

export type Disturbance =
  { at: number; lose: string } | { at: number; restore: string } | { at: number; cancel: string };

/** A protocol run; or an on-demand task, which has a single task. */
export interface Job {
  id: string;
  priority: number;
  arrives: number;
  onDemand?: boolean;
  /** Each after the tasks on which it depends or to which it refers. */
  tasks: readonly JobTask[];
}

export interface JobTask {
  name: string;
  /** Seconds. null: unknown. */
  expected: number | null;
  /** The real duration. */
  takes: number;
  slots: readonly JobSlot[];
  after: readonly { task: string; minLag?: number; maxLag?: number }[];
  /** It should start when the preceding task with this label ends. */
  group?: string;
  /** `once`: the first attempt fails and is repeated. `always`: the run ends with it. */
  failure?: 'once' | 'always';
}

export interface JobSlot {
  name: string;
  /** Any of these units, or the unit of another task. */
  from: readonly string[] | { task: string; slot: string };
  /** Its unit is kept for every task that refers to it, directly or through others. */
  hold?: boolean;
}

/** The tasks that keep the unit of a slot for the run; may name the task itself. */
export function keepersOf(job: Job, task: string, slot: string): string[] {
  const keepers = new Set<string>();
  for (const ancestor of chainOf(job, task, slot)) {
    if (!ancestor.hold) continue;
    for (const other of job.tasks)
      for (const each of other.slots) {
        const chain = chainOf(job, other.name, each.name).slice(1);
        if (chain.some((link) => link.task === ancestor.task && link.slot === ancestor.slot))
          keepers.add(other.name);
      }
  }
  return [...keepers];
}

/** A slot and the slots to which it refers, the nearest first. */
function chainOf(job: Job, task: string, slot: string): { task: string; slot: string; hold: boolean }[] {
  const spec = job.tasks.find((each) => each.name === task)?.slots.find((each) => each.name === slot);
  if (spec === undefined) throw new Error(`${job.id}.${task} has no slot ${slot}`);
  const link = { task, slot, hold: spec.hold === true };
  return 'task' in spec.from ? [link, ...chainOf(job, spec.from.task, spec.from.slot)] : [link];
}
