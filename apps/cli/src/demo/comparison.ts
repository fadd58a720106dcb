import type { CampaignRecord, JsonObject, ProtocolRunRecord } from '@lab/contracts';
import { heading, paintState, swatch } from './style.js';

interface Mixture {
  run: string;
  state: ProtocolRunRecord['state'];
  volumes: JsonObject;
  color: [number, number, number] | null;
  /** CIEDE2000 distance to the target; null when the run did not get that far. */
  loss: number | null;
}

const ingredients = ['cyan', 'magenta', 'yellow', 'black', 'white'] as const;

/** What a campaign of `color_mixing` found, best first, as lines for a terminal. */
export function resultTable(campaign: CampaignRecord): string[] {
  const mixtures = campaign.protocol_runs
    .map(mixtureOf)
    .sort((a, b) => (a.loss ?? Infinity) - (b.loss ?? Infinity));
  const best = mixtures[0];
  const target = targetOf(campaign);
  return [
    heading(columns('run', ...ingredients.map((name) => `${name} ml`), 'red', 'green', 'blue', 'distance')),
    ...mixtures.map(row),
    '',
    ...(target === null ? [] : [`target: ${swatch(target)}${rgbText(target)}`]),
    best?.loss == null || best.color === null
      ? 'no run measured a color'
      : `best:   ${swatch(best.color)}${rgbText(best.color)} by ${best.run}, distance ${best.loss.toFixed(2)} (CIEDE2000)`,
  ];
}

function mixtureOf(run: ProtocolRunRecord): Mixture {
  const task = (name: string) => run.tasks.find((each) => each.name === name);
  const measured = task('analyze_color')?.output_parameters ?? null;
  return {
    run: run.name,
    state: run.state,
    volumes: task('mix_colors')?.input_parameters ?? {},
    color: measured === null ? null : colorOf(measured, ''),
    loss: numberOf(task('score_color')?.output_parameters?.['loss']),
  };
}

function row({ run, state, volumes, color, loss }: Mixture): string {
  const cells = [
    ...ingredients.map((name) => numberOf(volumes[`${name}_volume`])?.toFixed(2) ?? '?'),
    ...(color?.map((value) => value.toFixed(0)) ?? ['?', '?', '?']),
    loss?.toFixed(2) ?? '?',
  ];
  const mark = loss === null ? paintState(state) : color === null ? '' : swatch(color);
  return `${columns(run, ...cells)}  ${mark}`;
}

function columns(first: string, ...rest: string[]): string {
  return first.padEnd(14) + rest.map((cell) => cell.padStart(11)).join('');
}

function targetOf(campaign: CampaignRecord): [number, number, number] | null {
  const score = campaign.global_parameters['score_color'];
  return score === undefined ? null : colorOf(score, 'target_');
}

function colorOf(values: JsonObject, prefix: string): [number, number, number] | null {
  const [red, green, blue] = ['red', 'green', 'blue'].map((name) => numberOf(values[`${prefix}${name}`]));
  return red == null || green == null || blue == null ? null : [red, green, blue];
}

function rgbText(color: readonly number[]): string {
  return `rgb ${color.map((value) => value.toFixed(0)).join(' ')}`;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
