import type { CategoricalInput, Input, Point, Space } from './space.js';

/** A column of encoded points, with its meaning and scale. */
export interface Column {
  /** Position of its input in `Space.inputs`; the columns of one categorical input stand together. */
  readonly input: number;
  readonly key: string;
  /** `stepped`: a continuous input with a step. */
  readonly kind: 'continuous' | 'stepped' | 'discrete' | 'categorical';
  /** In the unit of the input: the value at 0, and the difference between the values at 1 and 0. Categorical: 0 and 1. */
  readonly lower: number;
  readonly range: number;
  /** Possible encoded values, rising, if there are at most {@link listedLevels}; null: not listed. */
  readonly levels: Float64Array | null;
  /** Number of possible values; Infinity for `continuous`. */
  readonly count: number;
  /** Encoded value of 0, if 0 is possible. */
  readonly zero: number | null;
  /** The category of a categorical column. */
  readonly category?: string;
  /** Its descriptors that differ between categories, each scaled to [0, 1]; absent: there are none. */
  readonly descriptors?: readonly number[];
}

/** Steps of an input are listed up to this number, and computed beyond. */
const listedLevels = 4096;

/**
 * Converts between points and rows of numbers: continuous, stepped and discrete inputs scaled to [0, 1] by their
 * bounds or extreme values, categorical inputs one-hot.
 */
export class Encoding {
  readonly columns: readonly Column[];
  /** First column of each input. */
  readonly offsets: readonly number[];

  constructor(private readonly inputs: Space['inputs']) {
    const columns: Column[] = [];
    this.offsets = inputs.map((input, i) => columns.push(...columnsOf(input, i)) - widthOf(input));
    this.columns = columns;
  }

  get d(): number {
    return this.columns.length;
  }

  width(input: number): number {
    return widthOf(this.inputs[input]!);
  }

  /** @param point valid values of all inputs, as checked by `validate` */
  encode(point: Point): Float64Array {
    const row = new Float64Array(this.d);
    this.inputs.forEach((input, i) => {
      const offset = this.offsets[i]!;
      const value = point[input.key];
      if (input.kind === 'categorical') row[offset + input.categories.indexOf(value as string)] = 1;
      else row[offset] = scaled(this.columns[offset]!, value as number);
    });
    return row;
  }

  /** The values nearest to a row, each input by itself. Constraints are ignored. */
  decode(row: Float64Array): Point {
    return Object.fromEntries(
      this.inputs.map((input, i) => {
        const offset = this.offsets[i]!;
        if (input.kind === 'categorical') return [input.key, input.categories[this.chosen(row, i)]!];
        return [input.key, valueAt(this.columns[offset]!, input, row[offset]!)];
      }),
    );
  }

  /** Position of the category of a categorical input to which a row is nearest. */
  chosen(row: Float64Array, input: number): number {
    const offset = this.offsets[input]!;
    const width = this.width(input);
    let best = 0;
    for (let k = 1; k < width; k += 1) if (row[offset + k]! > row[offset + best]!) best = k;
    return best;
  }

  /** Sets every column but the continuous ones to the nearest possible value, and those within [0, 1], in place. */
  round(row: Float64Array): Float64Array {
    this.inputs.forEach((input, i) => {
      const offset = this.offsets[i]!;
      if (input.kind === 'categorical') {
        const chosen = this.chosen(row, i);
        for (let k = 0; k < input.categories.length; k += 1) row[offset + k] = k === chosen ? 1 : 0;
      } else row[offset] = nearestLevel(this.columns[offset]!, row[offset]!);
    });
    return row;
  }
}

/** The possible encoded value of a column that is nearest to `u`. */
export function nearestLevel(column: Column, u: number): number {
  const within = Math.min(1, Math.max(0, u));
  if (column.kind === 'continuous') return within;
  if (column.kind === 'stepped') return Math.round(within * (column.count - 1)) / (column.count - 1);
  return column.levels![levelIndex(column, within)]!;
}

/** Position of the possible value of a column that is not continuous and nearest to `u`. */
export function levelIndex(column: Column, u: number): number {
  if (column.kind === 'stepped') return Math.round(Math.min(1, Math.max(0, u)) * (column.count - 1));
  const levels = column.levels!;
  let best = 0;
  for (let k = 1; k < levels.length; k += 1) {
    if (Math.abs(levels[k]! - u) < Math.abs(levels[best]! - u)) best = k;
  }
  return best;
}

