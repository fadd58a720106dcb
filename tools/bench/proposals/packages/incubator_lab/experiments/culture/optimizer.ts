import {
  BayesianSequentialOptimizer,
  continuousInput,
  continuousOutput,
  maximize,
  type BayesianArguments,
} from '@lab/optimization';
import type { CreateCampaignOptimizer } from '@lab/sdk';

export const svc_create_campaign_optimizer: CreateCampaignOptimizer<BayesianArguments> = () => [
  {
    inputs: [
      continuousInput('prepare.feed', [0, 10]),
      continuousInput('incubate.hours', [1, 24]),
      continuousInput('incubate.celsius', [20, 45]),
    ],
    outputs: [continuousOutput('read.growth', maximize())],
    num_initial_samples: 6,
    seed: 1,
  },
  BayesianSequentialOptimizer,
];
