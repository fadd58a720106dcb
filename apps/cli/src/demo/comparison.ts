import type { ProtocolRunRecord } from '@lab/api-client';
import { heading, swatch } from '../watch/style.js';
import type { CampaignWithRuns } from '../watch/work.js';

interface Mixture {
  run: string;
  color: [number, number, number] | null;
  /** CIEDE2000 distance to the target; null: the run has measured nothing. */
  loss: number | null;
}

/** Two campaigns with the same target side by side: the best distance after each number of runs, and the best runs. */
export function comparison(first: CampaignWithRuns, second: CampaignWithRuns): string[] {
  const both = [first, second].map(bestSoFar);
  const target = targetOf(second);
  const length = Math.max(...both.map((list) => list.length));
  return [
    heading(columns('after', first.name, second.name)),
    ...Array.from({ length }, (_, index) =>
      columns(
        index === 0 ? '1 run' : `${index + 1} runs`,
        ...both.map((list) => (list[index] ?? list.at(-1))?.toFixed(2) ?? '?'),
      ),
    ),
    '',
    ...(target === null ? [] : [`target:        ${swatch(target)}${rgbText(target)}`]),
    ...[first, second].map((campaign) => `${campaign.name.padEnd(14)} ${bestOf(campaign)}`),
  ];
}

/** For each run the smallest distance so far; null until the first measurement. */
function bestSoFar({ protocol_runs: runs }: CampaignWithRuns): (number | null)[] {
  let best: number | null = null;
  return runs.map((run) => {
    const { loss } = mixtureOf(run);
    best = loss === null || (best !== null && best <= loss) ? best : loss;
    return best;
  });
}

/** Sorts the best run first, and runs without a measurement last. */
function mixturesOf({ protocol_runs: runs }: CampaignWithRuns): Mixture[] {
  return runs.map(mixtureOf).sort((a, b) => (a.loss ?? Infinity) - (b.loss ?? Infinity));
}

function bestOf(campaign: CampaignWithRuns): string {
  const best = mixturesOf(campaign)[0];
  return best?.loss == null || best.color === null
    ? 'no run measured a color'
    : `best:   ${swatch(best.color)}${rgbText(best.color)} by ${best.run}, distance ${best.loss.toFixed(2)} (CIEDE2000)`;
}

function mixtureOf(run: ProtocolRunRecord): Mixture {
  const task = (name: string) => run.tasks.find((each) => each.name === name);
  const measured = task('analyze_color')?.output_parameters ?? null;
  return {
    run: run.name,
    color: measured === null ? null : colorOf(measured, ''),
    loss: numberOf(task('score_color')?.output_parameters?.['loss']),
  };
}

function columns(first: string, ...rest: string[]): string {
  return first.padEnd(14) + rest.map((cell) => cell.padStart(11)).join('');
}

function targetOf(campaign: CampaignWithRuns): [number, number, number] | null {
  const score = campaign.global_parameters['score_color'];
  return score === undefined ? null : colorOf(score, 'target_');
}

function colorOf(values: Record<string, unknown>, prefix: string): [number, number, number] | null {
  const [red, green, blue] = ['red', 'green', 'blue'].map((name) => numberOf(values[`${prefix}${name}`]));
  return red == null || green == null || blue == null ? null : [red, green, blue];
}

function rgbText(color: readonly number[]): string {
  return `rgb ${color.map((value) => value.toFixed(0)).join(' ')}`;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
