import type { DeviceSlot, ProtocolSnapshot, ProtocolTask, ResourceSlot } from '@lab/definitions/model';
import { type LabMap, deviceCandidates, keepersOf, resourceCandidates, slotName } from '../labs/index.js';
import { type AllocationKind, allocationKey } from '../rows/index.js';

/** What plans need of a protocol, derived once for all its runs. Places are indexes in its order, from 0. */
export interface ProtocolPlan {
  tasks: readonly PlannedEntry[];
  placeOf: ReadonlyMap<string, number>;
}

export interface PlannedEntry {
  entry: ProtocolTask;
  slots: readonly SlotEntry[];
  dependencies: readonly LagEntry[];
  /** Place of the preceding task in its group; null: the first of its group, or not in a group. */
  follows: number | null;
}

export interface SlotEntry {
  /** `device:<slot>` or `resource:<slot>`. */
  name: string;
  kind: AllocationKind;
  /** Candidates by definition; for a reference, those of the slot that it refers to. */
  candidates: readonly string[];
  /** The slot of an earlier task from which the unit is passed on; null: no reference. */
  reference: SlotReference | null;
  /** Places of other tasks that must end before the unit goes to another run. */
  keepers: readonly number[];
}

export interface SlotReference {
  /** Place of the task, and the name of its slot; for a resource, of its output. */
  task: number;
  slot: string;
  /** The input slot of that task through which it gets the unit; null: known only when that task has ended. */
  source: string | null;
}

/** A dependency with its lags in milliseconds. */
export interface LagEntry {
  /** Place of the task that must complete first. */
  task: number;
  minLagMs: number;
  /** Null: no greatest lag. */
  maxLagMs: number | null;
}

/** @param labs the loaded laboratories; their units are the candidates */
export function protocolPlan(snapshot: ProtocolSnapshot, labs: LabMap): ProtocolPlan {
  const { protocol } = snapshot;
  const placeOf = new Map(protocol.tasks.map((task, place) => [task.name, place]));
  const keepers = keepersOf(snapshot);
  const done: PlannedEntry[] = [];
  const latestOf = new Map<string, number>();

  const slotOf = (
    entry: ProtocolTask,
    place: number,
    kind: AllocationKind,
    slot: string,
    wanted: DeviceSlot | ResourceSlot,
  ): SlotEntry => {
    const reference = wanted.kind === 'reference' ? referenceOf(kind, wanted) : null;
    const own = (): string[] =>
      kind === 'device'
        ? deviceCandidates(labs, protocol, wanted as DeviceSlot)
        : resourceCandidates(labs, protocol, wanted as ResourceSlot);
    return {
      name: allocationKey(kind, slot),
      kind,
      candidates:
        reference === null ? own().map((key) => allocationKey(kind, key)) : referred(kind, reference),
      reference,
      keepers: [...(keepers.get(slotName(kind, entry.name, slot)) ?? [])].flatMap((name) => {
        const keeper = placeOf.get(name);
        return keeper === undefined || keeper === place ? [] : [keeper];
      }),
    };
  };

  const referenceOf = (
    kind: AllocationKind,
    wanted: { task: string; slot: string },
  ): SlotReference | null => {
    const task = placeOf.get(wanted.task);
    const target = protocol.tasks[task ?? -1];
    if (task === undefined || target === undefined) return null;
    if (kind === 'device' || Object.hasOwn(target.resources, wanted.slot))
      return { task, slot: wanted.slot, source: wanted.slot };
    const type = snapshot.tasks[target.type];
    const wantedType = type?.output_resources[wanted.slot]?.type;
    const sources = Object.keys(target.resources).filter(
      (name) => type?.input_resources[name]?.type === wantedType,
    );
    return { task, slot: wanted.slot, source: sources.length === 1 ? (sources[0] ?? null) : null };
  };

  // A reference leads to an earlier task, whose candidates are known by now.
  const referred = (kind: AllocationKind, { task, source }: SlotReference): string[] => {
    const slots = done[task]?.slots.filter((slot) => slot.kind === kind) ?? [];
    const sources =
      source === null ? slots : slots.filter((slot) => slot.name === allocationKey(kind, source));
    return [...new Set(sources.flatMap((slot) => slot.candidates))];
  };

  for (const [place, entry] of protocol.tasks.entries()) {
    const before = entry.group === null ? undefined : latestOf.get(entry.group);
    if (entry.group !== null) latestOf.set(entry.group, place);
    done.push({
      entry,
      slots: [
        ...Object.entries(entry.devices).map(([name, slot]) => slotOf(entry, place, 'device', name, slot)),
        ...Object.entries(entry.resources).map(([name, slot]) =>
          slotOf(entry, place, 'resource', name, slot),
        ),
      ],
      dependencies: entry.dependencies.flatMap((name) => {
        const task = placeOf.get(name);
        return task === undefined ? [] : [{ task, ...lagOf(entry, name) }];
      }),
      follows: before ?? null,
    });
  }
  return { tasks: done, placeOf };
}

/** The least and greatest time between the end of a dependency and the start of a task, in milliseconds. */
export function lagOf(
  entry: ProtocolTask,
  dependency: string,
): { minLagMs: number; maxLagMs: number | null } {
  const lags = entry.lags;
  const lag = lags !== undefined && Object.hasOwn(lags, dependency) ? lags[dependency] : undefined;
  return {
    minLagMs: Math.ceil((lag?.min_lag ?? 0) * 1000),
    maxLagMs: lag?.max_lag === undefined ? null : Math.ceil(lag.max_lag * 1000),
  };
}
