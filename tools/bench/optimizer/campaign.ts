import { BayesianSequentialOptimizer, type Input, type InputValue, type Point } from '@lab/optimization';
import type { Campaign, Played, Row } from './campaigns.js';

/** Plays one campaign against a test function. The seed determines the optimizer, the noise and the order of runs. */

/** Uniform numbers from 0 to 1 (mulberry32), independent of the random numbers of the optimizer. */
export function randomNumbers(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A standard normal number (Box and Muller 1958). */
export const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
export const clock = { now: () => performance.now() };

/** Milliseconds of processor time of this process so far. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** The values of a row in the order of the inputs. */
export const valuesOf = (inputs: readonly Input[], row: Readonly<Record<string, unknown>>): InputValue[] =>
  inputs.map(({ key }) => row[key] as InputValue);

export function playCampaign(
  { problem, evals, initial, batch = 1, noise = [], outlier, flight, merit }: Campaign,
  seed: number,
): Played {
  const optimizer = new BayesianSequentialOptimizer(
    {
      inputs: problem.inputs,
      outputs: problem.outputs,
      ...(problem.reference_point && { reference_point: problem.reference_point }),
      num_initial_samples: initial,
      seed,
    },
    clock,
  );
  const random = randomNumbers(seed);
  const all: number[][] = [];
  const truth = new Map<string, number[]>();
  const spread: Row[] = [];
  const inProgress: Point[] = [];
  let spent = 0;
  let proposals = 0;
  let begun = 0;

  const propose = (count: number): Point[] => {
    const before = cpuMs();
    const rows = optimizer.sample(count);
    const { origins } = optimizer.last_sample();
    if (origins.includes('model')) {
      spent += cpuMs() - before;
      proposals += origins.filter((origin) => origin === 'model').length;
    }
    rows.forEach((row, i) => origins[i] === 'initial' && spread.push(row));
    begun += count;
    return rows;
  };
  const measure = (row: Point): void => {
    const inputs = valuesOf(problem.inputs, row);
    const values = problem.evaluate(inputs);
    all.push(values);
    truth.set(JSON.stringify(inputs), values);
    const measured = problem.outputs.map(
      ({ key }, k) => [key, (values[k] ?? NaN) + (noise[k] ?? 0) * normal(random)] as const,
    );
    const wrong = outlier?.run === all.length - 1 ? [[problem.outputs[0]!.key, outlier.value] as const] : [];
    if (values.some(Number.isNaN)) optimizer.report_failed([row]);
    else optimizer.report([row], [Object.fromEntries([...measured, ...wrong])]);
  };

  while (all.length < evals) {
    if (flight === undefined) {
      const wanted = begun < initial ? Math.min(batch, initial - begun) : batch;
      propose(Math.min(wanted, evals - all.length)).forEach(measure);
      continue;
    }
    while (inProgress.length < flight && begun < evals) inProgress.push(...propose(1));
    inProgress.splice(Math.floor(random() * inProgress.length), 1).forEach(measure);
  }
  const recommended = optimizer
    .get_optimal_solutions()
    .filter((row) => row.recommended)
    .flatMap((row) => {
      const values = truth.get(JSON.stringify(valuesOf(problem.inputs, row)));
      return values === undefined ? [] : [values];
    });
  return { value: merit({ all, recommended }), cpuMs: proposals === 0 ? 0 : spent / proposals, spread };
}
