import { isTerminal, ServiceError } from '@lab/contracts';
import type { CampaignRow, ProtocolRunRow, TaskRunRow } from '../rows/index.js';
import type { Turn } from '../turn/index.js';

/** Finds unfinished work by name. Throws ServiceError `not_found`, or `wrong_state` when the work is over. */

export function openRun(turn: Turn, name: string): ProtocolRunRow {
  const run = turn.state.rows.protocolRuns.get(turn.state.rows.protocolRunNames.get(name) ?? '');
  if (run === undefined || isTerminal(run.state))
    throw notOpen(turn, 'protocolRun', 'protocol run', name, run?.state);
  return run;
}

export function openCampaign(turn: Turn, name: string): CampaignRow {
  const campaign = turn.state.rows.campaigns.get(turn.state.rows.campaignNames.get(name) ?? '');
  if (campaign === undefined || isTerminal(campaign.state))
    throw notOpen(turn, 'campaign', 'campaign', name, campaign?.state);
  return campaign;
}

/** @param protocolRun run of the task; undefined: an on-demand task */
export function openTask(turn: Turn, name: string, protocolRun?: string): TaskRunRow {
  const task =
    protocolRun === undefined
      ? turn.state.rows.taskRuns.get(turn.state.rows.onDemandNames.get(name) ?? '')
      : turn.state.taskOf(openRun(turn, protocolRun).id, name);
  if (task === undefined)
    throw protocolRun === undefined
      ? notOpen(turn, 'onDemandTask', 'on-demand task', name)
      : new ServiceError('not_found', `protocol run "${protocolRun}" has no task named "${name}"`);
  if (isTerminal(task.state))
    throw new ServiceError('wrong_state', `task ${turn.state.labelOf(task)} is ${task.state} already`);
  return task;
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
