import type { HybridArguments } from '@lab/optimization';
import type { CreateCampaignOptimizer } from '@lab/sdk';
import { paintSearch } from '../../work/paint-search.js';

export const svc_create_campaign_optimizer: CreateCampaignOptimizer<HybridArguments> = () => paintSearch();
