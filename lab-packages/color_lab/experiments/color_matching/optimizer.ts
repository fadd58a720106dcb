import {
  continuousInput,
  continuousOutput,
  HybridOptimizer,
  linearInequality,
  minimize,
  type HybridArguments,
} from '@lab/optimization';
import type { CreateCampaignOptimizer } from '@lab/sdk';

const pastes = ['cyan', 'magenta', 'yellow', 'black', 'white'].map((paste) => `mix_colors.${paste}_volume`);

/** As the optimizer of `color_mixing`, which also chooses how far three of the pastes are thinned. */
export const svc_create_campaign_optimizer: CreateCampaignOptimizer<HybridArguments> = () => [
  {
    inputs: [
      ...pastes.map((paste) => continuousInput(paste, [0, 10])),
      ...['cyan', 'magenta', 'yellow'].map((paste) =>
        continuousInput(`mix_colors.${paste}_strength`, [0.05, 1]),
      ),
      continuousInput('mix_colors.mixing_time', [5, 60]),
      continuousInput('mix_colors.mixing_speed', [100, 1200]),
    ],
    outputs: [continuousOutput('score_color.loss', minimize())],
    constraints: [
      // Less than 5 ml cannot be measured, more than 40 ml splashes.
      linearInequality(
        pastes,
        pastes.map(() => -1),
        -5,
      ),
      linearInequality(
        pastes,
        pastes.map(() => 1),
        40,
      ),
    ],
    num_initial_samples: 5,
    p_bayesian: 1,
    p_ai: 0,
    ai_model: 'ollama:qwen3.5:9b',
    ai_history_size: 30,
    ai_additional_context:
      'Pigment pastes mix subtractively. Too little stirring leaves streaks; above 700 rpm the stirrer draws in air, which makes the paint lighter.',
  },
  HybridOptimizer,
];
