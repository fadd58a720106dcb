import { isUnclear, isWithAgent, type Reason } from '@lab/contracts';
import type { TaskRunRow } from '../rows/index.js';
import type { Accepted } from '../submission/index.js';
import type { Turn } from '../turn/index.js';
import { beginEnding, beginEndingCampaign, endTask, requestStop } from '../work/index.js';
import { openTask, openWork } from './open-work.js';

const byRequest: Reason = { code: 'cancelled_by_request', message: 'cancelled by request' };

export function cancelProtocolRun(turn: Turn, name: string): Accepted {
  const run = openWork(turn, 'protocol_run', name);
  beginEnding(turn, run, 'cancelled', byRequest);
  decideOpen(turn, run.id);
  return { id: run.id, name };
}

export function cancelCampaign(turn: Turn, name: string): Accepted {
  const campaign = openWork(turn, 'campaign', name);
  beginEndingCampaign(turn, campaign, 'cancelled', byRequest);
  for (const run of turn.state.openRunsOf(campaign.id)) {
    beginEnding(turn, run, 'cancelled', {
      code: 'campaign_cancelled',
      message: `campaign ${name} was cancelled`,
    });
    decideOpen(turn, run.id);
  }
  return { id: campaign.id, name };
}

export function cancelTask(turn: Turn, name: string, protocolRun?: string): Accepted {
  const task = openTask(turn, name, protocolRun);
  if (isWithAgent(task.state)) requestStop(turn, task);
  else if (isUnclear(task.state)) endOpen(turn, task);
  else endTask(turn, task, 'cancelled', byRequest);
  return { id: task.id, name };
}

/** Ends the tasks of a run that wait for a person. The cancel is the decision of a person. */
function decideOpen(turn: Turn, runId: string): void {
  for (const task of turn.state.tasksOf(runId)) if (isUnclear(task.state)) endOpen(turn, task);
}

function endOpen(turn: Turn, task: TaskRunRow): void {
  const reason = {
    code: byRequest.code,
    message: `cancelled by request instead of a decision: ${task.reason?.message ?? 'no detail'}`,
  };
  const attempt = turn.state.rows.attempts.get(turn.state.rows.liveAttempts.get(task.id) ?? '');
  if (attempt !== undefined) turn.setAttempt(attempt, 'cancelled', { reason });
  endTask(turn, task, 'cancelled', reason);
}
