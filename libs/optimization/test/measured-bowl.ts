import type { Table } from '@lab/sdk';
import { continuousInput, continuousOutput, minimize } from '../src/domain/builders.js';
import { BayesianSequentialOptimizer } from '../src/optimizer/bayesian.js';
import type { BayesianArguments } from '../src/optimizer/settings.js';

/** A bowl over two inputs, minimised, with its least value at (3, 0.5). */
export const bowl: BayesianArguments = {
  inputs: [continuousInput('mix.x', [0, 10]), continuousInput('mix.y', [-1, 1])],
  outputs: [continuousOutput('score.loss', minimize())],
  num_initial_samples: 4,
  seed: 7,
};
/** A bowl over two inputs, minimised, with its least value at (3, 0.5). */
export const bowlAt = ({ 'mix.x': x, 'mix.y': y }: Table[number]) => ({
  'score.loss': (Number(x) - 3) ** 2 + 5 * (Number(y) - 0.5) ** 2,
});

/** An optimizer that has proposed the given number of runs and received their results, one by one. */
export function after(
  args: BayesianArguments,
  rounds: number,
  measure: (row: Table[number]) => Record<string, number>,
) {
  const optimizer = new BayesianSequentialOptimizer(args);
  for (let i = 0; i < rounds; i += 1) {
    const [row] = optimizer.sample(1);
    optimizer.report([row!], [measure(row!)]);
  }
  return optimizer;
}
