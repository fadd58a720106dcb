import { isServiceError } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { continuousInput, continuousOutput, minimize } from '../../src/domain/builders.js';
import { BayesianSequentialOptimizer } from '../../src/optimizer/bayesian.js';
import type { BayesianArguments } from '../../src/optimizer/settings.js';

const right = {
  inputs: [continuousInput('mix.acid', [0, 10])],
  outputs: [continuousOutput('measure.cost', minimize())],
};

/** Paths of the faults, for arguments whose types nobody has checked. */
function refused(args: unknown): string[] {
  try {
    new BayesianSequentialOptimizer(args as BayesianArguments);
  } catch (error) {
    if (isServiceError(error) && error.code === 'invalid') return error.faults.map(({ path }) => path);
    throw error;
  }
  return ['nothing'];
}

describe('arguments without types', () => {
  it.each<[string, unknown, string[]]>([
    ['nothing', undefined, []],
    ['a list', [], ['inputs', 'outputs']],
    ['an output that is none', { ...right, outputs: [null] }, ['outputs[0]']],
    ['an output without objective', { ...right, outputs: [{ key: 'a' }] }, ['outputs[0].objective']],
    ['an input that is none', { ...right, inputs: [7] }, ['inputs[0]']],
    ['constraints that are none', { ...right, constraints: 'x + y = 1' }, ['constraints']],
    ['an argument that there is not', { ...right, sead: 1 }, ['sead']],
    [
      'an acquisition function as a word',
      { ...right, acquisition_function: 'qUCB' },
      ['acquisition_function'],
    ],
    [
      'an acquisition function with more',
      { ...right, acquisition_function: { kind: 'qUCB', kappa: 1 } },
      ['acquisition_function'],
    ],
    ['a seed that is a list', { ...right, seed: [1] }, ['seed']],
    ['a number as a text', { ...right, num_initial_samples: '5' }, ['num_initial_samples']],
  ])('are refused for %s, with the place', (_, args, paths) => {
    expect([...new Set(refused(args))]).toEqual(paths);
  });
});
