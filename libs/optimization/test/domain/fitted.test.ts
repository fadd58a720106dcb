import type { JsonObject, JsonValue } from '@lab/sdk';
import { describe, expect, it } from 'vitest';
import {
  BayesianSequentialOptimizer,
  continuousOutput,
  linearEquality,
  minimize,
  type BayesianArguments,
} from '../../src/index.js';
import { fittedArguments } from '../../src/domain/fitted.js';

describe('inputs that are fitted to a protocol', () => {
  it('get the kind that their fields imply', () => {
    const inputs: JsonValue[] = [
      { key: 'a.x', bounds: [0, 1] },
      { key: 'a.y', values: [1, 2] },
      { key: 'a.z', values: ['slow', 'fast'] },
      { key: 'a.c', categories: ['red', 'blue'] },
      { key: 'a.n' },
      7,
    ];
    expect(fittedArguments({ inputs, seed: 3 }, [])).toEqual({
      inputs: [
        { kind: 'continuous', key: 'a.x', bounds: [0, 1] },
        { kind: 'discrete', key: 'a.y', values: [1, 2] },
        { kind: 'categorical', key: 'a.z', categories: ['slow', 'fast'] },
        { kind: 'categorical', key: 'a.c', categories: ['red', 'blue'] },
        { key: 'a.n' },
        7,
      ],
      seed: 3,
    });
    expect(fittedArguments({ inputs: 'none' }, ['a.x'])).toEqual({ inputs: 'none' });
  });

  it('take the integers within their bounds where the parameter is an integer', () => {
    const inputs: JsonObject[] = [
      { kind: 'continuous', key: 'a.n', bounds: [0.4, 9.6] },
      { kind: 'continuous', key: 'a.own', bounds: [0, 10], step: 5 },
      { kind: 'continuous', key: 'a.none', bounds: [0.2, 0.8] },
      { kind: 'continuous', key: 'a.vast', bounds: [0, 1e12] },
      { kind: 'continuous', key: 'a.float', bounds: [0.4, 9.6] },
    ];
    const fitted = fittedArguments({ inputs }, ['a.n', 'a.own', 'a.none', 'a.vast']);
    expect(fitted['inputs']).toEqual([
      { kind: 'continuous', key: 'a.n', bounds: [1, 9], step: 1 },
      ...inputs.slice(1),
    ]);
  });

  it('give rows of integers that keep the constraints, and accept their results', () => {
    const keys = ['mix.cyan', 'mix.magenta', 'mix.yellow'];
    const args = BayesianSequentialOptimizer.svc_fit_arguments(
      {
        inputs: keys.map((key) => ({ key, bounds: [0, 25] })),
        outputs: [{ ...continuousOutput('score.loss', minimize()) }],
        constraints: [{ ...linearEquality(keys, [1, 1, 1], 30) }],
        num_initial_samples: 3,
      } as never,
      keys,
    );
    const optimizer = new BayesianSequentialOptimizer(args as unknown as BayesianArguments);
    for (let round = 0; round < 3; round += 1) {
      const rows = optimizer.sample(2);
      for (const row of rows) {
        const values = keys.map((key) => row[key] as number);
        expect(values.every(Number.isInteger)).toBe(true);
        expect(values.reduce((sum, value) => sum + value)).toBe(30);
      }
      optimizer.report(
        rows,
        rows.map((row) => ({ 'score.loss': Math.abs((row['mix.cyan'] as number) - 11) })),
      );
    }
    expect(optimizer.get_num_samples_reported()).toBe(6);
  });
});
