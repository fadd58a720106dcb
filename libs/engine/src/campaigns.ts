import { isTerminal, type TaskParameters } from '@lab/contracts';
import { checkRunParameters, type ProtocolSnapshot } from '@lab/definitions/model';
import { beginEnding } from './runs.js';
import { campaignRunName, insertRun, mergeParameters, placeFaults, type SubmitPorts } from './submit.js';
import type { Turn } from './turn.js';

/**
 * Brings a campaign to where its runs have taken it: starts the next runs, stops them all when it is ending, and ends
 * it when nothing of it runs. A failed run fails the campaign; a run that was cancelled alone counts as a run that was
 * had, and the reason of the completed campaign says so. While a run needs attention no new one is started. Each run is
 * started with the protocol as it is loaded at that moment.
 */
export function settleCampaign(turn: Turn, ports: SubmitPorts, id: string): void {
  const campaign = turn.state.rows.campaigns.get(id);
  if (campaign === undefined || isTerminal(campaign.state)) return;
  const open = turn.state.openRunsOf(id);
  if (campaign.ending !== null) {
    const { state } = campaign.ending;
    for (const run of open)
      beginEnding(turn, run, 'cancelled', {
        code: `campaign_${state}`,
        message:
          state === 'failed' ? `campaign ${campaign.name} failed` : `campaign ${campaign.name} was cancelled`,
      });
  }
  const unclear = open.some((run) => run.state === 'needs_attention');
  if (unclear && campaign.state === 'running') {
    turn.setCampaign(campaign, 'needs_attention', {
      reason: open.find((run) => run.state === 'needs_attention')?.reason ?? null,
    });
  } else if (!unclear && campaign.state === 'needs_attention') {
    turn.setCampaign(campaign, 'running', { reason: null });
  }
  if (campaign.ending !== null) {
    const { state, reason } = campaign.ending;
    if (turn.state.openRunsOf(id).length === 0)
      turn.setCampaign(campaign, state, { reason, endedAt: turn.now });
    return;
  }
  if (!unclear) startRuns(turn, ports, id, open.length);
}

function startRuns(turn: Turn, ports: SubmitPorts, id: string, alreadyOpen: number): void {
  const campaign = turn.state.rows.campaigns.get(id);
  const accepted = campaign === undefined ? undefined : turn.state.protocolOf(campaign);
  if (campaign === undefined || accepted === undefined) return;
  let open = alreadyOpen;
  let started = campaign.runsStarted;
  while (started < campaign.maxProtocolRuns && open < campaign.maxConcurrentProtocolRuns) {
    started += 1;
    open += 1;
    const parameters = mergeParameters(
      campaign.globalParameters,
      campaign.protocolRunParameters?.[started - 1] ?? {},
    );
    insertRun(turn, ports.ids, latest(ports, accepted, parameters), {
      name: campaignRunName(campaign.name, started),
      owner: campaign.owner,
      priority: campaign.priority,
      campaignId: id,
      parameters,
      failurePolicy: campaign.failurePolicy,
      meta: { campaign_run: started },
    });
  }
  if (started > campaign.runsStarted) {
    if (campaign.state === 'created')
      turn.setCampaign(campaign, 'running', { runsStarted: started, startedAt: turn.now });
    else turn.emit({ op: 'updateCampaign', id, patch: { runsStarted: started } });
  } else if (open === 0) {
    const stopped = campaign.runsStarted - campaign.runsCompleted;
    turn.setCampaign(campaign, 'completed', {
      endedAt: turn.now,
      reason:
        stopped === 0
          ? null
          : {
              code: 'protocol_runs_cancelled',
              message: `${stopped} of ${campaign.runsStarted} protocol runs were cancelled`,
            },
    });
  }
}

/**
 * The protocol as it is loaded now; as it was when the campaign was accepted, when it is not loaded any more or the
 * parameters of the campaign do not fit it.
 */
function latest(
  ports: SubmitPorts,
  accepted: ProtocolSnapshot,
  parameters: TaskParameters,
): ProtocolSnapshot {
  const loaded = ports.definitions.protocol(accepted.protocol.type);
  if (loaded === undefined || loaded.hash === accepted.hash) return accepted;
  const fits =
    checkRunParameters(loaded, parameters, { path: '' }).length === 0 &&
    placeFaults(ports.labs(), loaded).length === 0;
  return fits ? loaded : accepted;
}
