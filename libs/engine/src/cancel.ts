import { isTerminal, ServiceError, type Reason } from '@lab/contracts';
import { beginEnding, endTask, requestStop } from './runs.js';
import type { TaskRunRow } from './rows.js';
import type { Accepted } from './submit.js';
import type { Turn } from './turn.js';

const byRequest: Reason = { code: 'cancelled_by_request', message: 'cancelled by request' };

/** @throws ServiceError `not_found`, `wrong_state` */
export function cancelProtocolRun(turn: Turn, name: string): Accepted {
  const run = turn.state.rows.protocolRuns.get(turn.state.rows.protocolRunNames.get(name) ?? '');
  if (run === undefined || isTerminal(run.state))
    throw notOpen(turn, 'protocolRun', 'protocol run', name, run?.state);
  beginEnding(turn, run, 'cancelled', byRequest);
  acceptUnknown(turn, run.id);
  return { id: run.id, name };
}

/** @throws ServiceError `not_found`, `wrong_state` */
export function cancelCampaign(turn: Turn, name: string): Accepted {
  const campaign = turn.state.rows.campaigns.get(turn.state.rows.campaignNames.get(name) ?? '');
  if (campaign === undefined || isTerminal(campaign.state))
    throw notOpen(turn, 'campaign', 'campaign', name, campaign?.state);
  if (campaign.ending === null) {
    turn.emit({
      op: 'updateCampaign',
      id: campaign.id,
      patch: { ending: { state: 'cancelled', reason: byRequest, since: turn.now } },
    });
    turn.tellCampaign(campaign.id);
  }
  for (const run of turn.state.openRunsOf(campaign.id)) {
    beginEnding(turn, run, 'cancelled', {
      code: 'campaign_cancelled',
      message: `campaign ${name} was cancelled`,
    });
    acceptUnknown(turn, run.id);
  }
  return { id: campaign.id, name };
}

/** @throws ServiceError `not_found`, `wrong_state` */
export function cancelTask(turn: Turn, name: string, protocolRun?: string): Accepted {
  const task = protocolRun === undefined ? onDemandTask(turn, name) : taskOfRun(turn, name, protocolRun);
  if (isTerminal(task.state))
    throw new ServiceError('wrong_state', `task ${turn.state.labelOf(task)} is ${task.state} already`);
  if (task.state === 'running') requestStop(turn, task);
  else if (task.state === 'needs_attention') endUnknown(turn, task);
  else endTask(turn, task, 'cancelled', byRequest);
  return { id: task.id, name };
}

function onDemandTask(turn: Turn, name: string): TaskRunRow {
  const task = turn.state.rows.taskRuns.get(turn.state.rows.onDemandNames.get(name) ?? '');
  if (task === undefined) throw notOpen(turn, 'onDemandTask', 'on-demand task', name);
  return task;
}

function taskOfRun(turn: Turn, name: string, protocolRun: string): TaskRunRow {
  const { rows } = turn.state;
  const run = rows.protocolRuns.get(rows.protocolRunNames.get(protocolRun) ?? '');
  if (run === undefined || isTerminal(run.state))
    throw notOpen(turn, 'protocolRun', 'protocol run', protocolRun, run?.state);
  const task = turn.state.taskOf(run.id, name);
  if (task === undefined)
    throw new ServiceError('not_found', `protocol run "${protocolRun}" has no task named "${name}"`);
  return task;
}

/** Nobody knows how these tasks ended, and a person who cancels the run has accepted that. */
function acceptUnknown(turn: Turn, runId: string): void {
  for (const task of turn.state.tasksOf(runId)) if (task.state === 'needs_attention') endUnknown(turn, task);
}

function endUnknown(turn: Turn, task: TaskRunRow): void {
  const reason = {
    code: byRequest.code,
    message: `cancelled by request while its outcome was unknown: ${task.reason?.message ?? 'no detail'}`,
  };
  const attempt = turn.state.rows.attempts.get(turn.state.rows.liveAttempts.get(task.id) ?? '');
  if (attempt !== undefined) turn.setAttempt(attempt, 'cancelled', { reason, endedAt: turn.now });
  endTask(turn, task, 'cancelled', reason);
}

function notOpen(
  turn: Turn,
  kind: 'protocolRun' | 'campaign' | 'onDemandTask',
  what: string,
  name: string,
  state?: string,
): ServiceError {
  return state !== undefined || turn.isTaken(kind, name)
    ? new ServiceError('wrong_state', `the ${what} "${name}" is ${state ?? 'over'} already`)
    : new ServiceError('not_found', `there is no ${what} named "${name}"`);
}
