// A process that plays campaigns. Its processor time is that of the optimizer alone.
import { serve } from '../../shared/pool.js';
import { playCampaign, timeProposal } from './campaign.js';
import { campaigns, feasibility, latencies, type Piece, type Played } from './campaigns.js';
import { playHybridCampaign } from './hybrid-campaign.js';
import { playDomains } from './random-domains.js';

const warm = new Set<string>();

async function play({ name, seed }: Piece): Promise<Played> {
  if (name === feasibility.name) return playDomains(feasibility, seed);
  const campaign = campaigns.find((each) => each.name === name);
  if (campaign?.p_ai !== undefined) return playHybridCampaign(campaign, seed);
  if (campaign !== undefined) return playCampaign(campaign, seed);
  const latency = latencies.find((each) => each.name === name);
  if (latency === undefined) throw new Error(`there is no problem ${name}`);
  // The first proposal compiles the code, as in a process that has proposed before.
  if (!warm.has(name)) timeProposal(latency, seed + 1000);
  warm.add(name);
  return timeProposal(latency, seed);
}

serve(async (piece: Piece) => ({ ...piece, result: await play(piece) }));
