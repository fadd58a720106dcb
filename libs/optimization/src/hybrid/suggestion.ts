import type { Fault } from '@lab/contracts';
import type { Domain } from '../domain/domain.js';
import { isLinear } from '../domain/linear-constraints.js';
import type { Input, Point, Space } from '../domain/space.js';
import type { KnownPoints } from '../domain/validation.js';
import { under } from '../optimizer/fields.js';
import { LONGEST_JOURNAL } from './schema.js';

export interface Wanted {
  domain: Domain;
  count: number;
  /** Points that may not be suggested again. */
  known: Required<KnownPoints>;
}

/** The result of reading an answer: feasible, distinct and new points, or all of its faults. */
export type Reading =
  | { points: Point[]; adjusted: boolean[]; journal: string; faults?: never }
  | { faults: Fault[]; points?: never };

/** Longest accepted answer, in characters. */
const LONGEST_ANSWER = 1_000_000;
/** A value this near to a possible one, in steps, counts as that one. */
const NEAR_A_STEP = 0.01;
/** Relative difference between the sides of a constraint that counts as rounding. */
const NEAR_A_SUM = 1e-3;

/**
 * Reads the answer of a model without trusting it: every row is checked against the domain. Keys may differ in case
 * and separators, values by a hundredth of a step, and sums of linear constraints by a thousandth. Such rows are
 * corrected, and marked as adjusted if a value changed.
 */
export function readSuggestion(text: unknown, { domain, count, known }: Wanted): Reading {
  if (typeof text !== 'string' || text.length > LONGEST_ANSWER) {
    return failed('', 'type', `The answer is not a text of at most ${LONGEST_ANSWER} characters`);
  }
  const answer = parsed(text);
  if (answer === undefined) {
    return failed(
      '',
      'json',
      'The answer is not one JSON object',
      'Give the object alone, without other text',
    );
  }
  const fields = new Map(Object.entries(answer).map(([key, value]) => [plain(key), value]));
  const rows: unknown = fields.get('suggestions');
  if (!Array.isArray(rows)) {
    return failed('suggestions', 'type', '"suggestions" is not a list', `Give a list of ${count} objects`);
  }
  if (rows.length !== count) {
    return failed('suggestions', 'count', `There are ${rows.length} suggestions`, `Give exactly ${count}`);
  }
  const faults: Fault[] = [];
  const points: Point[] = [];
  const adjusted: boolean[] = [];
  rows.forEach((row: unknown, i) => {
    const mended = mendedRow(row, domain, { done: known.done, pending: [...known.pending, ...points] });
    faults.push(...under(`suggestions[${i}]`, mended.faults));
    if (mended.faults.length > 0) return;
    points.push(mended.point as Point);
    adjusted.push(mended.adjusted);
  });
  if (faults.length > 0) return { faults };
  return { points, adjusted, journal: journalOf(fields.get('journal')) };
}

function failed(...parts: Parameters<typeof fault>): Reading {
  return { faults: fault(...parts) };
}

function fault(path: string, code: string, message: string, hint?: string): Fault[] {
  return [{ path, code, message, ...(hint === undefined ? {} : { hint }) }];
}

/** The object that a text is or contains; undefined: none. */
function parsed(text: string): object | undefined {
  const from = text.indexOf('{');
  for (const candidate of [text, text.slice(Math.max(0, from), text.lastIndexOf('}') + 1)]) {
    try {
      const value: unknown = JSON.parse(candidate);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    } catch {
      // The next candidate, or none: what no JSON can be read from is invalid, and said to be.
    }
  }
  return undefined;
}

/** A key without case and separators. */
function plain(key: string): string {
  return key.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

function journalOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  // Control characters could rewrite a terminal that prints the journal.
  return value
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_JOURNAL);
}

