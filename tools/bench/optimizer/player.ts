// A process that plays what it is asked to: its processor time is that of the optimizer alone.
import { playCampaign, timeProposal } from './campaign.ts';
import { campaigns, feasibility, latencies } from './campaigns.ts';
import { playHybridCampaign } from './hybrid-campaign.ts';
import { playDomains } from './random-domains.ts';

const warm = new Set();

async function play({ name, seed }) {
  if (name === feasibility.name) return playDomains(feasibility, seed);
  const campaign = campaigns.find((each) => each.name === name);
  if (campaign?.p_ai !== undefined) return playHybridCampaign(campaign, seed);
  if (campaign !== undefined) return playCampaign(campaign, seed);
  const latency = latencies.find((each) => each.name === name);
  // The first one warms the compiler up, as in a process that has proposed before.
  if (!warm.has(name)) timeProposal(latency, seed + 1000);
  warm.add(name);
  return timeProposal(latency, seed);
}

process.on('message', async (piece) => process.send({ ...piece, result: await play(piece) }));
process.on('disconnect', () => process.exit());
