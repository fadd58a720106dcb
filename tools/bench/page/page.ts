import { format, resolveConfig } from 'prettier';
import { join } from 'node:path';
import { root } from '../../shared/paths.js';
import { comparisonSection } from './comparison.js';
import { isReached, ratioOf, type Group, type Results, type Row } from './results.js';

export const pageFile = join(root, 'docs', 'benchmarks.md');

/** The page of the results, docs/benchmarks.md. */
export async function pageOf({ machines, groups, comparison }: Results): Promise<string> {
  const missed = groups.flatMap(({ rows }) => rows).filter((row) => isReached(row) === false).length;
  const text = [
    '# Benchmarks\n',
    'What the service costs, beside a floor that is measured in the same run: the least that the same work can cost. Each row has',
    'the figures of its last run, or those of the median of several runs with the least and the greatest value in brackets.',
    '**Missed** marks stay in the table. `npm run bench:page` generates this page from `tools/bench/results.json`; with',
    '`--run rpc,dispatch` or `--run all` it runs the benchmarks first, and with `--times 3` each of them three times. The',
    '[history](benchmarks-history.md) has earlier figures, other loads and explanations.\n',
    `${missed} marks are missed. "Load 12" is a load average from other work; "alone" means that nothing else ran.\n`,
    '| machine | |',
    '| --- | --- |',
    ...Object.entries(machines).map(([name, text]) => `| ${name} | ${text} |`),
    '',
    ...groups.flatMap(sectionOf),
    ...(comparison === undefined ? [] : comparisonSection(comparison)),
  ].join('\n');
  return format(text, { ...(await resolveConfig(pageFile)), filepath: pageFile });
}

function sectionOf({ name, about, rows }: Group): string[] {
  const isCommand = /^\S+:\S+$/.test(name);
  return [
    `## ${isCommand ? `\`npm run ${name}\`` : name}\n`,
    `${about}\n`,
    '| what | ours | floor | ratio | mark | date | machine |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${cellsOf(row).join(' | ')} |`),
    '',
  ];
}

function cellsOf(row: Row): string[] {
  const { what, unit, ours, floor, date, machine, load, range, mark } = row;
  const ratio = ratioOf(row);
  const ranges = {
    [mark?.of ?? 'ours']: range === undefined ? '' : ` (${range.map((value) => amount(value)).join(' to ')})`,
  };
  return [
    what,
    amount(ours, unit) + (ranges['ours'] ?? ''),
    amount(floor, unit) + (ranges['floor'] ?? ''),
    (ratio === undefined ? '' : ratio.toFixed(2)) + (ranges['ratio'] ?? ''),
    markText(row),
    date,
    `${machine}, ${load}`,
  ];
}

function markText(row: Row): string {
  const { mark, unit } = row;
  if (mark === undefined) return '';
  const { of = 'ours', most, least } = mark;
  const limit = [
    most === undefined ? '' : `at most ${amount(most, of === 'ratio' ? '' : unit)}`,
    least === undefined ? '' : `at least ${amount(least, of === 'ratio' ? '' : unit)}`,
  ];
  const text = [of === 'ours' ? '' : of, ...limit].filter(Boolean).join(' ');
  return isReached(row) === false ? `${text}, **missed**` : text;
}

/** Fractions with four digits, and a comma between thousands. */
function amount(value: number | undefined, unit = ''): string {
  if (value === undefined) return '';
  const digits = Number.isInteger(value) ? {} : { maximumSignificantDigits: 4 };
  const text = value.toLocaleString('en-US', digits);
  return unit === '' ? text : `${text} ${unit}`;
}
