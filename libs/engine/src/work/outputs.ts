import type { Fault, ResourceValue } from '@lab/contracts';
import type { TaskDefinition } from '@lab/definitions/model';
import type { TaskRunRow } from '../rows/index.js';
import type { Turn } from '../turn/index.js';

/** Output resources of a task. A resource that the task does not report stays as the task got it. */
export function outputResources(
  definition: TaskDefinition | undefined,
  task: TaskRunRow,
  given: Readonly<Record<string, ResourceValue>>,
): { values: Record<string, ResourceValue>; faults: Fault[] } {
  const faults: Fault[] = [];
  const refuse = (slot: string, code: string, message: string): void =>
    void faults.push({ path: `output_resources.${slot}`, code, message });
  const values = new Map<string, ResourceValue>();
  const owned = new Map(Object.values(task.resources).map((resource) => [resource.name, resource]));
  for (const slot of Object.keys(definition?.output_resources ?? {})) {
    const input = Object.hasOwn(task.resources, slot) ? task.resources[slot] : undefined;
    if (input !== undefined) values.set(slot, input);
    else if (!Object.hasOwn(given, slot)) refuse(slot, 'missing_resource', 'is required');
  }
  for (const [slot, resource] of Object.entries(given)) {
    const own = owned.get(resource.name);
    if (definition !== undefined && !Object.hasOwn(definition.output_resources, slot))
      refuse(slot, 'unknown_resource', `the task type has no output resource "${slot}"`);
    else if (own === undefined)
      refuse(slot, 'not_allocated', `the task did not have the resource "${resource.name}"`);
    else values.set(slot, { name: own.name, type: own.type, meta: resource.meta });
  }
  return { values: Object.fromEntries(values), faults };
}

/** @param said slots that the task or person reported; they precede slots that only pass a resource on */
export function putResources(
  turn: Turn,
  values: Readonly<Record<string, ResourceValue>>,
  said: Readonly<Record<string, unknown>>,
): void {
  const weight = (slot: string): number => (Object.hasOwn(said, slot) ? 1 : 0);
  for (const [, { name, meta }] of Object.entries(values).sort(([a], [b]) => weight(a) - weight(b))) {
    const row = turn.state.rows.resources.get(name);
    if (row !== undefined) turn.emit({ op: 'putResource', row: { ...row, meta } });
  }
}
