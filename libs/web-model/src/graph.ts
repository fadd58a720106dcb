/** One task must be over before another begins. */
export interface Edge {
  from: string;
  to: string;
}

/**
 * The dependencies among tasks of a run, from the definition of its protocol.
 *
 * @param definition as `GET /api/definitions/protocol/{name}` gives it; anything else gives no edges
 * @param names of the tasks of the run; an edge to another task is left out
 */
export function edgesOf(definition: unknown, names: readonly string[]): Edge[] {
  const known = new Set(names);
  const tasks = fieldOf(definition, 'tasks');
  if (!Array.isArray(tasks)) return [];
  return tasks.flatMap((task: unknown) => {
    const to = fieldOf(task, 'name');
    const dependencies = fieldOf(task, 'dependencies');
    if (typeof to !== 'string' || !known.has(to) || !Array.isArray(dependencies)) return [];
    return dependencies
      .filter((from): from is string => typeof from === 'string' && known.has(from))
      .map((from) => ({ from, to }));
  });
}

/** A field of something whose form is not known. */
export function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, field)
    ? (value as Record<string, unknown>)[field]
    : undefined;
}
