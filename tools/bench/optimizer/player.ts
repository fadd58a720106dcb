// A process that plays campaigns. Its processor time is that of the optimizer alone.
import { serve } from '../../shared/pool.js';
import { installedOptimizers } from '../peers/install.js';
import { PeerProcess } from '../peers/optimizers/process.js';
import { playCampaign } from './campaign.js';
import { campaigns, feasibility, type Piece, type Played } from './campaigns.js';
import { playHybridCampaign } from './hybrid-campaign.js';
import { latencies, peerSeeds, timePeer, timeProposal, warmUp, type Latency } from './latency.js';
import { playDomains } from './random-domains.js';

const warm = new Set<string>();
const installed = installedOptimizers();
let program: PeerProcess | undefined;

/** Proposals of a process that compile the code. A campaign with 50 results has made more. */
const COMPILING = 5;

/** The first proposals compile the code, as in a process that has proposed before. They are not measured. */
async function time(latency: Latency, seed: number): Promise<Played> {
  const { name, surrogate } = latency;
  if (!warm.has(name)) for (let k = 0; k < COMPILING; k++) timeProposal(latency, seed + 1000 + k);
  warm.add(name);
  const played = timeProposal(latency, seed);
  if (installed === undefined || surrogate !== 'gp' || seed >= peerSeeds) return played;
  program ??= new PeerProcess(installed);
  if (!warm.has('peer')) await timePeer(program, warmUp, seed);
  warm.add('peer');
  return { ...played, peerCpu: await timePeer(program, latency, seed) };
}

async function play({ name, seed }: Piece): Promise<Played> {
  if (name === feasibility.name) return playDomains(feasibility, seed);
  const campaign = campaigns.find((each) => each.name === name);
  if (campaign?.p_ai !== undefined) return playHybridCampaign(campaign, seed);
  if (campaign !== undefined) return playCampaign(campaign, seed);
  const latency = latencies.find((each) => each.name === name);
  if (latency === undefined) throw new Error(`there is no problem ${name}`);
  return time(latency, seed);
}

serve(async (piece: Piece) => ({ ...piece, result: await play(piece) }));
