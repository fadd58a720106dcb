import { listedCombinations, type Domain } from '../domain/domain.js';
import type { Point } from '../domain/space.js';
import { joined, Rng } from '../numeric/index.js';
import type { AcquisitionFunction } from './acquisition.js';
import { Ascent, type Candidate, type Effort } from './ascent.js';
import { preferred, type Choice, type Preference } from './preference.js';
import { alongInputs, chosenStarts, nearby, scattered } from './starts.js';

export interface MaximiseOptions {
  /** Number of points to choose, 1 or more. */
  count: number;
  /** Points that must not be proposed again: measured, failed, or pending. */
  used: readonly Point[];
  /** Promising feasible rows, best first. Searches also start in the neighbourhoods of the first ones. */
  promising: readonly Float64Array[];
  seed: number | string;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  /** Milliseconds after which the best result so far is used. */
  timeLimitMs: number;
  /** Absent: the rows of the highest value are chosen. */
  preference?: Preference;
  /** Values some rows, by their position, in place of `acquisition`. The preference has no say in them. */
  explorer?: { acquisition: AcquisitionFunction; explores: (position: number) => boolean };
}

export interface Maximum {
  /** Feasible, distinct and unused rows; fewer than requested only when the domain seems to hold no more. */
  rows: Float64Array[];
  /** Of each row: why it was chosen in place of the one of the highest value; null: it is that one. */
  choices: (Choice | null)[];
  /** The time limit ended a search. */
  timedOut: boolean;
}

/** Candidates over the whole domain, and near the promising rows. */
const SCATTERED = 512;
const NEARBY = 60;
/** Number of rows whose neighbourhoods are searched. */
const PROMISING = 6;
/** Candidates that are valued again for the next point of a batch, by rank and at random. */
const BEST_CANDIDATES = 96;
const OTHER_CANDIDATES = 64;
/** Starts by rank, and at random. */
const BEST_STARTS = 5;
const OTHER_STARTS = 5;
/** In a finite domain all rows are valued, and this many of the best again for further points of a batch. */
const LISTED_AGAIN = 4096;
/** Candidates valued between two checks of the time. */
const VALUED_TOGETHER = 64;

/**
 * Chooses points of the highest value one after the other, each with the earlier ones pending (Wilson, Hutter and
 * Deisenroth 2018). The batch is not moved together afterwards: over the same joint samples, that search finds what
 * pleases the samples and not the models. Finite domains of up to 100,000 combinations are listed. With a preference, each
 * point is chosen among those of nearly the highest value. Deterministic unless the time limit ends it.
 *
 * @throws ServiceError `invalid` as `Domain.sample`
 */
export function maximise(
  acquisition: AcquisitionFunction,
  domain: Domain,
  options: MaximiseOptions,
): Maximum {
  const { count, now, timeLimitMs, preference, explorer } = options;
  const rng = Rng.seeded(options.seed);
  const begin = now();
  let timedOut = false;
  /** @param share share of the whole time after which a phase ends */
  const until = (share: number) => () => {
    const over = now() - begin >= share * timeLimitMs;
    timedOut ||= over;
    return over;
  };
  const used = options.used.map((point) => domain.encode(point));
  const search = new Search(domain, rng, options.promising);
  const rows: Float64Array[] = [];
  const choices: (Choice | null)[] = [];
  let usual = acquisition;
  while (rows.length < count) {
    if (rows.length > 0) usual = usual.withPending(rows.at(-1)!, 1);
    const explores = explorer?.explores(rows.length) ?? false;
    const current = explores ? besidePending(explorer!.acquisition, rows) : usual;
    const stop = until((rows.length + 1) / count);
    const found = search.best(current, [...used, ...rows], stop);
    if (found === null) break;
    const { row, choice } =
      preference === undefined || explores || stop()
        ? { row: found.row, choice: null }
        : search.preferred(found, current, [...used, ...rows], preference, stop);
    preference?.choose(row);
    rows.push(row);
    choices.push(choice);
  }
  return { rows, choices, timedOut };
}

const besidePending = (
  acquisition: AcquisitionFunction,
  rows: readonly Float64Array[],
): AcquisitionFunction =>
  rows.length === 0 ? acquisition : acquisition.withPending(joined(rows), rows.length);

/** Chooses one point after the other, from candidates that are drawn once. */
class Search {
  private readonly ascent: Ascent;
  /** All possible rows, or those worth valuing for the next point. */
  private candidates: readonly Float64Array[];
  private readonly complete: boolean;

  constructor(
    private readonly domain: Domain,
    private readonly rng: Rng,
    promising: readonly Float64Array[],
  ) {
    this.ascent = new Ascent(domain, rng.fork('neighbours'));
    const all = domain.combinations <= listedCombinations ? domain.rows() : null;
    this.complete = all !== null;
    this.candidates = all ?? [
      ...nearby(domain, promising.slice(0, PROMISING), NEARBY, rng),
      ...scattered(domain, SCATTERED, rng),
    ];
  }

