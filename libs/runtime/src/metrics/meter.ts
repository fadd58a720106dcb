import type { MetricFamily } from '@lab/contracts';

/** Never changed after it was passed: whoever passes the same object again is served faster. */
export type MetricLabels = Readonly<Record<string, string>>;

/** A current value. It has no labels when there is only one. */
export interface Reading {
  labels?: MetricLabels;
  value: number;
}

/** Most combinations of labels of one metric. Further ones are counted under `other` in each label. */
const mostSeries = 1_000;

/** Counters, gauges and histograms of a process. Names, labels and units are those of Prometheus: seconds and bytes. */
export class Meter {
  readonly #families: (() => MetricFamily)[] = [];

  /** A value that only rises. The returned function adds to it. */
  counter(name: string, help: string): (labels?: MetricLabels, by?: number) => void {
    const series = new Series<{ value: number }>(() => ({ value: 0 }));
    this.#families.push(() => ({
      name,
      help,
      type: 'counter',
      samples: series.all().map(([labels, { value }]) => ({ labels, value })),
    }));
    return (labels = {}, by = 1) => {
      series.of(labels).value += by;
    };
  }

  /** Counts values below each of the rising bounds. The returned function observes one value. */
  histogram(
    name: string,
    help: string,
    bounds: readonly number[],
  ): (value: number, labels?: MetricLabels) => void {
    const series = new Series(() => ({ sum: 0, counts: Array.from({ length: bounds.length + 1 }, () => 0) }));
    this.#families.push(() => ({
      name,
      help,
      type: 'histogram',
      bounds: [...bounds],
      samples: series.all().map(([labels, { sum, counts }]) => ({ labels, value: sum, counts: [...counts] })),
    }));
    return (value, labels = {}) => {
      const found = series.of(labels);
      const above = bounds.findIndex((bound) => value <= bound);
      const bucket = above === -1 ? bounds.length : above;
      found.sum += value;
      found.counts[bucket] = (found.counts[bucket] ?? 0) + 1;
    };
  }

  /** A value that is read on request. Without readings it is not reported. */
  gauge(
    name: string,
    help: string,
    read: () => readonly Reading[],
    type: 'gauge' | 'counter' = 'gauge',
  ): void {
    this.#families.push(() => ({
      name,
      help,
      type,
      samples: read().map(({ labels = {}, value }) => ({ labels: { ...labels }, value })),
    }));
  }

  /** All current values. */
  read(): MetricFamily[] {
    return this.#families.map((family) => family());
  }
}

/** The values of one metric by their labels. */
class Series<Value> {
  readonly #values = new Map<string, [Record<string, string>, Value]>();
  /** By the very object that a caller passed. */
  readonly #found = new WeakMap<MetricLabels, Value>();

  constructor(private readonly make: () => Value) {}

  of(labels: MetricLabels): Value {
    const found = this.#found.get(labels);
    if (found !== undefined) return found;
    const value = this.#search(labels);
    this.#found.set(labels, value);
    return value;
  }

  #search(labels: MetricLabels): Value {
    const key = keyOf(labels);
    const known = this.#values.get(key);
    if (known !== undefined) return known[1];
    if (this.#values.size >= mostSeries) {
      const others = Object.fromEntries(Object.keys(labels).map((name) => [name, 'other']));
      if (keyOf(others) !== key) return this.#search(others);
    }
    const made = this.make();
    this.#values.set(key, [{ ...labels }, made]);
    return made;
  }

  all(): [Record<string, string>, Value][] {
    return [...this.#values.values()];
  }
}

function keyOf(labels: MetricLabels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
