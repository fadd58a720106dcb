import {
  continuousInput,
  continuousOutput,
  HybridOptimizer,
  minimize,
  type HybridArguments,
} from '@lab/optimization';
import type { CreateCampaignOptimizer } from '@lab/sdk';

export const svc_create_campaign_optimizer: CreateCampaignOptimizer<HybridArguments> = () => [
  {
    inputs: [continuousInput('first.x', [0, 1]), continuousInput('first.y', [0, 1])],
    outputs: [continuousOutput('second.loss', minimize())],
    num_initial_samples: 6,
    seed: 1,
  },
  HybridOptimizer,
];