  /** @returns null: there is no unused point, or none was found */
  best(
    acquisition: AcquisitionFunction,
    used: readonly Float64Array[],
    stop: () => boolean,
  ): Candidate | null {
    const open = this.candidates.filter((row) => !isAmong(row, used));
    const values = new Float64Array(open.length).fill(-Infinity);
    for (let from = 0; from < open.length && !(from > 0 && stop()); from += VALUED_TOGETHER) {
      const some = open.slice(from, from + VALUED_TOGETHER);
      const found = acquisition.values(joined(some), some.length);
      values.set(
        found.map((value) => (Number.isFinite(value) ? value : -Number.MAX_VALUE)),
        from,
      );
    }
    const at = (i: number): Candidate => ({ row: open[i]!, value: values[i]! });
    if (this.complete) {
      const order = chosenStarts(values, LISTED_AGAIN, 0, this.rng);
      if (open.length > LISTED_AGAIN) this.candidates = order.map((i) => open[i]!);
      return order.length === 0 ? null : at(order[0]!);
    }
    // Another pending point lowers values nearly everywhere: a candidate that was far behind is hardly the next one.
    this.candidates = chosenStarts(values, BEST_CANDIDATES, OTHER_CANDIDATES, this.rng).map((i) => open[i]!);
    const effort: Effort = { iterations: 30, rounds: 4, stop };
    const reached: Candidate[] = [];
    for (const i of chosenStarts(values, BEST_STARTS, OTHER_STARTS, this.rng)) {
      reached.push(at(i));
      if (!stop()) reached.push(this.ascent.from(at(i), acquisition, effort));
    }
    reached.sort(byValue);
    const [top] = reached;
    if (top !== undefined && !stop()) {
      reached.unshift(this.ascent.from(top, acquisition, { iterations: 100, rounds: 32, stop }));
    }
    const unused = reached.find(({ row }) => !isAmong(row, used));
    const summit = reached[0];
    if (unused !== undefined && unused !== summit && !stop()) {
      // The best row was used. The best one beside it may be better than the results of other starts.
      const [beside] = this.unusedBeside([summit!], acquisition, used);
      if (beside !== undefined && beside.value > unused.value) return beside;
    }
    return unused ?? this.anyUnused(acquisition, reached, used);
  }

  /** The preferred one of the unused rows that are nearly as good as the best one. */
  preferred(
    best: Candidate,
    acquisition: AcquisitionFunction,
    used: readonly Float64Array[],
    preference: Preference,
    stop: () => boolean,
  ): { row: Float64Array; choice: Choice | null } {
    const valued = (rows: readonly Float64Array[]) => this.valued(rows, acquisition, used);
    const changed = (row: Float64Array) => valued(alongInputs(this.domain, row));
    return preferred(best, valued(this.candidates), changed, preference, stop);
  }

  /** An unused row near the others, or anywhere. */
  private anyUnused(
    acquisition: AcquisitionFunction,
    reached: readonly Candidate[],
    used: readonly Float64Array[],
  ): Candidate | null {
    const { domain, rng } = this;
    const few = reached.slice(0, 3);
    const rows = nearby(
      domain,
      few.map(({ row }) => row),
      NEARBY,
      rng,
    );
    const found = [
      ...this.unusedBeside(few, acquisition, used),
      ...this.valued(rows, acquisition, used),
    ].sort(byValue);
    if (found.length > 0) return found[0]!;
    const avoid = used.map((row) => domain.decode(row));
    const last = domain.sample(1, 'RANDOM', rng, avoid).points.map((point) => domain.encode(point));
    return this.valued(last, acquisition, used)[0] ?? null;
  }

  private unusedBeside(
    reached: readonly Candidate[],
    acquisition: AcquisitionFunction,
    used: readonly Float64Array[],
  ): Candidate[] {
    const rows = reached.flatMap(({ row }) => this.domain.neighbours(row));
    return this.valued(rows, acquisition, used).sort(byValue);
  }

  private valued(
    rows: readonly Float64Array[],
    acquisition: AcquisitionFunction,
    used: readonly Float64Array[],
  ): Candidate[] {
    const open = rows.filter((row) => !isAmong(row, used));
    if (open.length === 0) return [];
    const values = acquisition.values(joined(open), open.length);
    return open.map((row, i) => ({ row, value: values[i]! }));
  }
}

/** Says whether a row is one of the others: encoded numbers differ by at most 1e-9 of the range. */
function isAmong(row: Float64Array, others: readonly Float64Array[]): boolean {
  for (const other of others) {
    let j = 0;
    while (j < row.length && Math.abs(row[j]! - other[j]!) <= 1e-9) j++;
    if (j === row.length) return true;
  }
  return false;
}

function byValue(a: Candidate, b: Candidate): number {
  return b.value - a.value;
}
