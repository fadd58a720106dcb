import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Entry, Key } from './store.js';

/**
 * Finished campaigns of peers in a file of the repository. They do not depend on the code of ours, so a comparison need not play
 * them again.
 */

/** A line of the file: the campaigns of one peer on one problem. */
interface Line {
  problem: string;
  method: string;
  budget: string;
  version: string;
  /** Why the peer cannot play the problem; the other fields are then absent. */
  cannot?: string;
  /** The day of the last campaign. */
  date?: string;
  /** The computers on which the campaigns were played. */
  machines?: string[];
  /** Milliseconds of processor time of a proposed point. */
  ms?: number;
  /** The figure that is compared, by seed. `none`: no run keeps the thresholds; null: not played. */
  qualities?: (number | 'none' | null)[];
  /**
   * By seed: the runs, from 0, after which the best quality so far changed, each with the new one, and last the last run. A
   * quality of null: no run keeps the thresholds yet.
   */
  traces?: ([run: number, quality: number | null][] | null)[];
}

/** What a kept campaign must match. */
export interface Present {
  /** Digest of a problem; undefined: there is no such problem. */
  budgetOf(problem: string): string | undefined;
  versionOf(method: string): string | undefined;
}

/** Campaigns of a file that cannot be used. */
export interface Stale {
  method: string;
  campaigns: number;
  why: 'of another version' | 'of problems that have changed';
}

export interface Summary {
  version: string;
  campaigns: number;
  problems: number;
  /** The least and the most campaigns of a problem. */
  seeds: number[];
  /** Problems that the peer cannot play. */
  cannot: number;
}

/** Digits of a quality: more than a plot or a table shows, and fewer ties than matter to a test by ranks. */
const digits = { quality: 6, trace: 3, ms: 3 };

/** The campaigns of the file that are those of present problems and versions. */
export class Kept {
  private readonly entries = new Map<string, Entry>();
  readonly stale: Stale[] = [];

  /** @param path a file; missing: nothing is kept */
  constructor(
    private readonly path: string,
    private readonly present: Present,
  ) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    for (const line of text.split('\n').filter((each) => each !== '')) this.read(JSON.parse(line) as Line);
  }

  /** Undefined when the campaign is not kept. Campaigns of ours never are. */
  find(key: Key): Entry | undefined {
    return this.entries.get(nameOf(key)) ?? this.entries.get(nameOf({ ...key, seed: -1 }));
  }

  /**
   * Adds campaigns of peers, unless they are of other problems, budgets or versions, and writes the file. What is no longer of
   * a present problem and version goes.
   *
   * @param isPlotted whether the plots need the trace of a problem
   */
  write(more: readonly Entry[], isPlotted: (problem: string) => boolean): void {
    for (const entry of more)
      if (entry.method !== 'ours' && entry.method !== 'random' && this.isPresent(entry)) this.add(entry);
    const groups = new Map<string, Entry[]>();
    for (const entry of this.entries.values()) {
      const name = `${entry.problem} ${entry.method}`;
      groups.set(name, [...(groups.get(name) ?? []), entry]);
    }
    const lines = [...groups.keys()]
      .toSorted()
      .map((name) => JSON.stringify(lineOf(groups.get(name) ?? [], isPlotted)));
    writeFileSync(`${this.path}.new`, lines.map((line) => `${line}\n`).join(''));
    renameSync(`${this.path}.new`, this.path);
  }

  /** Of each peer: what is kept, and of which version. */
  summary(): Record<string, Summary> {
    const methods = [...new Set([...this.entries.values()].map(({ method }) => method))].toSorted();
    return Object.fromEntries(
      methods.map((name) => {
        const own = [...this.entries.values()].filter(({ method }) => method === name);
        const played = own.filter(({ cannot }) => cannot === undefined);
        const seeds = Object.values(countsOf(played.map(({ problem }) => problem)));
        return [
          name,
          {
            ...{ version: own[0]?.version ?? '', campaigns: played.length, problems: seeds.length },
            seeds: [Math.min(...seeds), Math.max(...seeds)],
            cannot: own.length - played.length,
          },
        ];
      }),
    );
  }

  private isPresent({ problem, method, budget, version }: Omit<Key, 'seed'>): boolean {
    return this.present.budgetOf(problem) === budget && this.present.versionOf(method) === version;
  }

  private add(entry: Entry): void {
    this.entries.set(nameOf(entry.cannot === undefined ? entry : { ...entry, seed: -1 }), entry);
  }

  private read(line: Line): void {
    const { problem, method, budget, version, cannot, qualities = [], traces = [], ms = NaN } = line;
    const campaigns = qualities.filter((each) => each !== null).length;
    if (!this.isPresent(line)) {
      const isOlder = this.present.versionOf(method) !== version;
      const why = isOlder ? 'of another version' : 'of problems that have changed';
      const known = this.stale.find((each) => each.method === method && each.why === why);
      if (known === undefined) this.stale.push({ method, campaigns, why });
      else known.campaigns += campaigns;
      return;
    }
    const key = { problem, method, budget, version };
    if (cannot !== undefined) this.add({ ...key, seed: 0, cannot });
    qualities.forEach((quality, seed) => {
      if (quality === null) return;
      const changes = traces[seed];
      this.add({
        ...{ ...key, seed, quality: quality === 'none' ? null : quality },
        ...(changes && { trace: traceOf(changes) }),
        ...{ cpu_s: ms / 1000, proposals: 1, date: line.date ?? '', machines: line.machines ?? [] },
      });
    });
  }
}

