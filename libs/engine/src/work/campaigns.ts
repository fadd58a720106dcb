import { awaitsPerson, isTerminal, isUnclear, type Reason, type TaskParameters } from '@lab/contracts';
import { checkRunParameters, type ProtocolSnapshot } from '@lab/definitions/model';
import { placeFaults } from '../labs/index.js';
import { type Shortage, nameOf, shortageFor } from '../quotas/index.js';
import { type CampaignRow, type ProtocolRunRow, waitingForQuota } from '../rows/index.js';
import { type SubmitPorts, campaignRunName, insertRun, runLimit, workOfRun } from '../submission/index.js';
import type { Turn } from '../turn/index.js';
import { beginEnding, hasBegun, queueReady } from './runs.js';
import { beginTrial, mayBegin, runParameters, seedTrials } from './trials.js';

/** Reason of a campaign whose next run is not listed. */
const waitingForParameters = 'waiting_for_parameters';

/**
 * Updates a campaign to the state of its runs: starts the next runs, stops all runs of an ending campaign, and ends it
 * when no run is unfinished. A run that was cancelled alone counts as one of its runs.
 *
 * No run starts while the campaign is paused or drained, or a run needs attention, or a quota has no room for all of its tasks, or
 * without its trial if there is an optimizer, or without its entry if runs are listed.
 * Each run gets the protocol as it is loaded when the run starts.
 */
export function settleCampaign(turn: Turn, ports: SubmitPorts, id: string): void {
  const campaign = turn.state.rows.campaigns.get(id);
  if (campaign === undefined || isTerminal(campaign.state)) return;
  const open = turn.state.openRunsOf(id);
  showState(turn, campaign, open);
  if (campaign.ending !== null) {
    const { state, reason } = campaign.ending;
    for (const run of open)
      beginEnding(turn, run, 'cancelled', {
        code: `campaign_${state}`,
        message:
          state === 'failed' ? `campaign ${campaign.name} failed` : `campaign ${campaign.name} was cancelled`,
      });
    if (open.length === 0) turn.setCampaign(campaign, state, { reason, endedAt: turn.now });
    return;
  }
  if (campaign.pausedAt === null && !open.some((run) => isUnclear(run.state))) beginRuns(turn, ports, id);
}

function showState(turn: Turn, campaign: CampaignRow, open: readonly ProtocolRunRow[]): void {
  const { state } = campaign;
  const unclear = open.find((run) => isUnclear(run.state));
  if (unclear !== undefined) {
    if (!isUnclear(state)) turn.setCampaign(campaign, 'needs_attention', { reason: unclear.reason });
  } else if (campaign.pausedAt !== null) {
    if (state !== 'paused') turn.setCampaign(campaign, 'paused', { reason: pauseReason(campaign) });
  } else if (awaitsPerson(state))
    turn.setCampaign(campaign, campaign.startedAt === null ? 'created' : 'running', { reason: null });
}

/** If the campaign paused itself, the reason already names the failed run. */
function pauseReason({ reason }: CampaignRow): Reason {
  return reason?.code === 'protocol_run_failed' ? reason : { code: 'paused', message: 'paused by request' };
}