function mendedRow(
  row: unknown,
  domain: Domain,
  known: KnownPoints,
): { point: unknown; adjusted: boolean; faults: Fault[] } {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) {
    return { point: row, adjusted: false, faults: domain.validate(row) };
  }
  const { space } = domain;
  const { values, faults } = withKeys(row, space);
  if (faults.length > 0) return { point: values, adjusted: false, faults };
  const snapped: Record<string, unknown> = { ...values };
  for (const input of space.inputs) {
    if (Object.hasOwn(values, input.key)) snapped[input.key] = nearPossible(input, values[input.key]);
  }
  let adjusted = space.inputs.some(({ key }) => snapped[key] !== values[key]);
  let wrong = domain.validate(snapped, known);
  let point: unknown = snapped;
  const sums = space.constraints.flatMap((each, i) => (isLinear(each) ? [`constraints[${i}]`] : []));
  if (wrong.length > 0 && wrong.every(({ path }) => sums.includes(path))) {
    const moved = withSums(snapped as Point, domain);
    if (moved !== null) {
      [point, adjusted] = [moved, true];
      wrong = domain.validate(moved, known);
    }
  }
  return { point, adjusted, faults: wrong };
}

/** The row with the keys of the inputs, matched despite other case and separators where only one input fits. */
function withKeys(row: object, { inputs }: Space): { values: Record<string, unknown>; faults: Fault[] } {
  const exact = new Set(inputs.map(({ key }) => key));
  const byPlain = new Map<string, string | null>();
  for (const { key } of inputs) byPlain.set(plain(key), byPlain.has(plain(key)) ? null : key);
  const nameOf = (key: string) => (exact.has(key) ? key : (byPlain.get(plain(key)) ?? key));
  const entries = Object.entries(row).map(([key, value]) => [nameOf(key), value] as const);
  const faults = entries.flatMap(([key], i): Fault[] =>
    entries.findIndex(([other]) => other === key) === i
      ? []
      : fault(key, 'repeated_key', `"${key}" is given more than once`, 'Give it once'),
  );
  return { values: Object.fromEntries(entries), faults };
}

/** The value, or the possible value that is very near. */
function nearPossible(input: Input, value: unknown): unknown {
  if (typeof value !== 'number' || !Number.isFinite(value) || input.kind === 'categorical') return value;
  if (input.kind === 'discrete') {
    const nearest = nearestOf(input.values, value);
    const gap = Math.min(
      ...input.values.filter((other) => other !== nearest).map((other) => Math.abs(other - nearest)),
    );
    const slack = Number.isFinite(gap) ? gap : Math.abs(nearest);
    return Math.abs(value - nearest) <= NEAR_A_STEP * slack ? nearest : value;
  }
  const [lower, upper] = input.bounds;
  if (input.step === undefined) return value;
  const last = Math.round((upper - lower) / input.step);
  const steps = Math.min(last, Math.max(0, Math.round((value - lower) / input.step)));
  const nearest = steps === last ? upper : Number((lower + steps * input.step).toPrecision(12));
  return Math.abs(value - nearest) <= NEAR_A_STEP * input.step ? nearest : value;
}

function nearestOf(values: readonly number[], value: number): number {
  return values.reduce((best, each) => (Math.abs(each - value) < Math.abs(best - value) ? each : best));
}

/** The nearest feasible point, if only rounding of sums is wrong and only continuous inputs must move. */
function withSums(point: Point, domain: Domain): Point | null {
  const { constraints, inputs } = domain.space;
  for (const constraint of constraints.filter(isLinear)) {
    const terms = constraint.features.map((key, i) => constraint.coefficients[i]! * (point[key] as number));
    const excess = terms.reduce((sum, term) => sum + term, 0) - constraint.rhs;
    const size = Math.max(Math.abs(constraint.rhs), ...terms.map(Math.abs));
    const off = constraint.kind === 'linear_equality' ? Math.abs(excess) : excess;
    if (off > NEAR_A_SUM * size) return null;
  }
  const row = domain.project(domain.encode(point));
  if (row === null) return null;
  const moved = domain.decode(row);
  const fixed = inputs.filter((input) => input.kind !== 'continuous' || input.step !== undefined);
  return fixed.every(({ key }) => moved[key] === point[key]) ? moved : null;
}
