import {
  isServiceError,
  isTerminal,
  orchestratorRequests,
  type CampaignSummary,
  type ProtocolRunSummary,
} from '@lab/contracts';
import { Injectable } from '@nestjs/common';
import { Requests } from '../ports/index.js';

/** By name. */
interface Known {
  runs: ReadonlyMap<string, string>;
  campaigns: ReadonlyMap<string, string>;
}

const nothing: Known = { runs: new Map(), campaigns: new Map() };
/** Time for which an answer is reused, in milliseconds, so that many reads cause one request to the orchestrator. */
const freshMs = 1_000;

/**
 * Adds the expected time of completion to records. The leading orchestrator knows it; the database does not. Without an
 * orchestrator, records have no such time.
 */
@Injectable()
export class Estimates {
  #asked: { at: number; known: Promise<Known> } | undefined;

  constructor(private readonly requests: Requests) {}

  async ofRuns<Run extends ProtocolRunSummary>(runs: Run[]): Promise<Run[]> {
    if (runs.every(({ state }) => isTerminal(state))) return runs;
    const known = await this.known();
    return runs.map((run) => estimated(run, known.runs));
  }

  async ofCampaigns<Campaign extends CampaignSummary>(campaigns: Campaign[]): Promise<Campaign[]> {
    if (campaigns.every(({ state }) => isTerminal(state))) return campaigns;
    const known = await this.known();
    return campaigns.map((campaign) => estimated(campaign, known.campaigns));
  }

  private known(): Promise<Known> {
    const now = performance.now();
    if (this.#asked === undefined || now - this.#asked.at > freshMs)
      this.#asked = { at: now, known: this.ask() };
    return this.#asked.known;
  }

  private async ask(): Promise<Known> {
    try {
      const known = await this.requests.call(orchestratorRequests.readEstimates, {}, {});
      return {
        runs: new Map(Object.entries(known.protocol_runs)),
        campaigns: new Map(Object.entries(known.campaigns)),
      };
    } catch (error) {
      if (!isServiceError(error)) throw error;
      return nothing;
    }
  }
}

function estimated<Work extends ProtocolRunSummary | CampaignSummary>(
  work: Work,
  known: ReadonlyMap<string, string>,
): Work {
  return isTerminal(work.state) ? work : { ...work, estimated_completion: known.get(work.name) ?? null };
}
