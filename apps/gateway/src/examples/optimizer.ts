import type { InsightRecord, OptimizerDescription, OptimizerRecord, Trial } from '@lab/contracts';

export const trial: Trial = {
  number: 7,
  run: 'find_teal_run_7',
  source: 'ai',
  state: 'measured',
  inputs: { 'mix_colors.cyan_volume': 8.5, 'mix_colors.yellow_volume': 4 },
  outputs: { 'score_color.loss': 11.8 },
  additional: {},
  note: {
    journal: 'Less yellow, since run 5 was too green.',
    model: 'ollama:qwen3.5:9b',
    tokens: { input: 1840, output: 210 },
  },
};

export const insightRecord: InsightRecord = {
  id: '0199c0de-7a1b-7000-8000-000000000001',
  text: 'Yellow stains the beaker: stay below 12.',
  by: 'ada',
  at: '2026-11-20T09:30:00.000Z',
  used: false,
};

export const optimizerDescription: OptimizerDescription = {
  input_names: ['mix_colors.cyan_volume', 'mix_colors.yellow_volume'],
  output_names: ['score_color.loss'],
  additional_names: [],
  fields: [
    {
      key: 'p_ai',
      type: 'number',
      default: 0,
      runtime: true,
      min: 0,
      max: 1,
      description: 'Probability that a sampling call asks the AI.',
    },
  ],
  runtime_params: { p_bayesian: 1, p_ai: 0 },
  arguments: { num_initial_samples: 8, initial_sampling_method: 'SOBOL' },
};

export const optimizerRecord: OptimizerRecord = {
  ...optimizerDescription,
  campaign: 'find_teal',
  state: 'ready',
  reason: null,
  worker: '0199c0de-7a1b-7000-8000-000000000002',
  insights: [insightRecord],
  best: null,
  failure: null,
  pending: [],
  journal: [{ number: trial.number, run: trial.run, source: trial.source, note: trial.note }],
  belief: null,
};
