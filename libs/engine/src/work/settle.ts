import type { SubmitPorts } from '../submission/index.js';
import type { Turn } from '../turn/index.js';
import { settleCampaign } from './campaigns.js';
import { settleRun } from './runs.js';

/** Settles due runs and campaigns until none is due: each can make the other due. */
export function settleWork(turn: Turn, ports: SubmitPorts): void {
  const { dueRuns, dueCampaigns } = turn.state;
  while (dueRuns.size > 0 || dueCampaigns.size > 0) {
    for (const id of dueRuns) {
      dueRuns.delete(id);
      settleRun(turn, id);
    }
    for (const id of dueCampaigns) {
      dueCampaigns.delete(id);
      settleCampaign(turn, ports, id);
    }
  }
}
