import { readFileSync } from 'node:fs';
import { inTools } from '../../shared/paths.js';

/** The checked-in results of the benchmarks, in tools/bench/results.json. */

export interface Results {
  /** Machines by a short name, each described by what `machine()` returns, and more after a semicolon. */
  machines: Record<string, string>;
  groups: Group[];
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
export function resultsText({ machines, groups }: Results): string {
  const list = (lines: readonly string[], indent: string): string =>
    `[\n${lines.map((line) => `${indent}  ${line}`).join(',\n')}\n${indent}]`;
  const group = ({ rows, ...head }: Group): string =>
    `${JSON.stringify(head).slice(0, -1)},"rows":${list(
      rows.map((row) => JSON.stringify(row)),
      '    ',
    )}}`;
  return `{\n  "machines": ${JSON.stringify(machines)},\n  "groups": ${list(groups.map(group), '  ')}\n}\n`;
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
  const { of = 'ours', most = Infinity, least = -Infinity } = row.mark;
  const value = of === 'ratio' ? ratioOf(row) : row[of];
  return value === undefined ? undefined : value >= least && value <= most;
}

/**
 * A row with the figures of a new run.
 *
 * @param printed the JSON that the tool printed last
 * @param on the date, machine and load of the run
 * @returns the row itself when the run has none of its figures
 */
export function renewed(row: Row, printed: unknown, on: Pick<Row, 'date' | 'machine' | 'load'>): Row {
  const found = Object.entries(row.fields ?? {}).flatMap(([figure, path]) => {
    const value = valueAt(printed, path);
    return value === undefined ? [] : [[figure, value] as const];
  });
  if (found.length === 0) return row;
  const { what, unit, mark, fields } = row;
  return {
    what,
    ...(unit === undefined ? {} : { unit }),
    ...(Object.fromEntries(found) as Partial<Record<Figure, number>>),
    ...(mark === undefined ? {} : { mark }),
    ...on,
    ...(fields === undefined ? {} : { fields }),
  };
}

function valueAt(printed: unknown, path: string): number | undefined {
  const value = path
    .split('.')
    .reduce<unknown>((each, key) => (each as Record<string, unknown> | undefined)?.[key], printed);
  return typeof value === 'number' ? value : undefined;
}
