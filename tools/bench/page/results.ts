import { readFileSync } from 'node:fs';
import { inTools } from '../../shared/paths.js';
import { comparisonText, type Comparison } from './comparison.js';

/** The checked-in results of the benchmarks, in tools/bench/results.json. */

export interface Results {
  /** Machines by a short name, each described by what `machine()` returns, and more after a semicolon. */
  machines: Record<string, string>;
  groups: Group[];
  /** The optimizer beside others; undefined: never entered. */
  comparison?: Comparison;
}

export interface Group {
  /** The command after `npm run`, or a title. */
  name: string;
  /** What the rows have in common, and what their floor is. */
  about: string;
  /** The tool below tools/bench and its arguments. Without it people enter the results. */
  run?: [tool: string, ...args: string[]];
  rows: Row[];
}

/** One line of the page. */
export interface Row {
  what: string;
  unit?: string;
  ours?: number;
  floor?: number;
  /** Ours over the floor; by default computed from both. */
  ratio?: number;
  /** Least and greatest value in several runs, of the figure that the mark limits, by default of ours. */
  range?: [least: number, greatest: number];
  /** What is to be reached. */
  mark?: Goal;
  date: string;
  /** A key of the machines. */
  machine: string;
  /** Other work on the machine. */
  load: string;
  /** The fields of the JSON that the tool prints. A dot leads into an object. */
  fields?: Partial<Record<Figure, string>>;
}

type Figure = 'ours' | 'floor' | 'ratio';

/** A limit of one figure of the row, by default of ours. */
export interface Goal {
  of?: Figure;
  most?: number;
  least?: number;
}

export const resultsFile = inTools('bench/results.json');

export const readResults = (): Results => JSON.parse(readFileSync(resultsFile, 'utf8')) as Results;

/** The text of the file, with one line for each row. */
export function resultsText({ machines, groups, comparison }: Results): string {
  const list = (lines: readonly string[], indent: string): string =>
    `[\n${lines.map((line) => `${indent}  ${line}`).join(',\n')}\n${indent}]`;
  const group = ({ rows, ...head }: Group): string =>
    `${JSON.stringify(head).slice(0, -1)},"rows":${list(
      rows.map((row) => JSON.stringify(row)),
      '    ',
    )}}`;
  const beside = comparison === undefined ? '' : `,\n  "comparison": ${comparisonText(comparison)}`;
  return `{\n  "machines": ${JSON.stringify(machines)},\n  "groups": ${list(groups.map(group), '  ')}${beside}\n}\n`;
}

/** The short name of a machine. A machine that is new gets the next letter. */
export function machineName({ machines }: Results, description: string): string {
  const known = Object.entries(machines).find(([, text]) => text.split(';')[0] === description);
  if (known !== undefined) return known[0];
  const name = String.fromCharCode('A'.charCodeAt(0) + Object.keys(machines).length);
  machines[name] = description;
  return name;
}

export const ratioOf = ({ ratio, ours, floor }: Row): number | undefined =>
  ratio ?? (ours === undefined || floor === undefined || floor === 0 ? undefined : ours / floor);

/** Whether the figure keeps within its limit; undefined: the row has no mark, or nothing was measured. */
export function isReached(row: Row): boolean | undefined {
  if (row.mark === undefined) return undefined;
  const { most = Infinity, least = -Infinity } = row.mark;
  const value = judged(row);
  return value === undefined ? undefined : value >= least && value <= most;
}

/** The figure that the mark of the row limits. */
const judged = (row: Row): number | undefined =>
  row.mark?.of === 'ratio' ? ratioOf(row) : row[row.mark?.of ?? 'ours'];

/**
 * A row with the figures of new runs: those of one run, so that they belong together, the median of the runs.
 *
 * @param printed for each run the JSON that the tool printed last
 * @param on the date, machine and load of the runs
 * @returns the row itself when no run has any of its figures
 */
export function renewed(
  row: Row,
  printed: readonly unknown[],
  on: Pick<Row, 'date' | 'machine' | 'load'>,
): Row {
  const { what, unit, mark, fields } = row;
  const runs = printed
    .map((each) => figuresOf(fields, each))
    .filter((figures) => Object.keys(figures).length > 0)
    .map((figures) => ({
      what,
      ...(unit === undefined ? {} : { unit }),
      ...figures,
      ...(mark === undefined ? {} : { mark }),
      ...on,
      ...(fields === undefined ? {} : { fields }),
    }))
    .sort((a, b) => (judged(a) ?? 0) - (judged(b) ?? 0));
  const values = runs.map(judged).filter((value) => value !== undefined);
  const [least = NaN, greatest = NaN] = [values[0], values.at(-1)];
  const median = runs[Math.floor((runs.length - 1) / 2)] ?? row;
  return values.length < 2 ? median : { ...median, range: [least, greatest] };
}

function figuresOf(fields: Row['fields'], printed: unknown): Partial<Record<Figure, number>> {
  const found = Object.entries(fields ?? {}).flatMap(([figure, path]) => {
    const value = valueAt(printed, path);
    return value === undefined ? [] : [[figure, value] as const];
  });
  return Object.fromEntries(found);
}

function valueAt(printed: unknown, path: string): number | undefined {
  const value = path
    .split('.')
    .reduce<unknown>((each, key) => (each as Record<string, unknown> | undefined)?.[key], printed);
  return typeof value === 'number' ? value : undefined;
}
