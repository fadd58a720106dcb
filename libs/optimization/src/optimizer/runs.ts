import { ServiceError } from '@lab/contracts/vocabulary';
import type { Measurement, Output, Point } from '../domain/space.js';

export interface Run {
  /** Name of the protocol run; null: the caller gave none, and the run is identified by its point. */
  name: string | null;
  point: Point;
  status: 'pending' | 'measured' | 'failed';
  /** Null unless the run is measured; without the outputs that are unknown. */
  measured: Measurement | null;
}

export interface PlacedRun extends Run {
  /** Encoded point. */
  readonly row: Float64Array;
}

/** Largest difference of encoded values of one point, which comes from rounding. */
const samePlace = 1e-9;

/** Every run that was proposed, begun or reported. The canonical order does not depend on the order of the reports. */
export class Runs {
  private readonly runs: PlacedRun[] = [];

  constructor(
    private readonly encode: (point: Point) => Float64Array,
    private readonly inputNames: readonly string[],
  ) {}

  /** In canonical order. */
  all(): PlacedRun[] {
    return this.ordered(this.runs);
  }

  /** Copies, in the order of their first mention. */
  inOrder(): PlacedRun[] {
    return this.runs.map((run) => ({ ...run }));
  }

  get size(): number {
    return this.runs.length;
  }

  has(name: string): boolean {
    return this.named(name) !== undefined;
  }

  /** In canonical order. */
  having(status: Run['status']): PlacedRun[] {
    return this.ordered(this.runs.filter((run) => run.status === status));
  }

  points(): Point[] {
    return this.all().map(({ point }) => point);
  }

  /**
   * Records the begin of a run. A repetition for a named run with the same point changes nothing.
   *
   * @throws ServiceError `wrong_state` when the name belongs to a run of another point, or one that has ended
   */
  begin(point: Point, name: string | null): void {
    const row = this.encode(point);
    const known = name === null ? undefined : this.named(name);
    if (known === undefined) {
      this.runs.push({ name, point, row, status: 'pending', measured: null });
    } else if (known.status !== 'pending' || !near(known.row, row)) {
      throw new ServiceError(
        'wrong_state',
        `Run "${name}" ${known.status === 'pending' ? 'has begun with another point' : `is ${known.status}`}`,
      );
    }
  }

  /**
   * Records a result. A repetition for a named run with the same results changes nothing, and one with further outputs
   * adds these; a result after a failure counts.
   *
   * @throws ServiceError `wrong_state` when the run was measured with other results
   */
  measure(point: Point, measured: Measurement, name: string | null): void {
    const row = this.encode(point);
    const run = this.openRun(row, name, ['pending', 'failed']);
    if (run === undefined) {
      this.runs.push({ name, point, row, status: 'measured', measured });
    } else if (run.status === 'measured') {
      if (!near(run.row, row) || !agree(run.measured!, measured)) {
        throw new ServiceError('wrong_state', `Run "${name}" was reported with other values before`);
      }
      run.measured = { ...run.measured, ...measured };
    } else Object.assign(run, { name: name ?? run.name, point, row, status: 'measured', measured });
  }

  /** Records a run without a result. @throws ServiceError `wrong_state` when it was measured before */
  fail(point: Point, name: string | null): void {
    const row = this.encode(point);
    const run = this.openRun(row, name, ['pending']);
    if (run === undefined) this.runs.push({ name, point, row, status: 'failed', measured: null });
    else if (run.status === 'measured') {
      throw new ServiceError('wrong_state', `Run "${name}" was reported with results before`);
    } else Object.assign(run, { name: name ?? run.name, point, row, status: 'failed' });
  }

  /** Does the work, or nothing when it throws. */
  atomically(work: () => void): void {
    const before = this.runs.map((run) => ({ ...run }));
    try {
      work();
    } catch (error) {
      this.runs.splice(0, this.runs.length, ...before);
      throw error;
    }
  }

  /** Plain JSON, in canonical order. */
  state(): Run[] {
    return this.all().map(({ name, point, status, measured }) => ({ name, point, status, measured }));
  }

  /** Restores a {@link state}. */
  restore(runs: readonly Run[]): void {
    const placed = runs.map((run) => ({ ...run, row: this.encode(run.point) }));
    this.runs.splice(0, this.runs.length, ...placed);
  }

  private named(name: string): PlacedRun | undefined {
    return this.runs.find((run) => run.name === name);
  }

  /** The run of that name; else the first in canonical order with the point, no other name and such a state. */
  private openRun(
    row: Float64Array,
    name: string | null,
    states: readonly Run['status'][],
  ): PlacedRun | undefined {
    const known = name === null ? undefined : this.named(name);
    if (known !== undefined) return known;
    for (const status of states) {
      const [found] = this.ordered(
        this.runs.filter(
          (run) => run.status === status && (name === null || run.name === null) && near(run.row, row),
        ),
      );
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private ordered(runs: readonly PlacedRun[]): PlacedRun[] {
    return runs
      .map((run) => ({ run, key: this.keyOf(run) }))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      .map(({ run }) => run);
  }

  private keyOf({ point, name, status, measured }: Run): string {
    const values = this.inputNames.map((key) => point[key]);
    const outputs = Object.keys(measured ?? {}).sort();
    return JSON.stringify([values, status, outputs.map((key) => measured![key]), name, outputs]);
  }
}

function near(a: Float64Array, b: Float64Array): boolean {
  return a.every((value, i) => Math.abs(value - (b[i] ?? Infinity)) <= samePlace);
}

/** No output has two values. */
function agree(a: Measurement, b: Measurement): boolean {
  return Object.keys(b).every((key) => a[key] === undefined || a[key] === b[key]);
}

/** The measured runs with a result of every output, in the same order. */
export function completeOf(runs: readonly PlacedRun[], outputs: readonly Output[]): PlacedRun[] {
  return runs.filter(
    ({ measured }) => measured !== null && outputs.every(({ key }) => measured[key] !== undefined),
  );
}
