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
  return [...dependenciesOf(definition)].flatMap(([to, dependencies]) =>
    known.has(to) ? dependencies.filter((from) => known.has(from)).map((from) => ({ from, to })) : [],
  );
}

/** For each task of a protocol the names of the tasks that must be over before it begins. */
export type Dependencies = ReadonlyMap<string, readonly string[]>;

/** The dependencies among the tasks of a protocol. The definition is as that of {@link edgesOf}. */
export function dependenciesOf(definition: unknown): Dependencies {
  const tasks = fieldOf(definition, 'tasks');
  if (!Array.isArray(tasks)) return new Map();
  return new Map(
    tasks.flatMap((task: unknown): [string, string[]][] => {
      const name = fieldOf(task, 'name');
      const dependencies = fieldOf(task, 'dependencies');
      if (typeof name !== 'string' || !Array.isArray(dependencies)) return [];
      return [[name, dependencies.filter((each): each is string => typeof each === 'string')]];
    }),
  );
}

/** A field of something whose form is not known. */
export function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, field)
    ? (value as Record<string, unknown>)[field]
    : undefined;
}