const nameOf = ({ problem, method, seed, budget, version }: Key): string =>
  JSON.stringify([problem, method, seed, budget, version]);

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

const short = (value: number, count: number): number => Number(value.toPrecision(count));

/** @param entries of one problem and one method, at least one */
function lineOf(entries: readonly Entry[], isPlotted: (problem: string) => boolean): Line {
  const [first] = entries;
  if (first === undefined) throw new Error('a line needs a campaign');
  const { problem, method, budget, version } = first;
  const cannot = entries.find((entry) => entry.cannot !== undefined)?.cannot;
  if (cannot !== undefined) return { problem, method, budget, version, cannot };
  const bySeed = Array.from({ length: 1 + Math.max(...entries.map(({ seed }) => seed)) }, (_, seed) =>
    entries.find((entry) => entry.seed === seed),
  );
  const ms = entries.map(({ cpu_s = NaN, proposals = NaN }) => (1000 * cpu_s) / proposals);
  return {
    ...{ problem, method, budget, version },
    date:
      entries
        .map(({ date = '' }) => date)
        .toSorted()
        .at(-1) ?? '',
    machines: [...new Set(entries.flatMap(({ machines = [] }) => machines))].toSorted(),
    ms: short(ms.reduce((sum, value) => sum + value, 0) / ms.length, digits.ms),
    qualities: bySeed.map((entry) =>
      entry?.quality === undefined
        ? null
        : entry.quality === null
          ? 'none'
          : short(entry.quality, digits.quality),
    ),
    ...(isPlotted(problem) && {
      traces: bySeed.map((entry) => (entry?.trace ? changesOf(entry.trace) : null)),
    }),
  };
}

function changesOf(trace: readonly (number | null)[]): [number, number | null][] {
  const rounded = trace.map((value) => (value === null ? null : short(value, digits.trace)));
  return rounded.flatMap((value, run): [number, number | null][] =>
    run === 0 || run === rounded.length - 1 || value !== rounded[run - 1] ? [[run, value]] : [],
  );
}

const traceOf = (changes: readonly (readonly [number, number | null])[]): (number | null)[] =>
  changes.flatMap(([run, value], i) =>
    Array.from({ length: (changes[i + 1]?.[0] ?? run + 1) - run }, () => value),
  );
