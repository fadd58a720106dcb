import { describe, expect, it } from 'vitest';
import { after, bowl, bowlAt } from '../measured-bowl.js';
import { continuousOutput, minimize } from '../../src/domain/builders.js';
import { BayesianSequentialOptimizer } from '../../src/optimizer/bayesian.js';

/** Plays 18 runs with one wrong measurement. @returns the optimizer and the least true value */
function campaign(wrong: number) {
  const optimizer = new BayesianSequentialOptimizer(bowl);
  let least = Infinity;
  for (let i = 0; i < 18; i++) {
    const [row] = optimizer.sample(1);
    const truth = bowlAt(row!)['score.loss'];
    least = Math.min(least, truth);
    optimizer.report([row!], [{ 'score.loss': i === 5 ? wrong : truth }]);
  }
  return { optimizer, least };
}

describe('one wrong measurement', () => {
  it.each([1e9, -1e9])('of %d does not keep a campaign from the minimum', (wrong) => {
    const { optimizer, least } = campaign(wrong);
    expect(least).toBeLessThan(0.05);
    const { outputs, observed } = optimizer.explain();
    expect(outputs[0]!.outliers).toHaveLength(1);
    const { run, measured } = outputs[0]!.outliers[0]!;
    expect(measured).toBe(wrong);
    expect(observed[run]!.measured['score.loss']).toBe(wrong);
    expect(outputs[0]!.left_out[run]!.measured).toBe(wrong);
  });

  /** Twelve results of a design, the last one wrong. */
  const withThreshold = (wrong: number, surrogate: 'gp' | 'mlp') => {
    const optimizer = new BayesianSequentialOptimizer({
      ...bowl,
      outputs: [continuousOutput('score.loss', minimize(), { at_most: 1e6 })],
      num_initial_samples: 12,
      surrogate,
    });
    const rows = optimizer.sample(12);
    optimizer.report(
      rows,
      rows.map((row, i) => (i === 11 ? { 'score.loss': wrong } : bowlAt(row))),
    );
    return optimizer;
  };

  it('stays in the results as it was measured', () => {
    const best = withThreshold(-1e9, 'gp')
      .get_optimal_solutions()
      .find((row) => row['score.loss'] === -1e9);
    expect(best).toMatchObject({ meets_constraints: true });
  });

  it('breaks for the models the threshold that it broke', () => {
    const [outlier] = withThreshold(1e9, 'mlp').explain().outputs[0]!.outliers;
    expect(outlier).toMatchObject({ measured: 1e9 });
    expect(outlier!.seen_as).toBeGreaterThan(1e6);
  });

  it('counts as any other if the setting asks for that, also while the campaign runs', () => {
    const optimizer = after(bowl, 12, (row) => ({ 'score.loss': bowlAt(row)['score.loss'] }));
    const [row] = optimizer.sample(1);
    optimizer.report([row!], [{ 'score.loss': 1e9 }]);
    expect(optimizer.explain().outputs[0]!.outliers).toHaveLength(1);
    optimizer.set_runtime_params({ outliers: 'keep', kernel: 'squared_exponential' });
    expect(optimizer.explain().outputs[0]!.outliers).toEqual([]);
    expect(optimizer.explain().outputs[0]!.choices[0]).toMatch(/^Kernel: Squared exponential\. The setting/);
  });
});

it('refuses a kernel or a treatment of outliers that it does not have', () => {
  expect(() => new BayesianSequentialOptimizer({ ...bowl, kernel: 'rbf' as 'matern52' })).toThrow(
    /kernel: "rbf" is not possible/,
  );
  expect(() => after(bowl, 1, bowlAt).set_runtime_params({ outliers: 'drop' })).toThrow(
    /outliers: "drop" is not possible/,
  );
});