/** Continues resumed runs, then starts new ones, up to the allowed number of concurrent runs. */
function beginRuns(turn: Turn, ports: SubmitPorts, id: string): void {
  const campaign = turn.state.rows.campaigns.get(id);
  const accepted = campaign === undefined ? undefined : turn.state.protocolOf(campaign);
  if (campaign === undefined || accepted === undefined) return;
  const open = turn.state.openRunsOf(id);
  const waiting = open.filter((run) => run.ending === null && !hasBegun(turn.state, run));
  const isDrained = turn.state.drainOver(id) !== undefined;
  let room = isDrained ? 0 : campaign.maxConcurrentProtocolRuns - (open.length - waiting.length);
  for (const run of waiting.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    if (run.pausedAt !== null) continue;
    if (room <= 0) break;
    room -= 1;
    queueReady(turn, run);
  }
  seedTrials(turn, campaign);
  const limit = runLimit(campaign);
  let started = campaign.runsStarted;
  let shortage: Shortage | undefined;
  for (; started < limit && room > 0 && mayBegin(turn.state, campaign, started + 1); room -= 1) {
    const parameters = runParameters(turn.state, campaign, started + 1);
    const snapshot = latest(ports, accepted, parameters);
    shortage = shortageFor(turn.state.rows, ports.quotas, workOfRun(campaign.owner, snapshot));
    if (shortage !== undefined) break;
    started += 1;
    const run = insertRun(turn, ports.ids, snapshot, {
      name: campaignRunName(campaign.name, started),
      owner: campaign.owner,
      priority: campaign.priority,
      campaignId: id,
      parameters,
      failurePolicy: campaign.failurePolicy,
      meta: { campaign_run: started },
    });
    beginTrial(turn, id, started);
    queueReady(turn, run);
  }
  const over = open.length === 0 && started === campaign.runsStarted && hasItsEnd(campaign, limit);
  if (campaign.state === 'created')
    turn.setCampaign(campaign, 'running', {
      runsStarted: started,
      startedAt: campaign.startedAt ?? turn.now,
    });
  else if (started > campaign.runsStarted)
    turn.emit({ op: 'updateCampaign', id, patch: { runsStarted: started } });
  const rest = open.length === 0 && !over && !isDrained ? unlisted(campaign, started) : null;
  showWaiting(turn, id, shortage === undefined ? rest : reasonOf(shortage));
  if (!over) return;
  const failure = campaign.optimizer?.failure ?? null;
  if (failure === null)
    turn.setCampaign(campaign, 'completed', { reason: shortfall(campaign), endedAt: turn.now });
  else turn.setCampaign(campaign, 'failed', { reason: failure, endedAt: turn.now });
}

/**
 * Shows that the campaign waits for room or for parameters, or does not wait any more. Another reason stays: it says what else it
 * waits for.
 */
function showWaiting(turn: Turn, id: string, reason: Reason | null): void {
  const before = turn.state.rows.campaigns.get(id)?.reason ?? null;
  if (before !== null && before.code !== waitingForQuota && before.code !== waitingForParameters) return;
  if (before?.message === reason?.message) return;
  turn.emit({ op: 'updateCampaign', id, patch: { reason } });
  turn.publishCampaign(id);
}

/** Why no run of a campaign without a limit is open: its next run is not listed. */
function unlisted(
  { name, optimizer, protocolRunParameters: listed }: CampaignRow,
  started: number,
): Reason | null {
  if (optimizer !== null || listed === null || started < listed.length) return null;
  return {
    code: waitingForParameters,
    message: `${campaignRunName(name, started + 1)} has no parameters: add an entry to protocol_run_parameters, or set max_protocol_runs to ${started} to end the campaign`,
  };
}

/** Without numbers: everybody who sees the campaign reads it. */
function reasonOf(shortage: Shortage): Reason {
  const what = shortage.what === 'records' ? 'task runs' : 'files';
  return {
    code: waitingForQuota,
    message: `the quota of ${nameOf(shortage)} for ${what} has no room for another run; it goes on by itself when there is room`,
  };
}

/** Says whether a campaign without open runs is over. With an optimizer, the best rows must be known first. */
function hasItsEnd({ optimizer, runsStarted }: CampaignRow, limit: number): boolean {
  if (optimizer === null) return runsStarted >= limit;
  return optimizer.best !== null && (runsStarted >= limit || optimizer.failure !== null);
}

/** Why a completed campaign has fewer completed runs than it started; null: all completed. */
function shortfall({ runsStarted, runsCompleted, runsFailed }: CampaignRow): Reason | null {
  const cancelled = runsStarted - runsCompleted - runsFailed;
  const of = `of ${runsStarted} protocol runs`;
  if (runsFailed > 0)
    return {
      code: 'protocol_runs_failed',
      message: `${runsFailed} ${of} failed${cancelled > 0 ? ` and ${cancelled} were cancelled` : ''}`,
    };
  return cancelled > 0
    ? { code: 'protocol_runs_cancelled', message: `${cancelled} ${of} were cancelled` }
    : null;
}

/** The protocol as it is loaded now if it fits the parameters and laboratories, else as it was accepted. */
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
