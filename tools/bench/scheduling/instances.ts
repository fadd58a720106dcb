import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

import type { Activity, Problem } from '@lab/scheduling';

/** Reads the instances that `tools/bench/instances/README.md` describes, as problems of `@lab/scheduling`. */

export const sets = ['jsp', 'fjsp', 'lab'] as const;
type InstanceSet = (typeof sets)[number];

export interface Instance {
  name: string;
  problem: Problem;
  /** The least known objective. */
  bestKnown: number | null;
  reference: { greedy: number; lns: number } | null;
}

/** A machine that can do an operation, and the duration there. */
interface Choice {
  machine: number;
  duration: number;
}

const numbersOf = (text: string): number[] => text.trim().split(/\s+/).map(Number);

/** Reads numbers one after the other. */
function reader(text: string, name: string): { next(): number; end(): void } {
  const numbers = numbersOf(text);
  let at = 0;
  return {
    next() {
      const value = numbers[at++];
      if (value === undefined || !Number.isFinite(value))
        throw new Error(`${name}: number ${at} is missing or not a number`);
      return value;
    },
    end() {
      if (at < numbers.length)
        throw new Error(`${name}: the file has ${numbers.length - at} numbers too many`);
    },
  };
}

/** A shop. Each job is a list of operations, each operation a list of choices. */
function shop(jobs: Choice[][][], machines: number, name: string): Problem {
  const activities: Activity[] = [];
  jobs.forEach((job, run) =>
    job.forEach((choices, index) => {
      const outside = choices.find(({ machine }) => machine < 0 || machine >= machines);
      if (outside !== undefined)
        throw new Error(
          `${name}: job ${run + 1} names machine ${outside.machine}, which is not from 0 to ${machines - 1}`,
        );
      activities.push({
        run,
        duration: Math.min(...choices.map(({ duration }) => duration)),
        release: 0,
        predecessors: index === 0 ? [] : [{ activity: activities.length - 1, minLag: 0, maxLag: null }],
        follows: null,
        slots: [
          {
            units: choices.map(({ machine }) => machine),
            durations: choices.map(({ duration }) => duration),
            sameAs: null,
            keptUntil: [],
          },
        ],
        fixed: null,
      });
    }),
  );
  return { activities, units: machines, runs: jobs.map(() => ({ weight: 0 })), makespanWeight: 1 };
}

export function readJobShop(text: string, name: string): Problem {
  const { next, end } = reader(text, name);
  const [jobs, machines] = [next(), next()];
  const read = Array.from({ length: jobs }, () =>
    Array.from({ length: machines }, () => [{ machine: next(), duration: next() }]),
  );
  end();
  return shop(read, machines, name);
}

export function readFlexibleJobShop(text: string, name: string): Problem {
  // The first line may end with the mean number of machines of an operation, which is ignored.
  const [head = '', ...lines] = text.trim().split(/\r?\n/);
  const [jobs = 0, machines = 0] = numbersOf(head);
  const { next, end } = reader(lines.join('\n'), name);
  const read = Array.from({ length: jobs }, () =>
    Array.from({ length: next() }, () =>
      Array.from({ length: next() }, () => ({ machine: next(), duration: next() })),
    ),
  );
  end();
  return shop(read, machines, name);
}

interface LabFile {
  tasks: { id: number; d: number; pool: number[]; preds: number[]; group?: number; hold?: number }[];
  runs: { prio: number; rel: number; tasks: number[] }[];
  devs: string[];
  lam: number;
}

export function readLab(text: string): Problem {
  const { tasks, runs, devs, lam } = JSON.parse(text) as LabFile;
  const indexOf = new Map(tasks.map(({ id }, index) => [id, index]));
  const indexAt = (id: number): number => indexOf.get(id) ?? NaN;
  const keepers = new Map(tasks.map(({ id }) => [id, [] as number[]]));
  tasks.forEach(({ hold }, index) => {
    if (hold !== undefined) keepers.get(hold)?.push(index);
  });
  const runOf = new Map(runs.flatMap((run, index) => run.tasks.map((id) => [id, index] as const)));
  const runAt = (id: number): number => runOf.get(id) ?? NaN;
  return {
    activities: tasks.map((task) => ({
      run: runAt(task.id),
      duration: task.d,
      release: runs[runAt(task.id)]?.rel ?? 0,
      predecessors: task.preds.map((id) => ({ activity: indexAt(id), minLag: 0, maxLag: null })),
      follows: task.group === undefined ? null : indexAt(task.group),
      slots: [{ units: task.pool, sameAs: null, keptUntil: keepers.get(task.id) ?? [] }],
      fixed: null,
    })),
    units: devs.length,
    runs: runs.map(({ prio }) => ({ weight: prio })),
    makespanWeight: lam,
  };
}

const readers = { jsp: readJobShop, fjsp: readFlexibleJobShop, lab: readLab };

/**
 * The instances of a set, in the order of their names.
 *
 * @param dir a folder with a sub-folder named like the set, or one with the instances themselves
 */
export function readInstances(dir: string, set: InstanceSet): Instance[] {
  const nested = join(dir, set);
  const folder = statSync(nested, { throwIfNoEntry: false })?.isDirectory() ? nested : dir;
  const bestKnown =
    jsonAt<BestKnown>(join(folder, 'best-known.json')) ??
    jsonAt<BestKnown>(join(dirname(folder), 'best-known.json'));
  const reference = jsonAt<References>(join(folder, 'reference.json'));
  const extension = set === 'lab' ? '.json' : '.txt';
  const files = readdirSync(folder).filter(
    (file) => extname(file) === extension && !['best-known.json', 'reference.json'].includes(file),
  );
  return files
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((file) => {
      const name = basename(file, extension);
      const ofSet = bestKnown?.[set] ?? bestKnown;
      const known = (ofSet as Record<string, number | number[]> | undefined)?.[name];
      return {
        name,
        problem: readers[set](readFileSync(join(folder, file), 'utf8'), name),
        bestKnown: (Array.isArray(known) ? known.at(-1) : known) ?? null,
        reference: reference?.instances?.[name] ?? null,
      };
    });
}

/** By instance, or by set and instance: the best objective, or bounds whose last one is the best objective. */
type BestKnown = Record<string, number | number[] | Record<string, number | number[]>>;

interface References {
  instances?: Record<string, { greedy: number; lns: number }>;
}

function jsonAt<T>(path: string): T | undefined {
  return statSync(path, { throwIfNoEntry: false }) === undefined
    ? undefined
    : (JSON.parse(readFileSync(path, 'utf8')) as T);
}
