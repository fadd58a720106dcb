/** How long one proposal takes, with its fit, beside BoTorch on the same data. */
import { BayesianSequentialOptimizer } from '@lab/optimization';
import type { PeerProcess } from '../peers/optimizers/process.js';
import { clock, cpuMs } from './campaign.js';
import type { Played } from './campaigns.js';
import { comparedProblem } from './comparison/all.js';
import { spaceOf, startsOf } from './comparison/method.js';
import { asMeasurement, known, truthAt, type ComparedProblem } from './comparison/problem.js';
import { box, single } from './problems.js';

/** One proposal with its fit. */
export interface Latency {
  name: string;
  /** The problem with the known results as its initial runs. */
  compared: ComparedProblem;
  /** Number of proposed rows. */
  batch: number;
  surrogate: 'gp' | 'mlp';
  /** Upper bound of the p95 of the processor time; undefined: only the share of the peer counts. */
  seconds?: number;
}

/** A smooth function of `d` inputs. */
function smooth(d: number, runs: number): ComparedProblem {
  const loss = (x: readonly number[]): number =>
    x.reduce((sum, value, i) => sum + Math.sin(3 * value + i) + (value - 0.3) ** 2, 0);
  // Nothing depends on the optimum.
  const problem = known(single(box(d, 0, 1), loss), 0, []);
  return { name: 'smooth', group: 'latency', problem, evals: runs, initial: runs };
}

const fourObjectives = (runs: number): ComparedProblem => ({
  ...comparedProblem('dtlz2_4', 1),
  initial: runs,
});

export const latencies: Latency[] = [
  { name: 'latency_n50_d6_q1', compared: smooth(6, 50), batch: 1, surrogate: 'gp', seconds: 0.15 },
  { name: 'latency_n200_d10_q1', compared: smooth(10, 200), batch: 1, surrogate: 'gp', seconds: 0.4 },
  { name: 'latency_n200_d10_q4', compared: smooth(10, 200), batch: 4, surrogate: 'gp', seconds: 1.5 },
  { name: 'latency_n500_d10_q4', compared: smooth(10, 500), batch: 4, surrogate: 'gp', seconds: 1 },
  { name: 'latency_n1000_d10_q1', compared: smooth(10, 1000), batch: 1, surrogate: 'gp', seconds: 3 },
  {
    name: 'latency_four_objectives_n50_d6_q1',
    compared: fourObjectives(50),
    batch: 1,
    surrogate: 'gp',
  },
  { name: 'latency_mlp_n200_d10_q1', compared: smooth(10, 200), batch: 1, surrogate: 'mlp', seconds: 4 },
];

/** The greatest share of the processor time of the peer. */
export const shareOfPeer = 0.2;
/** Campaigns with which the peer is timed: it is slow, and its times differ little. */
export const peerSeeds = 3;

/** With this the peer compiles and loads what it needs. */
export const warmUp: Latency = {
  ...{ name: 'warm_up', compared: fourObjectives(20), batch: 1, surrogate: 'gp' },
};

const dataOf = (compared: ComparedProblem, seed: number) => {
  const points = startsOf(compared, seed);
  const { outputs } = compared.problem;
  return { points, results: points.map((point) => asMeasurement(outputs, truthAt(compared, point))) };
};

/** Measures one proposal of ours with its fit. */
export function timeProposal({ compared, batch, surrogate }: Latency, seed: number): Played {
  const { points, results } = dataOf(compared, seed);
  const { reference_point } = compared.problem;
  const optimizer = new BayesianSequentialOptimizer(
    {
      ...spaceOf(compared),
      ...(reference_point && { reference_point }),
      ...{ surrogate, num_initial_samples: points.length, seed },
    },
    clock,
  );
  optimizer.report(points, results);
  const before = { wall: performance.now(), cpu: cpuMs() };
  optimizer.sample(batch);
  return { cpu: (cpuMs() - before.cpu) / 1000, wall: (performance.now() - before.wall) / 1000 };
}

/** @returns seconds of processor time of one proposal of BoTorch with its fit, for the data of {@link timeProposal} */
export async function timePeer(
  program: PeerProcess,
  { compared, batch }: Latency,
  seed: number,
): Promise<number> {
  const { points, results } = dataOf(compared, seed);
  const method = await program.begin('botorch', compared, seed);
  await method.report(points, results);
  await method.propose(batch);
  return method.cpuSeconds();
}
