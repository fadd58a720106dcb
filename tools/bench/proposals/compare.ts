// Compares campaigns that choose proposals by the schedule with campaigns that do not, by the regret that they reach in the
// same time of the laboratory.
//
//   npm run bench:proposals -- [--lab incubator_lab,slow_growth,color_lab] [--seeds 20] [--concurrent 2] [--loss 0.5] [--scheduler greedy]
//
// The engine, the scheduling policy and the optimizer are the real ones; instruments and time are simulated. The campaigns of
// a seed differ in nothing but `batch`. Figures are means over the seeds of the logarithm of the ratio, with 95 % intervals.
import { fraction, oneOf, readFlags, someOf, whole } from '../../shared/flags.js';
import { printMachine, printResult, rounded } from '../../shared/measure.js';
import { serve, spread } from '../../shared/pool.js';
import { benchLabs } from './labs.js';
import { playBoth, type Figures, type Pair } from './simulated-campaign.js';

interface Answer extends Pair {
  figures: Record<'plain' | 'schedule_aware', Figures>;
}

const significant = (value: number): number => Number(value.toPrecision(3));

if (!serve(async (pair: Pair) => ({ ...pair, figures: await playBoth(pair) }))) await main();

async function main(): Promise<void> {
  const flags = readFlags({
    lab: someOf(benchLabs.map(({ name }) => name)),
    seeds: whole(20, { least: 2, most: 200 }),
    concurrent: whole(2, { least: 1, most: 8 }),
    loss: fraction(0.5, { most: 0.95 }),
    scheduler: oneOf('greedy', ['greedy', 'cpsat'] as const),
  });
  const pairs = flags.lab.flatMap((lab) =>
    Array.from({ length: flags.seeds }, (_, seed): Pair => ({
      ...{ lab, seed: seed + 1, concurrent: flags.concurrent, loss: flags.loss },
      scheduler: flags.scheduler,
    })),
  );
  printMachine();
  const answers: Answer[] = [];
  await spread(import.meta.url, pairs, (answer: Answer) => void answers.push(answer), 2);
  for (const lab of flags.lab)
    printLab(
      lab,
      answers.filter((answer) => answer.lab === lab),
    );
  printResult({ ...flags, labs: flags.lab.length });
}

function printLab(lab: string, answers: readonly Answer[]): void {
  const ratio = (figure: 'regret' | 'meanRegret' | 'runs') =>
    intervalOf(answers.map(({ figures: { plain, schedule_aware: aware } }) => aware[figure] / plain[figure]));
  const median = (of: 'plain' | 'schedule_aware', figure: keyof Figures): number =>
    answers.map(({ figures }) => figures[of][figure]).toSorted((a, b) => a - b)[answers.length >> 1]!;
  console.log(
    JSON.stringify({
      lab,
      seeds: answers.length,
      runs: { plain: median('plain', 'runs'), schedule_aware: median('schedule_aware', 'runs') },
      chosen_by_schedule: median('schedule_aware', 'chosen'),
      final_regret: {
        plain: significant(median('plain', 'regret')),
        schedule_aware: significant(median('schedule_aware', 'regret')),
      },
      runs_ratio: ratio('runs'),
      final_regret_ratio: ratio('regret'),
      mean_regret_ratio: ratio('meanRegret'),
      better: answers.filter(
        ({ figures: { plain, schedule_aware: aware } }) => aware.meanRegret < plain.meanRegret,
      ).length,
    }),
  );
}

/** The geometric mean of ratios and its 95 % interval, by the normal approximation. */
function intervalOf(ratios: readonly number[]): { ratio: number; from: number; to: number } {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  const margin = 1.96 * Math.sqrt(variance / logs.length);
  return {
    ratio: rounded(Math.exp(mean), 3),
    from: rounded(Math.exp(mean - margin), 3),
    to: rounded(Math.exp(mean + margin), 3),
  };
}
