import type { SimulatedUnitRecord } from '@lab/contracts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const symbols = { hold: '-', out: 'x', idle: '.', task: '#' };
/** Greatest number of runs in the legend. It gives only the number of the others. */
const maxLegend = 24;
const indent = 4;

/** What a chart shows: a simulation record, or a schedule in the same form. Times are seconds from a common start. */
export interface Drawn {
  units: readonly DrawnUnit[];
  protocol_runs: readonly { name: string }[];
  /** The time at which the chart ends. */
  end: number;
}

type DrawnUnit = Pick<SimulatedUnitRecord, 'kind' | 'name' | 'timeline'>;

/**
 * Draws the use of devices and resources over time for a terminal: one line for each used unit, grouped by laboratory.
 * A column shows the use that took most of its time.
 *
 * @param width columns of the terminal
 */
export function ganttText(record: Drawn, width = 100): string[] {
  const used = record.units.filter(({ timeline }) => timeline.length > 0);
  if (used.length === 0 || record.end === 0) return ['nothing ran'];
  const names = namesOf(record);
  const label = Math.max(...used.map((unit) => shortName(unit).length)) + indent + 1;
  const columns = Math.max(10, width - label);
  const from = Math.min(...used.map(({ timeline }) => timeline[0]?.start ?? 0));
  const step = (record.end - from) / columns;
  const lines: string[] = [];
  let group = '';
  for (const unit of used) {
    if (groupOf(unit) !== group) {
      group = groupOf(unit);
      lines.push(group);
    }
    const cells = Array.from({ length: columns }, (_, column) =>
      cellOf(unit, from + column * step, from + (column + 1) * step, names),
    );
    lines.push(`${' '.repeat(indent)}${shortName(unit)}`.padEnd(label) + cells.join('').trimEnd());
  }
  const [start, end] = [`${round(from)} s`, `${round(record.end)} s`];
  lines.push(' '.repeat(label) + start + end.padStart(Math.max(1, columns - start.length)));
  return [...lines, '', ...legend(names)];
}

/** Runs by order of appearance, each with the letter that stands for it. */
function namesOf(record: Drawn): Map<string, string> {
  return new Map(
    record.protocol_runs.map(({ name }, index) => [name, letters[index % letters.length] ?? symbols.task]),
  );
}

function legend(names: ReadonlyMap<string, string>): string[] {
  const shown = [...names].slice(0, maxLegend).map(([name, letter]) => `${letter} ${name}`);
  const more = names.size - shown.length;
  return [
    ...shown.map((each) => `  ${each}`),
    ...(more > 0 ? [`  and ${more} more, the letters in the same order again and again`] : []),
    `  ${symbols.task} on-demand task   ${symbols.hold} kept by a run   ${symbols.out} out of order   ${symbols.idle} free`,
  ];
}

function cellOf(
  { timeline }: DrawnUnit,
  from: number,
  to: number,
  names: ReadonlyMap<string, string>,
): string {
  let best = symbols.idle;
  let longest = 0;
  let covered = 0;
  for (const { what, by, start, end } of timeline) {
    if (start >= to) break;
    const share = Math.min(end, to) - Math.max(start, from);
    if (share <= 0) continue;
    covered += share;
    if (share <= longest) continue;
    longest = share;
    const run = by?.split('/')[0] ?? '';
    best = what === 'use' ? (names.get(run) ?? symbols.task) : symbols[what];
  }
  return to - from - covered > longest ? symbols.idle : best;
}

function groupOf({ kind, name }: DrawnUnit): string {
  return kind === 'resource' ? 'resources' : name.slice(0, name.indexOf('.'));
}

function shortName({ kind, name }: DrawnUnit): string {
  return kind === 'resource' ? name : name.slice(name.indexOf('.') + 1);
}

function round(seconds: number): string {
  return seconds >= 100 ? seconds.toFixed(0) : seconds.toFixed(1);
}
