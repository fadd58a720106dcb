import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

/** Reads the instances that `tools/bench/instances/README.md` describes, as problems of `@lab/scheduling`. */

export const sets = ['jsp', 'fjsp', 'lab'];

const numbersOf = (text) => text.trim().split(/\s+/).map(Number);

/** Reads whole numbers one after the other, and says where one is missing. */
function reader(text, name) {
  const numbers = numbersOf(text);
  let at = 0;
  return {
    next() {
      const value = numbers[at++];
      if (value === undefined || !Number.isFinite(value))
        throw new Error(`${name}: number ${at} is missing or no number`);
      return value;
    },
    end() {
      if (at < numbers.length) throw new Error(`${name}: ${numbers.length - at} numbers more than expected`);
    },
  };
}

/** A shop of jobs, each a list of operations, each a list of `{ machine, duration }` to choose from. */
function shop(jobs, machines, name) {
  const activities = [];
  jobs.forEach((job, run) =>
    job.forEach((choices, index) => {
      const outside = choices.find(({ machine }) => machine < 0 || machine >= machines);
      if (outside !== undefined)
        throw new Error(
          `${name}: machine ${outside.machine} of job ${run + 1} is not from 0 to ${machines - 1}`,
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

export function readJobShop(text, name) {
  const { next, end } = reader(text, name);
  const [jobs, machines] = [next(), next()];
  const read = Array.from({ length: jobs }, () =>
    Array.from({ length: machines }, () => [{ machine: next(), duration: next() }]),
  );
  end();
  return shop(read, machines, name);
}

export function readFlexibleJobShop(text, name) {
  // The first line may end with the mean number of machines of an operation, which nobody needs.
  const [head, ...lines] = text.trim().split(/\r?\n/);
  const [jobs, machines] = numbersOf(head);
  const { next, end } = reader(lines.join('\n'), name);
  const read = Array.from({ length: jobs }, () =>
    Array.from({ length: next() }, () =>
      Array.from({ length: next() }, () => ({ machine: next(), duration: next() })),
    ),
  );
  end();
  return shop(read, machines, name);
}

export function readLab(text) {
  const { tasks, runs, devs, lam } = JSON.parse(text);
  const indexOf = new Map(tasks.map(({ id }, index) => [id, index]));
  const keepers = new Map(tasks.map(({ id }) => [id, []]));
  tasks.forEach(({ hold }, index) => {
    if (hold !== undefined) keepers.get(hold).push(index);
  });
  const runOf = new Map(runs.flatMap((run, index) => run.tasks.map((id) => [id, index])));
  return {
    activities: tasks.map((task) => ({
      run: runOf.get(task.id),
      duration: task.d,
      release: runs[runOf.get(task.id)].rel,
      predecessors: task.preds.map((id) => ({ activity: indexOf.get(id), minLag: 0, maxLag: null })),
      follows: task.group === undefined ? null : indexOf.get(task.group),
      slots: [{ units: task.pool, sameAs: null, keptUntil: keepers.get(task.id) }],
      fixed: null,
    })),
    units: devs.length,
    runs: runs.map(({ prio }) => ({ weight: prio })),
    makespanWeight: lam,
  };
}

const readers = { jsp: readJobShop, fjsp: readFlexibleJobShop, lab: readLab };

/**
 * The instances of a set, smallest names first.
 *
 * @param {string} dir a folder with the sub-folder of that name, or one with the instances themselves
 * @param {string} set `jsp`, `fjsp` or `lab`
 * @returns `{ name, problem, bestKnown, reference }[]`; `bestKnown` is the least known objective or null,
 *   `reference` is `{ greedy, lns }` or null
 */
export function readInstances(dir, set) {
  const nested = join(dir, set);
  const folder = statSync(nested, { throwIfNoEntry: false })?.isDirectory() ? nested : dir;
  const bestKnown =
    jsonAt(join(folder, 'best-known.json')) ?? jsonAt(join(dirname(folder), 'best-known.json'));
  const reference = jsonAt(join(folder, 'reference.json'));
  const extension = set === 'lab' ? '.json' : '.txt';
  const files = readdirSync(folder).filter(
    (file) => extname(file) === extension && !['best-known.json', 'reference.json'].includes(file),
  );
  return files
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((file) => {
      const name = basename(file, extension);
      const known = (bestKnown?.[set] ?? bestKnown)?.[name];
      return {
        name,
        problem: readers[set](readFileSync(join(folder, file), 'utf8'), name),
        bestKnown: (Array.isArray(known) ? known.at(-1) : known) ?? null,
        reference: reference?.instances?.[name] ?? null,
      };
    });
}

function jsonAt(path) {
  return statSync(path, { throwIfNoEntry: false }) === undefined
    ? undefined
    : JSON.parse(readFileSync(path, 'utf8'));
}
