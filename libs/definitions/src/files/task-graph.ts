/** The dependencies of a protocol as a graph over the names of its tasks. Unknown names are left out. */
export class TaskGraph {
  private readonly ancestorSets = new Map<string, ReadonlySet<string>>();

  /** @param dependencies task name to the names it depends on */
  constructor(private readonly dependencies: ReadonlyMap<string, readonly string[]>) {}

  /** All tasks that must complete before the task. For a task on a cycle, they include the task itself. */
  ancestors(name: string): ReadonlySet<string> {
    const known = this.ancestorSets.get(name);
    if (known) return known;
    const found = new Set<string>();
    const open = [...this.direct(name)];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(...this.direct(next));
    }
    this.ancestorSets.set(name, found);
    return found;
  }

  /**
   * Task names in an order in which each follows its dependencies, otherwise in the given order; tasks on cycles come
   * last.
   */
  sorted(): string[] {
    const names = [...this.dependencies.keys()];
    const waiting = new Map(names.map((name) => [name, new Set(this.direct(name)).size]));
    const dependents = new Map<string, string[]>(names.map((name) => [name, []]));
    for (const name of names)
      for (const before of new Set(this.direct(name))) dependents.get(before)?.push(name);
    const position = new Map(names.map((name, index) => [name, index]));
    const ready = names.filter((name) => waiting.get(name) === 0);
    const order: string[] = [];
    for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
      order.push(next);
      for (const after of dependents.get(next) ?? []) {
        const left = (waiting.get(after) ?? 0) - 1;
        waiting.set(after, left);
        if (left > 0) continue;
        const at = ready.findIndex((name) => (position.get(name) ?? 0) > (position.get(after) ?? 0));
        ready.splice(at === -1 ? ready.length : at, 0, after);
      }
    }
    const done = new Set(order);
    return [...order, ...names.filter((name) => !done.has(name))];
  }

  /** One cycle for every group of tasks that depend on each other, each as `a, b, ...` where each depends on the next. */
  cycles(): string[][] {
    const covered = new Set<string>();
    const cycles: string[][] = [];
    for (const name of this.dependencies.keys()) {
      if (covered.has(name) || !this.ancestors(name).has(name)) continue;
      for (const other of this.ancestors(name)) if (this.ancestors(other).has(name)) covered.add(other);
      cycles.push(this.shortestCycle(name));
    }
    return cycles;
  }

  private shortestCycle(start: string): string[] {
    const paths: string[][] = [[start]];
    const seen = new Set<string>();
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      for (const next of this.direct(path.at(-1) ?? start)) {
        if (next === start) return path;
        if (seen.has(next)) continue;
        seen.add(next);
        paths.push([...path, next]);
      }
    }
    return [start];
  }

  private direct(name: string): string[] {
    return (this.dependencies.get(name) ?? []).filter((other) => this.dependencies.has(other));
  }
}
