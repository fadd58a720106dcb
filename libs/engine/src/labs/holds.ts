import type { ProtocolSnapshot } from '@lab/definitions/model';
import type { AllocationKind } from '../rows/index.js';

/** Slot, as `<kind>/<task>/<slot>`, to the names of the tasks that must end before its allocation is freed. */
export type Keepers = ReadonlyMap<string, ReadonlySet<string>>;

const cache = new WeakMap<ProtocolSnapshot, Keepers>();

export function slotName(kind: AllocationKind, task: string, slot: string): string {
  return `${kind}/${task}/${slot}`;
}

/**
 * The tasks that keep the allocation of each slot. A slot with `hold` is kept for every task that refers to it,
 * directly or through other references, also while one of these tasks uses it.
 */
export function keepersOf(snapshot: ProtocolSnapshot): Keepers {
  const cached = cache.get(snapshot);
  if (cached !== undefined) return cached;
  const parent = new Map<string, string>();
  const holding = new Set<string>();
  const taskOf = new Map<string, string>();
  for (const task of snapshot.protocol.tasks) {
    const slots = [
      ...Object.entries(task.devices).map(([name, slot]) => ({ kind: 'device' as const, name, slot })),
      ...Object.entries(task.resources).map(([name, slot]) => ({ kind: 'resource' as const, name, slot })),
    ];
    for (const { kind, name, slot } of slots) {
      const id = slotName(kind, task.name, name);
      taskOf.set(id, task.name);
      if (slot.hold) holding.add(id);
      if (slot.kind === 'reference') parent.set(id, slotName(kind, slot.task, slot.slot));
    }
  }

  const referrers = new Map<string, Set<string>>();
  for (const [id, task] of taskOf)
    for (const ancestor of chain(parent, id))
      referrers.set(ancestor, (referrers.get(ancestor) ?? new Set()).add(task));

  const keepers = new Map<string, Set<string>>();
  for (const id of taskOf.keys()) {
    const tasks = new Set<string>();
    for (const slot of [id, ...chain(parent, id)])
      if (holding.has(slot)) for (const task of referrers.get(slot) ?? []) tasks.add(task);
    if (tasks.size > 0) keepers.set(id, tasks);
  }
  cache.set(snapshot, keepers);
  return keepers;
}

/** The slots to which a slot refers, nearest first. Terminates for circular definitions too. */
function chain(parent: ReadonlyMap<string, string>, id: string): Set<string> {
  const slots = new Set<string>();
  for (let at = parent.get(id); at !== undefined && !slots.has(at) && at !== id; at = parent.get(at))
    slots.add(at);
  return slots;
}
