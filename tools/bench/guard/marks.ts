import { rounded } from '../../shared/measure.js';
import { figureNames, figures, type Figure } from './figures.js';
import { median, robustDeviation, type Measured } from './statistics.js';

/** Marks of ratios, and what follows from them. */

export interface Mark {
  ratio: number;
  /** How far a run may lie from the mark, as a share of it. */
  noise: number;
  date: string;
  machine: string;
  /** Why the mark has this value. */
  why: string;
}

export type Marks = Partial<Record<Figure, Mark>>;

export type Verdict = 'worse' | 'as marked' | 'better' | 'no mark';

/**
 * No mark is less noisy than this, however close its few runs were: other machines have other ratios of processor, disk and
 * memory. A cost that grows by more than a quarter is found on all of them.
 */
const leastNoise = 0.25;

/**
 * Compares a ratio with its mark. It is worse when it lies above the mark by more than the noise between runs, and the whole
 * confidence interval of this run lies above the mark. It is better when the same holds below.
 */
export function verdictOf({ ratio, low, high }: Measured, mark: Mark | undefined): Verdict {
  if (mark === undefined) return 'no mark';
  if (ratio > mark.ratio * (1 + mark.noise) && low > mark.ratio) return 'worse';
  return ratio < mark.ratio * (1 - mark.noise) && high < mark.ratio ? 'better' : 'as marked';
}

/**
 * The mark of a figure from whole runs: the median of their ratios. Its noise is three robust standard deviations of the
 * runs, and at least the largest distance of a run from the median.
 */
export function markOf(ratios: readonly number[]): Pick<Mark, 'ratio' | 'noise'> {
  const ratio = median(ratios);
  const farthest = Math.max(...ratios.map((each) => Math.abs(each - ratio)));
  const noise = Math.max(leastNoise, Math.max(3 * robustDeviation(ratios), farthest) / ratio);
  return { ratio: rounded(ratio), noise: Math.ceil(rounded(noise * 100, 6)) / 100 };
}

export type Run = Partial<Record<Figure, Measured>>;

/** The figures that are worse than their marks. */
export const worseOf = (run: Run, marks: Marks): Figure[] =>
  namesOf(run).filter((name) => verdictOf(run[name] as Measured, marks[name]) === 'worse');

const namesOf = (run: Run): Figure[] => figureNames.filter((name) => run[name] !== undefined);

/** One line for each figure. */
export function tableOf(run: Run, marks: Marks): string[] {
  const head = ['what', 'ours', 'floor', 'ratio', '95 % interval', 'mark', 'verdict'];
  const rows = namesOf(run).map((name) => {
    const each = run[name] as Measured;
    const mark = marks[name];
    const { what, floor, unit } = figures[name];
    return [
      what,
      `${significant(each.ours)} ${unit}`,
      `${significant(each.floor)} ${unit} (${floor})`,
      each.ratio.toFixed(2),
      `${each.low.toFixed(2)} to ${each.high.toFixed(2)}`,
      mark === undefined ? '' : `${mark.ratio.toFixed(2)} + ${Math.round(mark.noise * 100)} %`,
      verdictOf(each, mark),
    ];
  });
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** A sentence for each figure that is worse, and one for all that are better. */
export function conclusionsOf(run: Run, marks: Marks): string[] {
  const withVerdict = (verdict: Verdict): Figure[] =>
    namesOf(run).filter((name) => verdictOf(run[name] as Measured, marks[name]) === verdict);
  const worse = withVerdict('worse').map((name) => {
    const { ratio } = run[name] as Measured;
    const mark = marks[name] as Mark;
    return (
      `${name} became slower: ${figures[name].what} costs ${ratio.toFixed(2)} times its floor (${figures[name].floor}). ` +
      `Its mark is ${mark.ratio.toFixed(2)}, so this is ${Math.round((ratio / mark.ratio - 1) * 100)} % more. The noise is ${Math.round(mark.noise * 100)} %.`
    );
  });
  const better = withVerdict('better');
  const unmarked = withVerdict('no mark');
  return [
    ...worse,
    ...(better.length === 0
      ? []
      : [
          `Better than their marks: ${better.join(', ')}. Lower these marks: --only ${better.join(',')} --set-marks "why".`,
        ]),
    ...(unmarked.length === 0
      ? []
      : [`Without a mark: ${unmarked.join(', ')}. Set one with --set-marks "why".`]),
  ];
}

const significant = (value: number): string => String(Number(value.toPrecision(3)));
