import type { Reason } from '@lab/contracts';
import type { CampaignRow, Ending } from '../rows/index.js';
import type { Turn } from '../turn/index.js';

/** Begins to end a campaign: no further run starts, and unfinished runs are cancelled. The first reason stays. */
export function beginEndingCampaign(
  turn: Turn,
  campaign: CampaignRow,
  state: Ending['state'],
  reason: Reason,
): void {
  if (campaign.ending !== null) return;
  turn.emit({
    op: 'updateCampaign',
    id: campaign.id,
    patch: { ending: { state, reason, since: turn.now }, pausedAt: null },
  });
  turn.publishCampaign(campaign.id);
}

/**
 * Counts an ended run of a campaign and applies the campaign's policy to a failed one: `stop` fails the campaign,
 * `continue` goes on, `pause` waits for a person. More than `maxFailures` failed runs always fail the campaign.
 */
export function countEnd(
  turn: Turn,
  campaign: CampaignRow,
  runName: string,
  state: 'completed' | 'failed' | 'cancelled',
  reason: Reason | null,
): void {
  if (state === 'cancelled') return;
  const { id } = campaign;
  if (state === 'completed') {
    turn.emit({ op: 'updateCampaign', id, patch: { runsCompleted: campaign.runsCompleted + 1 } });
    return;
  }
  const runsFailed = campaign.runsFailed + 1;
  turn.emit({ op: 'updateCampaign', id, patch: { runsFailed } });
  if (campaign.ending !== null) return;
  const failure: Reason = {
    code: 'protocol_run_failed',
    message: `protocol run ${runName} failed: ${reason?.message ?? ''}`,
  };
  if (campaign.maxFailures !== null && runsFailed > campaign.maxFailures)
    beginEndingCampaign(turn, campaign, 'failed', {
      code: 'too_many_failures',
      message: `${runsFailed} protocol runs failed, more than max_failures = ${campaign.maxFailures}; the last: ${failure.message}`,
    });
  else if (campaign.onRunFailure === 'stop') beginEndingCampaign(turn, campaign, 'failed', failure);
  else if (campaign.onRunFailure === 'pause' && campaign.pausedAt === null)
    turn.emit({ op: 'updateCampaign', id, patch: { pausedAt: turn.now, reason: failure } });
}
