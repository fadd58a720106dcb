import type { Domain } from '../domain/domain.js';
import type { Column } from '../domain/encoding.js';
import type { Measurement, Output, Point } from '../domain/space.js';
import type { Shape } from '../numeric/index.js';
import type { Choices } from '../surrogates/surrogate.js';
import { categoriesDue, untriedOf, type CategoriesDue, type Untried } from './categories-due.js';
import { acquisitionOf, explorerOf, EXPLORES_EVERY } from './choice.js';
import { isBlind } from './design.js';
import { expectedGain, type ExpectedGain } from './gain.js';
import { inUnits, predict, type Models, type Prediction } from './models.js';
import { completeOf, type PlacedRun } from './runs.js';
import type { Settings } from './settings.js';
import { bestRow, keepsThresholds } from './solutions.js';

/** The knowledge of the models, as plain JSON for a page to plot. All numbers are finite. */
export interface Explanation {
  /** One per output; empty while there are too few results for a model. */
  outputs: ExplainedOutput[];
  /** How models choose the next points, with the reasons, as sentences; empty as `outputs`. */
  proposals: string[];
  /** Measured runs. */
  observed: { inputs: Point; measured: Measurement; expected: Record<string, Prediction> }[];
  /** What the runs in progress may improve; null: see {@link expectedGain}, or there are too few results for a model. */
  expected_gain: ExpectedGain | null;
  /** Runs in progress. */
  proposed: { inputs: Point; expected: Record<string, Prediction> }[];
  /** Points of runs that failed. */
  failed: Point[];
  /** Categories without any run, of inputs without descriptors. */
  untried: Untried[];
}

export interface ExplainedOutput {
  key: string;
  /**
   * Relevance of each input by its key: shares of the inverse lengthscales over the ranges of the inputs, and of the slope of
   * a trend, with the sum 1. Null: the model has none.
   */
  sensitivities: Record<string, number> | null;
  /** The decisions of the fit, each with its reason, as sentences. */
  choices: string[];
  /** Results that the model does not take at face value, by their position in `observed`. */
  outliers: {
    run: number;
    measured: number;
    /** The value for the model; null: the model ignores the result. */
    seen_as: number | null;
  }[];
  /** Standard deviation of one measurement around the true value, in the unit of the output, at its middle. */
  noise: number;
  /** Share of the variance of unseen results that the model predicts; below 0: worse than their mean. */
  r2: number;
  /** Each result, in the order of `observed`, and its prediction from all others. */
  left_out: (Prediction & { measured: number })[];
  /** The time limit ended the fit. */
  timed_out: boolean;
}

/** @param models fitted to `observed`; null: there are none */
export function explained(
  settings: Settings,
  outputs: readonly Output[],
  domain: Domain,
  models: Models | null,
  observed: readonly PlacedRun[],
  proposed: readonly PlacedRun[],
  failed: readonly PlacedRun[],
): Explanation {
  const expectedOfObserved = expectations(outputs, models, observed);
  const expectedOfProposed = expectations(outputs, models, proposed);
  const { columns } = domain;
  const rows = [...observed, ...proposed, ...failed].map(({ row }) => row);
  const untried = untriedOf(columns, rows);
  return {
    outputs:
      models === null
        ? []
        : outputs.map((output, k) => explainedOutput(output, k, columns, models, observed)),
    proposals: models === null ? [] : proposalsOf(settings, outputs, domain, models, observed, rows),
    expected_gain:
      models === null ? null : expectedGain(outputs, models, completeOf(observed, outputs), proposed),
    observed: observed.map((run, i) => ({
      inputs: run.point,
      measured: run.measured!,
      expected: expectedOfObserved[i]!,
    })),
    proposed: proposed.map((run, i) => ({ inputs: run.point, expected: expectedOfProposed[i]! })),
    failed: failed.map((run) => run.point),
    untried,
  };
}

function explainedOutput(
  { key }: Output,
  k: number,
  columns: readonly Column[],
  models: Models,
  observed: readonly PlacedRun[],
): ExplainedOutput {
  const model = models.outputs[k]!;
  const results = observed.flatMap(({ measured }, run) => {
    const value = measured![key];
    return value === undefined ? [] : [{ run, measured: value }];
  });
  const { mean, deviation, r2 } = model.leaveOneOut();
  return {
    key,
    sensitivities: model.relevance === null ? null : sharesOf(model.relevance, columns),
    choices: model.choices === undefined ? [] : sentencesOf(model.choices),
    outliers: outliersOf(results, models.seen[k]!, model.choices?.doubted ?? []),
    noise: inUnits(model.output, 0, model.noise).deviation,
    r2: Number.isFinite(r2) ? r2 : 0,
    left_out: Array.from(mean, (value, i) => ({
      mean: value,
      deviation: deviation[i]!,
      measured: results[i]!.measured,
    })),
    timed_out: model.timedOut,
  };
}

