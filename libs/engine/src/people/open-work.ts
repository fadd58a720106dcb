import { isTerminal, ServiceError, workWords } from '@lab/contracts';
import { type CampaignRow, type ProtocolRunRow, type TaskRunRow, conflict } from '../rows/index.js';
import type { Turn } from '../turn/index.js';

/** Finds unfinished work by name. Throws ServiceError `not_found`, or `wrong_state` when the work is over. */

export function openWork(turn: Turn, kind: 'protocol_run', name: string): ProtocolRunRow;
export function openWork(turn: Turn, kind: 'campaign', name: string): CampaignRow;
export function openWork(
  turn: Turn,
  kind: 'campaign' | 'protocol_run',
  name: string,
): CampaignRow | ProtocolRunRow;
export function openWork(
  turn: Turn,
  kind: 'campaign' | 'protocol_run',
  name: string,
): CampaignRow | ProtocolRunRow {
  const { campaigns, campaignNames, protocolRuns, protocolRunNames } = turn.state.rows;
  const row =
    kind === 'campaign'
      ? campaigns.get(campaignNames.get(name) ?? '')
      : protocolRuns.get(protocolRunNames.get(name) ?? '');
  if (row !== undefined && !isTerminal(row.state)) return row;
  throw notOpen(turn, kind === 'campaign' ? 'campaign' : 'protocolRun', workWords[kind], name, row?.state);
}

/** @param protocolRun run of the task; undefined: an on-demand task */
export function openTask(turn: Turn, name: string, protocolRun?: string): TaskRunRow {
  const task =
    protocolRun === undefined
      ? turn.state.rows.taskRuns.get(turn.state.rows.onDemandNames.get(name) ?? '')
      : turn.state.taskOf(openWork(turn, 'protocol_run', protocolRun).id, name);
  if (task === undefined)
    throw protocolRun === undefined
      ? notOpen(turn, 'onDemandTask', 'on-demand task', name)
      : new ServiceError('not_found', `protocol run "${protocolRun}" has no task named "${name}"`);
  if (isTerminal(task.state)) throw conflict(`task ${turn.state.labelOf(task)} is ${task.state} already`);
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
    ? conflict(`the ${what} "${name}" is ${state ?? 'over'} already`)
    : new ServiceError('not_found', `there is no ${what} named "${name}"`);
}
