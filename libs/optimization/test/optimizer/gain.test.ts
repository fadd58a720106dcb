import { describe, expect, it } from 'vitest';
import {
  BayesianSequentialOptimizer,
  closeToTarget,
  continuousInput,
  continuousOutput,
  maximize,
  minimize,
  type BayesianArguments,
} from '../../src/index.js';

type Objective = BayesianArguments['outputs'][number]['objective'];

/** An optimizer of one input from 0 to 1 with these results at even distances. */
function measured(objective: Objective, of: (x: number) => number, more: Partial<BayesianArguments> = {}) {
  const optimizer = new BayesianSequentialOptimizer({
    inputs: [continuousInput('run.x', [0, 1])],
    outputs: [continuousOutput('run.y', objective)],
    num_initial_samples: 3,
    ...more,
  });
  const xs = [0, 0.2, 0.4, 0.6, 0.8, 1];
  optimizer.report(
    xs.map((x) => ({ 'run.x': x })),
    xs.map((x) => ({ 'run.y': of(x), ...(more.outputs === undefined ? {} : { 'run.slack': 0.5 - x }) })),
  );
  return optimizer;
}
const hill = (x: number): number => 10 - 20 * (x - 0.3) ** 2;
const gainOf = (optimizer: BayesianSequentialOptimizer) => optimizer.explain().expected_gain;

describe('the expected gain', () => {
  it('is the improvement that the model expects of the run in progress, in the unit of the objective', () => {
    const optimizer = measured(maximize(), hill);
    const [run] = optimizer.sample(1);
    const found = gainOf(optimizer);
    expect(found?.run).toEqual(run);
    expect(found?.best).toBeCloseTo(hill(0.2), 1);
    // The best possible value is 0.2 better than the best result.
    expect(found?.gain).toBeGreaterThan(0.05);
    expect(found?.gain).toBeLessThan(1);
  });

  it('is the same for a minimised objective, whose best value is small', () => {
    const [most, least] = [measured(maximize(), hill), measured(minimize(), (x) => -hill(x))].map((each) => {
      each.sample(1);
      return gainOf(each);
    });
    expect(least?.best).toBeCloseTo(-(most?.best ?? NaN), 6);
    expect(least?.gain).toBeCloseTo(most?.gain ?? NaN, 3);
  });

  it('is a distance from a target', () => {
    const optimizer = measured(closeToTarget(10), (x) => 4 + 20 * x);
    optimizer.sample(1);
    const found = gainOf(optimizer);
    // 8 and 12 are measured, and 10 lies between them.
    expect(found?.best).toBeCloseTo(2, 1);
    expect(found?.gain).toBeGreaterThan(1.5);
    expect(found?.gain).toBeLessThanOrEqual(2.1);
  });

  it('is small for a run that hardly any result can improve, and that of the most promising run counts', () => {
    const optimizer = measured(maximize(), hill);
    optimizer.report_started([{ 'run.x': 0.95 }]);
    const poor = gainOf(optimizer)?.gain ?? NaN;
    expect(poor).toBeLessThan(0.01);
    optimizer.report_started([{ 'run.x': 0.3 }]);
    expect(gainOf(optimizer)).toMatchObject({ run: { 'run.x': 0.3 } });
    expect(gainOf(optimizer)?.gain).toBeGreaterThan(10 * poor);
  });

  it('counts only as far as the thresholds are kept', () => {
    const outputs = (least: number) => [
      continuousOutput('run.y', maximize()),
      { ...continuousOutput('run.slack', null), constraint: { at_least: least } },
    ];
    const gainAt = (least: number): number | undefined => {
      const optimizer = measured(maximize(), (x) => 10 * x, { outputs: outputs(least) });
      optimizer.report_started([{ 'run.x': 0.5 }]);
      return gainOf(optimizer)?.gain;
    };
    // At 0.5 the slack is 0: it keeps a threshold of -0.05, and breaks one of 0.05.
    expect(gainAt(-0.05)).toBeCloseTo(1, 1);
    expect(gainAt(0.05)).toBeLessThan(0.1);
    expect(gainAt(2)).toBeUndefined();
  });

  it('is unknown without a run in progress, without a model, and for several objectives', () => {
    const optimizer = measured(maximize(), hill);
    expect(gainOf(optimizer)).toBeNull();
    const fresh = new BayesianSequentialOptimizer({
      inputs: [continuousInput('run.x', [0, 1])],
      outputs: [continuousOutput('run.y', maximize())],
    });
    fresh.sample(1);
    expect(gainOf(fresh)).toBeNull();
    const several = measured(maximize(), hill, {
      outputs: [continuousOutput('run.y', maximize()), continuousOutput('run.slack', maximize())],
    });
    several.sample(1);
    expect(gainOf(several)).toBeNull();
  });
});