/** @param rows of all runs */
function proposalsOf(
  settings: Settings,
  outputs: readonly Output[],
  domain: Domain,
  models: Models,
  observed: readonly PlacedRun[],
  rows: readonly Float64Array[],
): string[] {
  if (outputs.every(({ objective }) => objective === null)) return [];
  const complete = completeOf(observed, outputs);
  if (isBlind(outputs, complete))
    return ['Points are spread over the domain, because the results tell no point from another.'];
  const { choice, reason } = acquisitionOf(settings, outputs, models);
  const searches = choice.kind !== 'qUCB' && !complete.some((run) => keepsThresholds(outputs, run.measured!));
  const acquisition = searches
    ? 'Acquisition function: the probability to keep every threshold. No run keeps all of them.'
    : `Acquisition function: ${choice.kind}. ${reason}`;
  const categories = categorySentences(domain, rows, categoriesDue(domain, rows, bestRow(outputs, complete)));
  const explorer = explorerOf(settings, outputs, domain);
  const turns =
    explorer === null
      ? []
      : [
          `Exploration: one run in ${EXPLORES_EVERY} is chosen by ${explorer.kind}. A good category with many combinations may otherwise ` +
            'keep all runs.',
        ];
  return [acquisition, ...categories, ...turns];
}

function categorySentences(
  { columns }: Domain,
  rows: readonly Float64Array[],
  due: CategoriesDue | null,
): string[] {
  const sentences: string[] = [];
  const untried = untriedOf(columns, rows).length;
  if (untried > 0) {
    const few = untried === 1 ? 'One category has' : `${untried} categories have`;
    sentences.push(
      `Categories: ${few} no run. With more than two runs for each tried one, the next proposal tries another, because ` +
        'the results of others say nothing about it.',
    );
  }
  if (due?.reason === 'crowded') {
    const inputs = [...new Set(due.columns.map((j) => columns[j]!.key))];
    sentences.push(
      `Categories: the best run shares its category of ${inputs.join(' and of ')} with more than half of all runs. The next ` +
        'proposal has another one, because other categories may be better in combinations without a run.',
    );
  }
  return sentences;
}

const kernelNames: Record<Shape, string> = {
  matern52: 'Matern 5/2',
  squared_exponential: 'Squared exponential',
};

const trendSentences = {
  parabolas:
    'a parabola of each number. It predicts left-out results about as well as a model without a trend.',
  curves: 'a curve of each number. Their sum predicts left-out results clearly better than parabolas.',
};

function sentencesOf({ kernel, kernelReason, warping, trend }: Choices): string[] {
  return [
    `Kernel: ${kernelNames[kernel]}. ${kernelReason}`,
    warping === 'identity'
      ? 'Values: as measured. No curved scale predicts left-out results much better.'
      : `Values: on a curved scale (${warping}). It predicts left-out results much better.`,
    ...(trend === undefined ? [] : [`Trend: ${trendSentences[trend]}`]),
  ];
}

/** @param results of the output, as `seen` and `doubted` count them */
function outliersOf(
  results: readonly { run: number; measured: number }[],
  seen: Float64Array,
  doubted: readonly number[],
): ExplainedOutput['outliers'] {
  return results.flatMap(({ run, measured }, i) => {
    const ignored = doubted.includes(i);
    if (!ignored && seen[i] === measured) return [];
    return [{ run, measured, seen_as: ignored ? null : seen[i]! }];
  });
}

/** Relevances by input: the largest of its columns. */
function sharesOf(relevance: Float64Array, columns: readonly Column[]): Record<string, number> {
  const byInput: Record<string, number> = {};
  columns.forEach(({ key }, j) => (byInput[key] = Math.max(byInput[key] ?? 0, relevance[j]!)));
  const total = Object.values(byInput).reduce((sum, value) => sum + value, 0);
  return Object.fromEntries(
    Object.entries(byInput).map(([key, value]) => [key, total > 0 ? value / total : 0]),
  );
}

function expectations(
  outputs: readonly Output[],
  models: Models | null,
  runs: readonly PlacedRun[],
): Record<string, Prediction>[] {
  const expected: Record<string, Prediction>[] = runs.map(() => ({}));
  models?.outputs.forEach((model, k) => {
    const rows = runs.map((run) => run.row);
    predict(model, rows).forEach((prediction, i) => (expected[i]![outputs[k]!.key] = prediction));
  });
  return expected;
}
