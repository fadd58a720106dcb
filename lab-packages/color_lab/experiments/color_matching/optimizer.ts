import type { HybridArguments } from '@lab/optimization';
import type { CreateCampaignOptimizer } from '@lab/sdk';
import { paintSearch } from '../../work/paint-search.js';

/** Also chooses how far three of the pastes are thinned. */
export const svc_create_campaign_optimizer: CreateCampaignOptimizer<HybridArguments> = () =>
  paintSearch(['cyan', 'magenta', 'yellow'].map((paste) => [`${paste}_strength`, [0.05, 1]]));
