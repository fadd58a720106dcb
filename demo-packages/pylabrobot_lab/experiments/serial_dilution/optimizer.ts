import {
  BayesianSequentialOptimizer,
  continuousInput,
  continuousOutput,
  minimize,
  type BayesianArguments,
} from '@lab/optimization';
import type { CreateCampaignOptimizer } from '@lab/sdk';

/** Looks for volumes and a mixing with which each step dilutes by the wanted factor. */
export const svc_create_campaign_optimizer: CreateCampaignOptimizer<BayesianArguments> = () => [
  {
    inputs: [
      continuousInput('dilute.transfer_volume', [80, 150], { step: 0.5 }),
      continuousInput('dilute.mix_volume', [20, 200]),
      continuousInput('dilute.mix_cycles', [1, 12], { step: 1 }),
      continuousInput('dilute.flow_rate', [30, 400]),
    ],
    outputs: [continuousOutput('read_plate.loss', minimize())],
    num_initial_samples: 6,
    seed: 3,
  },
  BayesianSequentialOptimizer,
];
