import type { QueuedTask, ScheduledTask, WaitCause } from '@lab/api-client';

/** What of a waiting task decides who goes first. */
export type Competitor = Pick<
  QueuedTask,
  'id' | 'state' | 'priority' | 'effective_priority' | 'waiting_since' | 'protocol_run' | 'campaign'
>;

/** The work whose priority a person changes, or that they cancel: a task alone, its run, or its campaign. */
export const workScopes = ['task', 'run', 'campaign'] as const;
export type WorkScope = (typeof workScopes)[number];

/** Least and greatest priority of the interface. */
export const priorityLimits = { min: -1_000_000, max: 1_000_000 } as const;

/** The scopes that a waiting task has. */
export const scopesOf = ({ protocol_run: run, campaign }: Competitor): WorkScope[] =>
  workScopes.filter(
    (scope) =>
      scope === 'task' || (scope === 'run' && run !== null) || (scope === 'campaign' && campaign !== null),
  );

/** The waiting tasks that belong to the work of a task, itself included. */
export function membersOf<T extends Competitor>(tasks: readonly T[], task: T, scope: WorkScope): T[] {
  if (scope === 'campaign') return tasks.filter(({ campaign }) => campaign === task.campaign);
  if (scope === 'run') return tasks.filter(({ protocol_run: run }) => run === task.protocol_run);
  return tasks.filter(({ id }) => id === task.id);
}

/**
 * Whether a task goes before another by the rules of the service: a task that is ready before one that waits for tasks, then the
 * higher effective priority, then the longer wait. A latest start that a protocol demands decides among equals as well, which the
 * queue does not tell.
 */
function goesBefore(a: Competitor, b: Competitor): boolean {
  if (a.state !== b.state) return a.state === 'queued';
  if (a.effective_priority !== b.effective_priority) return a.effective_priority > b.effective_priority;
  if (a.waiting_since !== b.waiting_since) return a.waiting_since < b.waiting_since;
  return a.id < b.id;
}

const withPriority = <T extends Competitor>(task: T, priority: number): T => ({
  ...task,
  priority,
  effective_priority: task.effective_priority - task.priority + priority,
});

/** Where a task would stand among other work with another priority. */
export interface PlaceAmongOthers {
  /** Tasks of other work that it would go before. */
  before: number;
  /** Tasks of other work that wait. */
  others: number;
}

/** @param members the tasks whose priority changes together, which do not count as other work */
export function placeWith<T extends Competitor>(
  tasks: readonly T[],
  task: T,
  members: readonly T[],
  priority: number,
): PlaceAmongOthers {
  const others = othersOf(tasks, members);
  const moved = withPriority(task, priority);
  return { before: others.filter((other) => goesBefore(moved, other)).length, others: others.length };
}

/** Steps among other work. */
export const moves = ['first', 'earlier', 'later', 'last'] as const;
export type Move = (typeof moves)[number];

/**
 * The priority that moves a task among other work. `earlier` and `later` pass one task of other work, or as
 * many as have the same effective priority where a whole step of it passes them together.
 *
 * @param priority from which it moves
 * @returns `priority` when there is nothing to pass, and never beyond the limits of the interface
 */
export function priorityAfter<T extends Competitor>(
  tasks: readonly T[],
  task: T,
  members: readonly T[],
  priority: number,
  move: Move,
): number {
  const moved = withPriority(task, priority);
  // Priority does not move a task past one of the other state.
  const rivals = othersOf(tasks, members).filter(({ state }) => state === task.state);
  const isUp = move === 'first' || move === 'earlier';
  const passable = rivals
    .filter((rival) => goesBefore(rival, moved) === isUp)
    .sort((a, b) => (goesBefore(a, b) ? -1 : 1));
  const passed = move === 'first' || move === 'later' ? passable[0] : passable.at(-1);
  if (passed === undefined) return priority;
  const level = priority + passed.effective_priority - moved.effective_priority;
  const isPast = goesBefore(withPriority(task, level), passed) === isUp;
  const wanted = isPast ? level : level + (isUp ? 1 : -1);
  return Math.min(priorityLimits.max, Math.max(priorityLimits.min, wanted));
}

function othersOf<T extends Competitor>(tasks: readonly T[], members: readonly T[]): T[] {
  const own = new Set(members.map(({ id }) => id));
  return tasks.filter(({ id }) => !own.has(id));
}

/** Why a waiting task has its place in the order. */
export type PlaceReason = 'planned' | 'unready' | 'aged' | 'priority';

export function placeReasonOf({
  planned_start: planned,
  state,
  priority,
  effective_priority: effective,
}: Pick<QueuedTask, 'planned_start' | 'state' | 'priority' | 'effective_priority'>): PlaceReason {
  if (planned !== null) return 'planned';
  if (state === 'created') return 'unready';
  return effective > priority ? 'aged' : 'priority';
}

/** Something that keeps a task from starting, and that has a page. */
export type Blocker =
  | { kind: 'task'; name: string; run: string | undefined; label: string }
  | { kind: 'run'; name: string; label: string }
  | { kind: 'device'; lab: string; name: string; label: string }
  | { kind: 'resource'; name: string; label: string };

/** How many units that cannot be used are named. */
const mostCandidates = 3;

/** Reads the label of a task: `<protocol run>/<task>`, or the name of an on-demand task. */
export function taskOf(label: string): Extract<Blocker, { kind: 'task' }> {
  const slash = label.indexOf('/');
  return slash === -1
    ? { kind: 'task', name: label, run: undefined, label }
    : { kind: 'task', name: label.slice(slash + 1), run: label.slice(0, slash), label };
}

/**
 * What a task waits for, as far as it has a page.
 *
 * @param onDemand labels of the on-demand tasks that are known: a unit is held by a task or a run, and both may have a name alone
 * @param devices every device as `<lab>.<device>`, to tell it from a resource
 */
export function blockersOf(
  { code, tasks = [], unit, held_by: holder, candidates = [] }: WaitCause,
  onDemand: ReadonlySet<string>,
  devices: ReadonlySet<string>,
): Blocker[] {
  const found: Blocker[] = tasks.map(taskOf);
  if (holder !== undefined && (code === 'device' || code === 'resource') && holder !== 'somebody')
    found.push(
      holder.includes('/') || onDemand.has(holder)
        ? taskOf(holder)
        : { kind: 'run', name: holder, label: holder },
    );
  if (unit !== undefined) found.push(unitOf(unit, devices));
  if (code === 'no_eligible_device' || code === 'no_eligible_resource')
    found.push(...candidates.slice(0, mostCandidates).map((each) => unitOf(each.unit, devices)));
  return found;
}

function unitOf(unit: string, devices: ReadonlySet<string>): Blocker {
  if (!devices.has(unit)) return { kind: 'resource', name: unit, label: unit };
  const dot = unit.indexOf('.');
  return { kind: 'device', lab: unit.slice(0, dot), name: unit.slice(dot + 1), label: unit };
}

/** Whether a task has a device or resource, is planned on it, or waits for it by name. */
export const concernsUnit = (
  { devices, resources, waits_for: causes }: Pick<ScheduledTask, 'devices' | 'resources' | 'waits_for'>,
  name: string,
): boolean =>
  [...Object.values(devices), ...Object.values(resources)].includes(name) ||
  causes.some(({ unit, candidates = [] }) => unit === name || candidates.some((each) => each.unit === name));
