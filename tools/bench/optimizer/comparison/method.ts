import {
  BayesianSequentialOptimizer,
  type BayesianArguments,
  type Measurement,
  type Point,
  type Space,
} from '@lab/optimization';
import { clock, cpuMs } from '../campaign.js';
import { keeps, signOf, type ComparedProblem } from './problem.js';

/** A method that plays one campaign. It knows the measurements and never the true values. */
export interface Method {
  report(points: readonly Point[], results: readonly Measurement[]): Promise<void>;
  /** Proposes points. They are in progress until they are reported. */
  propose(count: number): Promise<Point[]>;
  /** The reported points that the method would recommend, by what its model expects. */
  recommended(): Promise<Point[]>;
  /** Seconds of processor time of all proposals so far, with the fits. */
  cpuSeconds(): number;
}

/** A method cannot play a problem, for example because it knows no thresholds of outputs. */
export class Cannot extends Error {}

export const spaceOf = ({ problem, constraints = [] }: ComparedProblem): Space => ({
  inputs: problem.inputs,
  outputs: problem.outputs,
  constraints,
});

const argumentsOf = (compared: ComparedProblem, seed: number): BayesianArguments => ({
  ...spaceOf(compared),
  ...(compared.problem.reference_point && { reference_point: compared.problem.reference_point }),
  num_initial_samples: compared.initial,
  seed,
});

/** The first points of a campaign, which every method gets. */
export const startsOf = (compared: ComparedProblem, seed: number): Point[] =>
  new BayesianSequentialOptimizer(argumentsOf(compared, seed)).sample(compared.initial);

/** The optimizer of the service with its defaults. */
export function ours(compared: ComparedProblem, seed: number): Method {
  return inProcess(new BayesianSequentialOptimizer(argumentsOf(compared, seed), clock), (optimizer) => {
    // The same rule as for all others. With several objectives, the service recommends more runs.
    const { observed } = optimizer.explain();
    const expected = observed.map(({ expected }) =>
      Object.fromEntries(Object.entries(expected).map(([key, { mean }]) => [key, mean])),
    );
    return bestOf(compared, expected).map((i) => observed[i]!.inputs);
  });
}

/** Points at random: what a campaign reaches without any method. */
export function random(compared: ComparedProblem, seed: number): Method {
  const args: BayesianArguments = {
    ...argumentsOf(compared, seed),
    num_initial_samples: 2 * compared.evals,
    initial_sampling_method: 'RANDOM',
    // The seed of the initial design would draw its points again.
    seed: `random ${seed}`,
  };
  const results: Measurement[] = [];
  const points: Point[] = [];
  const drawn = inProcess(new BayesianSequentialOptimizer(args), () =>
    chosenOf(points, bestOf(compared, results)),
  );
  return {
    ...drawn,
    async report(more, measured) {
      points.push(...more);
      results.push(...measured);
      await drawn.report(more, measured);
    },
  };
}

function inProcess(
  optimizer: BayesianSequentialOptimizer,
  recommended: (optimizer: BayesianSequentialOptimizer) => Point[],
): Method {
  let spent = 0;
  return {
    async report(points, results) {
      optimizer.report([...points], [...results]);
    },
    async propose(count) {
      const before = cpuMs();
      const rows = optimizer.sample(count);
      spent += cpuMs() - before;
      return rows;
    },
    recommended: async () => recommended(optimizer),
    cpuSeconds: () => spent / 1000,
  };
}

export const chosenOf = (points: readonly Point[], chosen: readonly number[]): Point[] =>
  points.filter((_, i) => chosen.includes(i));

/**
 * The positions of the best results: of those that keep all thresholds the best, or with several objectives those that no
 * other one beats; if none keeps them, those that miss a threshold least.
 *
 * @param results measured values, or values that a model expects
 */
export function bestOf({ problem: { outputs } }: ComparedProblem, results: readonly Measurement[]): number[] {
  const rows = results.map((result) => outputs.map(({ key }) => result[key] ?? NaN));
  const useful = rows.flatMap((values, i) => (keeps(outputs, values) ? [i] : []));
  if (useful.length === 0) {
    const missed = rows.map((values) =>
      outputs.reduce((sum, { constraint: { at_least = -Infinity, at_most = Infinity } = {} }, k) => {
        const value = values[k] ?? NaN;
        return sum + Math.max(0, at_least - value, value - at_most);
      }, 0),
    );
    const least = Math.min(...missed);
    return missed.flatMap((each, i) => (each === least ? [i] : []));
  }
  const costs = rows.map((values) =>
    outputs.flatMap((output, k) => (output.objective === null ? [] : [signOf(output) * (values[k] ?? NaN)])),
  );
  const beats = (a: readonly number[], b: readonly number[]): boolean =>
    a.every((value, k) => value <= (b[k] ?? NaN)) && a.some((value, k) => value < (b[k] ?? NaN));
  return useful.filter((i) => !useful.some((j) => beats(costs[j] ?? [], costs[i] ?? [])));
}
