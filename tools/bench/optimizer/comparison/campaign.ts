import type { Point } from '@lab/optimization';
import { randomNumbers, valuesOf } from '../campaign.js';
import { startsOf, type Method } from './method.js';
import { measured } from './noise.js';
import { asMeasurement, quality, signOf, truthAt, type ComparedProblem } from './problem.js';

/** The outcome of a campaign. Qualities are those of `quality` in problem.ts. */
export interface Outcome {
  /**
   * Of the runs without noise, or with noise of the runs that the method recommends, always by their true values.
   */
  quality: number;
  /** Of the runs so far, after each run. */
  trace: number[];
  cpu_s: number;
  proposals: number;
}

/**
 * Plays one campaign. The seed and the number of a run determine its noise and its duration. All methods get the same runs at
 * the start.
 */
export async function playCampaign(
  compared: ComparedProblem,
  method: Method,
  seed: number,
): Promise<Outcome> {
  const { problem, evals, batch = 1, flight } = compared;
  const [first] = problem.outputs;
  const worse = first === undefined ? 1 : signOf(first);
  const truths: number[][] = [];
  const trace: number[] = [];
  const truthOf = new Map<string, number[]>();
  let proposals = 0;

  const measure = async (points: readonly Point[]): Promise<void> => {
    const results = points.map((point) => {
      const truth = truthAt(compared, point);
      truthOf.set(keyOf(compared, point), truth);
      truths.push(truth);
      trace.push(quality(problem, truths));
      const luck = { seed, run: truths.length, worse };
      const values = compared.noise === undefined ? truth : measured(truth, compared.noise, luck);
      return asMeasurement(problem.outputs, values);
    });
    await method.report(points, results);
  };
  const propose = async (count: number): Promise<Point[]> => {
    proposals += count;
    return method.propose(count);
  };

  await measure(startsOf(compared, seed));
  if (flight === undefined) {
    while (truths.length < evals) await measure(await propose(Math.min(batch, evals - truths.length)));
  } else {
    await inFlight(compared, seed, flight, propose, measure);
  }
  const chosen = compared.noise === undefined ? truths : await recommendedTruths(method, truthOf, compared);
  return { quality: quality(problem, chosen), trace, cpu_s: method.cpuSeconds(), proposals };
}

/** Keeps a number of runs in progress until the runs or the time are used up. */
async function inFlight(
  compared: ComparedProblem,
  seed: number,
  flight: number,
  propose: (count: number) => Promise<Point[]>,
  measure: (points: readonly Point[]) => Promise<void>,
): Promise<void> {
  const { evals, initial, duration, time = Infinity, problem } = compared;
  const running: { point: Point; end: number }[] = [];
  let [now, begun] = [0, initial];
  const begin = async (): Promise<void> => {
    for (const point of await propose(1)) {
      begun += 1;
      const usual = 0.5 + randomNumbers(10_007 * (seed + 1) + begun)();
      const length = duration?.(valuesOf(problem.inputs, point)) ?? usual;
      if (now + length <= time) running.push({ point, end: now + length });
    }
  };
  for (;;) {
    while (running.length < flight && begun < evals && now < time) {
      const before = running.length;
      await begin();
      // The run would end too late: the place stays empty.
      if (running.length === before) begun = evals;
    }
    running.sort((a, b) => a.end - b.end);
    const next = running.shift();
    if (next === undefined) return;
    now = next.end;
    await measure([next.point]);
  }
}

async function recommendedTruths(
  method: Method,
  truthOf: ReadonlyMap<string, number[]>,
  compared: ComparedProblem,
): Promise<number[][]> {
  return (await method.recommended()).map((point) => {
    const truth = truthOf.get(keyOf(compared, point));
    if (truth === undefined)
      throw new Error(`a point was recommended that was not run: ${JSON.stringify(point)}`);
    return truth;
  });
}

const keyOf = ({ problem }: ComparedProblem, point: Point): string =>
  JSON.stringify(valuesOf(problem.inputs, point));
