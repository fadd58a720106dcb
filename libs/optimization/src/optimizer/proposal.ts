import type { AcquisitionChoice } from '../acquisition/acquisition.js';
import { acquisitionFunction, likelyOnFront } from '../acquisition/create.js';
import { maximise } from '../acquisition/maximise.js';
import type { Choice, Preference } from '../acquisition/preference.js';
import type { Domain } from '../domain/domain.js';
import type { Output } from '../domain/space.js';
import { joined, Rng } from '../numeric/index.js';
import { fitWithDescriptors } from '../surrogates/categories.js';
import { fitMlpEnsemble } from '../surrogates/mlp.js';
import { untriedStarts, withCategoriesDue } from './categories-due.js';
import { acquisitionOf, explorerOf, isExplorersTurn } from './choice.js';
import { successOf } from './failures.js';
import type { Fit, Models } from './models.js';
import type { PlacedRun } from './runs.js';
import type { Settings, SurrogateKind } from './settings.js';
import { bestRow, ranked } from './solutions.js';

export function fitOf(kind: SurrogateKind): Fit {
  return kind === 'gp' ? fitWithDescriptors : fitMlpEnsemble;
}

/** Least chance to be on the front of the true values, of a run that is recommended, and the samples that estimate it. */
const LIKELY = 0.2;
const SAMPLES = 256;

export interface ProposalProblem {
  domain: Domain;
  outputs: readonly Output[];
  models: Models;
  /** All runs, in canonical order. */
  runs: readonly PlacedRun[];
  /** Those with a result of every output, likewise. */
  complete: readonly PlacedRun[];
  /** Rows that are already in the sample. */
  chosen: readonly Float64Array[];
  count: number;
  settings: Settings;
  now: () => number;
  /** Null: the acquisition value alone decides. */
  preference: Preference | null;
}

/**
 * The rows with the highest acquisition value, given runs in progress.
 *
 * @returns encoded rows, distinct and unused; fewer: the domain has no more
 */
export function proposeByModel(problem: ProposalProblem): {
  found: Float64Array[];
  choices: (Choice | null)[];
  timedOut: boolean;
} {
  const { domain, outputs, models, runs, complete, chosen, count, settings, now, preference } = problem;
  const end = now() + settings.proposal_time_limit * 1000;
  const pending = [...runs.filter(({ status }) => status === 'pending').map(({ row }) => row), ...chosen];
  const rng = Rng.seeded(settings.seed).fork(`proposal ${runs.length + chosen.length}`);
  const results = complete.map((run) => run.measured!);
  const without = runs.filter((run) => run.status !== 'pending' && !complete.includes(run));
  const begun = [...runs.map(({ row }) => row), ...chosen];
  const best = ranked(outputs, results).map((i) => complete[i]!.row);
  const known = {
    ...knowledge(outputs, models, settings),
    pending: joined(pending, domain.d),
    pendingCount: pending.length,
    seed: rng.word(),
  };
  const likely = successOf(domain.columns, complete, without, {
    seed: Rng.seeded(settings.seed).fork('success').word(),
    timeLimitMs: Math.max(0, end - now()) / 4,
    now,
  });
  const top = bestRow(outputs, complete);
  const valued = (choice: AcquisitionChoice) =>
    withCategoriesDue(likely(acquisitionFunction(choice, known)), domain, begun, top);
  const explores = (position: number): boolean => isExplorersTurn(begun.length + position);
  const isTurn = Array.from({ length: count }, (_, position) => position).some(explores);
  const explorer = isTurn ? explorerOf(settings, outputs, domain) : null;
  const { rows, choices, timedOut } = maximise(
    valued(acquisitionOf(settings, outputs, models).choice),
    domain,
    {
      count,
      used: [...runs.map(({ point }) => point), ...chosen.map((row) => domain.decode(row))],
      promising: [...untriedStarts(domain, begun, best[0]!), ...best],
      seed: rng.word(),
      now,
      timeLimitMs: Math.max(0, end - now()),
      ...(preference === null ? {} : { preference }),
      ...(explorer === null ? {} : { explorer: { acquisition: valued(explorer), explores } }),
    },
  );
  return { found: rows, choices, timedOut };
}

/**
 * The runs that may well be on the Pareto front. The front of the means of the models leaves out runs that one unlucky
 * measurement has put a little behind another run.
 *
 * @param outputs with several objectives
 * @returns positions of runs with a result of every output
 */
export function runsLikelyOnFront(outputs: readonly Output[], models: Models, settings: Settings): number[] {
  const problem = {
    ...knowledge(outputs, models, settings),
    pending: new Float64Array(0),
    pendingCount: 0,
    seed: Rng.seeded(settings.seed).fork('likely').word(),
    samples: SAMPLES,
  };
  return likelyOnFront(problem, LIKELY);
}

/** What is known of the completed runs. */
const knowledge = (outputs: readonly Output[], models: Models, { reference_point }: Settings) => ({
  outputs,
  models: models.outputs,
  rows: models.rows,
  n: models.n,
  values: models.observed,
  reference: reference_point,
});
