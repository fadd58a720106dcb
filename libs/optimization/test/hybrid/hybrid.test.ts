import { describe, expect, it } from 'vitest';
import {
  BayesianSequentialOptimizer,
  continuousInput,
  continuousOutput,
  HybridOptimizer,
  minimize,
  type HybridArguments,
} from '../../src/index.js';

const bowl: HybridArguments = {
  inputs: [continuousInput('mix.x', [0, 10]), continuousInput('mix.y', [-1, 1])],
  outputs: [continuousOutput('score.loss', minimize())],
  num_initial_samples: 4,
  seed: 7,
};
const bowlAt = (row: Record<string, unknown>) => ({
  'score.loss': (Number(row['mix.x']) - 3) ** 2 + Number(row['mix.y']) ** 2,
});

describe('without an AI', () => {
  it('the optimizer proposes the same as the Bayesian optimizer alone', async () => {
    const hybrid = new HybridOptimizer(bowl);
    const alone = new BayesianSequentialOptimizer(bowl);
    for (let run = 1; run <= 7; run += 1) {
      const rows = await hybrid.sample(1, [`run_${run}`]);
      expect(rows).toEqual(alone.sample(1, [`run_${run}`]));
      expect(hybrid.last_sample()).toEqual({
        rows: [{ source: 'optimizer', note: {} }],
        insights_used: [],
        limits_used: [],
      });
      await hybrid.report(rows, rows.map(bowlAt), [`run_${run}`]);
      alone.report(rows, rows.map(bowlAt), [`run_${run}`]);
    }
    expect(hybrid.get_num_samples_reported()).toBe(7);
    expect(hybrid.get_optimal_solutions()).toEqual(alone.get_optimal_solutions());
    expect(hybrid.explain()).toEqual(alone.explain());
    expect(hybrid.get_input_names()).toEqual(['mix.x', 'mix.y']);
    expect(hybrid.get_output_names()).toEqual(['score.loss']);
  });

  it('the optimizer has the settings of both as its runtime parameters', () => {
    const hybrid = new HybridOptimizer(bowl);
    expect(hybrid.get_runtime_params()).toEqual({
      p_bayesian: 1,
      p_ai: 0,
      ai_history_size: 50,
      ai_additional_context: '',
      ...new BayesianSequentialOptimizer(bowl).get_runtime_params(),
    });
    hybrid.set_runtime_params({ ai_history_size: 5, beta: 2 });
    expect(hybrid.get_runtime_params()).toMatchObject({ ai_history_size: 5, beta: 2 });
    expect(() => hybrid.set_runtime_params({ ai_history_size: 6, beta: -1 })).toThrow(/beta/);
    expect(() => hybrid.set_runtime_params({ ai_history_size: 0, beta: 3 })).toThrow(/ai_history_size/);
    expect(() => hybrid.set_runtime_params({ gamma: 3 })).toThrow(/"gamma" is no runtime parameter/);
    expect(() => hybrid.set_runtime_params({ p_ai: 0.5 })).toThrow(/no model is named/);
    expect(hybrid.get_runtime_params()).toMatchObject({ p_ai: 0, ai_history_size: 5, beta: 2 });
  });

  it('the optimizer refuses results outside the domain and records nothing', async () => {
    const hybrid = new HybridOptimizer(bowl);
    const row = { 'mix.x': 11, 'mix.y': 0 };
    await expect(hybrid.report([row], [{ 'score.loss': 1 }])).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ path: 'inputs[0].mix.x' }],
    });
    await expect(hybrid.report_started([row])).rejects.toMatchObject({ code: 'invalid' });
    await expect(hybrid.report([{ 'mix.x': 1, 'mix.y': 0 }], [{ 'score.loss': NaN }])).rejects.toMatchObject({
      code: 'invalid',
    });
    expect(hybrid.state().runs).toEqual([]);
    expect(hybrid.get_num_samples_reported()).toBe(0);
  });
});
