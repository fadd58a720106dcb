import type { ProtocolSnapshot } from '@lab/definitions/model';
import type { CampaignExtent, CampaignRun, CampaignRunsPart } from '@lab/persistence';

/** The runs of campaigns from which tables are made. */
export class MemoryTables {
  /** Versions of the protocol of campaigns, by the id of the campaign. */
  readonly protocolsOf = new Map<string, ProtocolSnapshot[]>();
  /** By the id of the campaign. */
  readonly tablesOf = new Map<string, CampaignRun[]>();

  campaignExtent({ id }: { id: string }): Promise<CampaignExtent> {
    return Promise.resolve({
      protocols: this.protocolsOf.get(id) ?? [],
      last: this.tablesOf.get(id)?.at(-1)?.id ?? null,
    });
  }

  campaignRuns(campaignId: string, { after, upTo, limit }: CampaignRunsPart): Promise<CampaignRun[]> {
    const runs = this.tablesOf.get(campaignId) ?? [];
    return Promise.resolve(runs.filter(({ id }) => id > (after ?? '') && id <= upTo).slice(0, limit));
  }
}