/** Encoded value of level `index` of a column that is not continuous. */
export function levelAt(column: Column, index: number): number {
  return column.kind === 'stepped' ? index / (column.count - 1) : column.levels![index]!;
}

function widthOf(input: Input): number {
  return input.kind === 'categorical' ? input.categories.length : 1;
}

function columnsOf(input: Input, position: number): Column[] {
  const base = { input: position, key: input.key };
  switch (input.kind) {
    case 'categorical': {
      const described = scaledDescriptors(input);
      return input.categories.map((category, k) => ({
        ...base,
        kind: 'categorical',
        lower: 0,
        range: 1,
        levels: Float64Array.of(0, 1),
        count: 2,
        zero: null,
        category,
        ...(described === null ? {} : { descriptors: described[k]! }),
      }));
    }
    case 'discrete': {
      const values = Float64Array.from(input.values).sort();
      const lower = values[0]!;
      const range = values.at(-1)! - lower || 1;
      const levels = values.map((value) => (value - lower) / range);
      const zero = values.includes(0) ? (0 - lower) / range : null;
      return [{ ...base, kind: 'discrete', lower, range, levels, count: values.length, zero }];
    }
    case 'continuous': {
      const [lower, upper] = input.bounds;
      const range = upper - lower;
      const zero = lower <= 0 && upper >= 0 ? (0 - lower) / range : null;
      if (input.step === undefined) {
        return [{ ...base, kind: 'continuous', lower, range, levels: null, count: Infinity, zero }];
      }
      const steps = Math.round(range / input.step);
      const levels =
        steps < listedLevels ? Float64Array.from({ length: steps + 1 }, (_, k) => k / steps) : null;
      const onGrid = zero !== null && Math.abs(zero * steps - Math.round(zero * steps)) < 1e-9 * steps;
      return [
        {
          ...base,
          kind: 'stepped',
          lower,
          range,
          levels,
          count: steps + 1,
          zero: onGrid ? Math.round(zero * steps) / steps : null,
        },
      ];
    }
  }
}

/** Per category the descriptors that differ between categories, each scaled to [0, 1]; null: there are none. */
function scaledDescriptors({ categories, descriptors }: CategoricalInput): number[][] | null {
  if (descriptors === undefined) return null;
  const rows = categories.map((name) => descriptors[name]!);
  const ranges = rows[0]!.map((_, j) => {
    const values = rows.map((row) => row[j]!);
    return { j, least: Math.min(...values), most: Math.max(...values) };
  });
  const varied = ranges.filter(({ least, most }) => most > least);
  if (varied.length === 0) return null;
  // Halves, so that the difference of two huge numbers is finite.
  return rows.map((row) =>
    varied.map(({ j, least, most }) => (row[j]! / 2 - least / 2) / (most / 2 - least / 2)),
  );
}

function scaled(column: Column, value: number): number {
  const u = (value - column.lower) / column.range;
  return column.kind === 'continuous' ? Math.min(1, Math.max(0, u)) : nearestLevel(column, u);
}

function valueAt(column: Column, input: Exclude<Input, { kind: 'categorical' }>, u: number): number {
  const level = nearestLevel(column, u);
  if (column.zero !== null && Math.abs(level - column.zero) * column.range < 1e-12 * magnitude(column))
    return 0;
  if (input.kind === 'discrete') {
    return nearestValue(input.values, column.lower + level * column.range);
  }
  const [lower, upper] = input.bounds;
  if (level === 1) return upper;
  const exact = column.lower + level * column.range;
  // Avoids values such as 0.30000000000000004 for the third step of 0.1. No rounding may exceed a bound.
  const value = column.kind === 'stepped' ? Number(exact.toPrecision(12)) : exact;
  return Math.min(upper, Math.max(lower, value));
}

function nearestValue(values: readonly number[], wanted: number): number {
  return values.reduce((best, value) => (Math.abs(value - wanted) < Math.abs(best - wanted) ? value : best));
}

/** The largest size that a value of a column has, in its unit. */
export function magnitude({ lower, range }: Column): number {
  return Math.max(Math.abs(lower), Math.abs(lower + range));
}
