import type { Fault } from '@lab/contracts';
import { magnitude, type Column, type Encoding } from './encoding.js';
import {
  allows,
  columnsOfFeatures,
  described,
  isLinear,
  scaleOf,
  type Linear,
  type NChooseK,
} from './linear-constraints.js';
import { tolerance } from './space-checks.js';
import type { Input, Point, Space } from './space.js';

/** Points that another point may not repeat. */
export interface KnownPoints {
  /** Points with a result, or that failed. */
  done?: readonly Point[];
  /** Points in progress. */
  pending?: readonly Point[];
}

/** Checks points against a declaration: keys, types, bounds, steps, values, categories, constraints, repetitions. */
export class Validator {
  private readonly keys: ReadonlySet<string>;
  private readonly constraints: { index: number; holds: (values: Float64Array) => string | null }[];

  constructor(
    private readonly space: Space,
    private readonly encoding: Encoding,
  ) {
    this.keys = new Set(space.inputs.map(({ key }) => key));
    this.constraints = space.constraints.map((constraint, index) => ({
      index,
      holds: isLinear(constraint) ? linearCheck(constraint, encoding) : countCheck(constraint, encoding),
    }));
  }

  faults(point: unknown, known: KnownPoints): Fault[] {
    if (typeof point !== 'object' || point === null || Array.isArray(point)) {
      return [fault('', 'type', 'A point is an object of values by key', 'Give { "TASK.PARAMETER": value }')];
    }
    const given = point as Record<string, unknown>;
    const faults = this.keyFaults(given);
    this.space.inputs.forEach((input, i) => {
      const column = this.encoding.columns[this.encoding.offsets[i]!]!;
      if (Object.hasOwn(given, input.key)) faults.push(...valueFaults(input, column, given[input.key]));
      else
        faults.push(
          fault(input.key, 'missing_key', `There is no value of "${input.key}"`, `Give ${wanted(input)}`),
        );
    });
    if (faults.length > 0) return faults;
    const valid = given as Point;
    const values = this.constraints.length === 0 ? null : this.values(valid);
    for (const { index, holds } of this.constraints) {
      const broken = holds(values!);
      if (broken === null) continue;
      const hint = `Choose values with ${described(this.space.constraints[index]!)}`;
      faults.push(fault(`constraints[${index}]`, 'constraint', broken, hint));
    }
    for (const name of ['done', 'pending'] as const) {
      const at = known[name]?.findIndex((other) => this.same(valid, other)) ?? -1;
      if (at >= 0) {
        const what = name === 'done' ? 'was tried before' : 'is under way';
        faults.push(fault('', 'duplicate', `The point ${what} (${name}[${at}])`, 'Choose another one'));
      }
    }
    return faults;
  }

  private keyFaults(given: Record<string, unknown>): Fault[] {
    const { keys } = this;
    return Object.keys(given)
      .filter((key) => !keys.has(key))
      .map((key) =>
        fault(key, 'unknown_key', `"${key}" is no input`, `The inputs are ${[...keys].join(', ')}`),
      );
  }

  satisfies(point: Point): boolean {
    const values = this.values(point);
    return this.constraints.every(({ holds }) => holds(values) === null);
  }

  same(a: Point, b: Point): boolean {
    return this.space.inputs.every(({ key, kind }, i) => {
      if (kind === 'categorical') return a[key] === b[key];
      const { range } = this.encoding.columns[this.encoding.offsets[i]!]!;
      return Math.abs((a[key] as number) - (b[key] as number)) <= tolerance * range;
    });
  }

  /** Natural values by encoded column; categorical columns are left at 0. */
  private values(point: Point): Float64Array {
    return Float64Array.from(this.encoding.columns, ({ key, kind }) =>
      kind === 'categorical' ? 0 : (point[key] as number),
    );
  }
}

function fault(path: string, code: string, message: string, hint: string): Fault {
  return { path, code, message, hint };
}

function wanted(input: Input): string {
  switch (input.kind) {
    case 'continuous': {
      const [lower, upper] = input.bounds;
      const steps = input.step === undefined ? '' : ` in steps of ${input.step}`;
      return `a number from ${lower} to ${upper}${steps}`;
    }
    case 'discrete':
      return `one of ${input.values.join(', ')}`;
    case 'categorical':
      return `one of ${input.categories.map((name) => JSON.stringify(name)).join(', ')}`;
  }
}

function valueFaults(input: Input, column: Column, value: unknown): Fault[] {
  const wrong = (code: string, message: string) => [fault(input.key, code, message, `Give ${wanted(input)}`)];
  if (input.kind === 'categorical') {
    return typeof value === 'string' && input.categories.includes(value)
      ? []
      : wrong('category', `${JSON.stringify(value)} is no category of "${input.key}"`);
  }
  if (typeof value !== 'number')
    return wrong('type', `${JSON.stringify(value)} of "${input.key}" is no number`);
  if (!Number.isFinite(value)) return wrong('not_finite', `${value} of "${input.key}" is not finite`);
  const slack = tolerance * column.range;
  if (input.kind === 'discrete') {
    return input.values.some((possible) => Math.abs(possible - value) <= slack)
      ? []
      : wrong('value', `${value} is no value of "${input.key}"`);
  }
  const [lower, upper] = input.bounds;
  if (value < lower - slack || value > upper + slack) {
    return wrong('bounds', `${value} of "${input.key}" lies outside [${lower}, ${upper}]`);
  }
  if (input.step === undefined) return [];
  const steps = (value - lower) / input.step;
  return Math.abs(steps - Math.round(steps)) * input.step <= slack
    ? []
    : wrong('step', `${value} of "${input.key}" is no whole number of steps of ${input.step} above ${lower}`);
}

type Check = (values: Float64Array) => string | null;

function linearCheck(constraint: Linear, encoding: Encoding): Check {
  const columns = columnsOfFeatures(constraint, encoding);
  const { coefficients, rhs, kind } = constraint;
  const slack = tolerance * scaleOf(constraint, encoding);
  return (values) => {
    let sum = 0;
    columns.forEach((j, i) => (sum += coefficients[i]! * values[j]!));
    const excess = kind === 'linear_equality' ? Math.abs(sum - rhs) : sum - rhs;
    return excess <= slack ? null : `${described(constraint)} does not hold: the left side is ${sum}`;
  };
}

function countCheck(constraint: NChooseK, encoding: Encoding): Check {
  const columns = columnsOfFeatures(constraint, encoding);
  return (values) => {
    const count = columns.filter((j) => !isZero(encoding.columns[j]!, values[j]!)).length;
    return allows(constraint, count) ? null : `${described(constraint)} does not hold: ${count} are not zero`;
  };
}

/** Whether a natural value counts as zero for n-choose-k. */
function isZero(column: Column, value: number): boolean {
  return Math.abs(value) <= tolerance * magnitude(column);
}
