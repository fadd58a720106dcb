import {
  attemptTransitions,
  campaignTransitions,
  isTerminal,
  mayFollow,
  protocolRunTransitions,
  ServiceError,
  taskRunTransitions,
  trialTransitions,
  type Transitions,
} from '@lab/contracts';
import { type RowSet, allocationKey, indexTaskRun } from './row-set.js';
import type { AllocationKind, AllocationRow, Change } from './rows.js';

/**
 * Defines what every change means, for the engine's memory and for `MemoryStore`.
 *
 * Applies the change to `rows`, or throws and leaves them untouched. `tell`, `audit`, `archive` and `restore` change
 * no row here, because the engine decides nothing about archived work.
 *
 * @throws ServiceError `duplicate_name` when the name is taken; `wrong_state` when the row is missing, exists already,
 *   or is in a state that does not allow the change
 */
export function applyChange(rows: RowSet, change: Change): void {
  switch (change.op) {
    case 'insertCampaign': {
      const { row } = change;
      refuseKnown(rows.campaigns, row.id, 'campaign');
      refuseTaken(rows.campaignNames, row.name, 'campaign');
      rows.campaigns.set(row.id, row);
      rows.campaignNames.set(row.name, row.id);
      return;
    }
    case 'insertProtocolRun': {
      const { row } = change;
      refuseKnown(rows.protocolRuns, row.id, 'protocol run');
      refuseTaken(rows.protocolRunNames, row.name, 'protocol run');
      rows.protocolRuns.set(row.id, row);
      rows.protocolRunNames.set(row.name, row.id);
      return;
    }
    case 'insertTaskRun': {
      const { row } = change;
      refuseKnown(rows.taskRuns, row.id, 'task run');
      if (row.runId === null) refuseTaken(rows.onDemandNames, row.name, 'unfinished on-demand task');
      else if (rows.tasksOfRun.get(row.runId)?.has(row.name))
        throw conflict(`the protocol run has a task named "${row.name}" already`);
      indexTaskRun(rows, row);
      return;
    }
    case 'insertAttempt': {
      const { row } = change;
      refuseKnown(rows.attempts, row.id, 'attempt');
      if (rows.liveAttempts.has(row.taskRunId))
        throw conflict(`task run ${row.taskRunId} has an attempt that has not ended`);
      rows.attempts.set(row.id, row);
      rows.liveAttempts.set(row.taskRunId, row.id);
      return;
    }
    case 'insertTrial':
      known(rows.campaigns, change.row.campaignId, 'campaign');
      refuseKnown(rows.trials, change.row.id, 'trial');
      rows.trials.set(change.row.id, change.row);
      return;
    case 'updateTrial': {
      const row = known(rows.trials, change.id, 'trial');
      presumeTransition(trialTransitions, row.state, change.patch.state, 'trial of', row.run);
      rows.trials.set(row.id, { ...row, ...change.patch });
      return;
    }
    case 'updateCampaign': {
      const row = known(rows.campaigns, change.id, 'campaign');
      presumeTransition(campaignTransitions, row.state, change.patch.state, 'campaign', row.name);
      rows.campaigns.set(row.id, { ...row, ...change.patch });
      return;
    }
    case 'updateProtocolRun': {
      const row = known(rows.protocolRuns, change.id, 'protocol run');
      presumeTransition(protocolRunTransitions, row.state, change.patch.state, 'protocol run', row.name);
      rows.protocolRuns.set(row.id, { ...row, ...change.patch });
      return;
    }
    case 'updateTaskRun': {
      const row = known(rows.taskRuns, change.id, 'task run');
      presumeTransition(taskRunTransitions, row.state, change.patch.state, 'task run', row.name);
      const next = { ...row, ...change.patch };
      rows.taskRuns.set(row.id, next);
      if (isTerminal(next.state) && rows.onDemandNames.get(next.name) === next.id)
        rows.onDemandNames.delete(next.name);
      return;
    }
    case 'updateAttempt': {
      const row = known(rows.attempts, change.id, 'attempt');
      presumeTransition(attemptTransitions, row.state, change.patch.state, 'attempt', row.id);
      const next = { ...row, ...change.patch };
      rows.attempts.set(row.id, next);
      if (isTerminal(next.state) && rows.liveAttempts.get(next.taskRunId) === next.id)
        rows.liveAttempts.delete(next.taskRunId);
      return;
    }
    case 'claim': {
      const row = allocation(rows, change.kind, change.key);
      if (row.taskRunId !== null || row.heldByRunId !== null)
        throw conflict(`${change.kind} ${change.key} is not free`);
      presumeFence(row, change.fence);
      put(rows, { ...row, taskRunId: change.taskRunId, fence: change.fence, since: change.at });
      return;
    }
    case 'pass': {
      const row = allocation(rows, change.kind, change.key);
      if (row.heldByRunId !== change.runId)
        throw conflict(`${change.kind} ${change.key} is not held by protocol run ${change.runId}`);
      presumeFence(row, change.fence);
      put(rows, { ...row, taskRunId: change.taskRunId, fence: change.fence, since: change.at });
      return;
    }
    case 'hold': {
      const row = allocation(rows, change.kind, change.key);
      if (row.taskRunId !== change.taskRunId)
        throw conflict(`${change.kind} ${change.key} is not allocated to task run ${change.taskRunId}`);
      put(rows, { ...row, heldByRunId: change.runId });
      return;
    }
    case 'release': {
      const row = allocation(rows, change.kind, change.key);
      put(rows, { ...row, taskRunId: null, heldByRunId: null, since: null });
      return;
    }
    case 'putResource':
      rows.resources.set(change.row.name, change.row);
      return;
    case 'putAgent':
      rows.agents.set(change.row.computer, change.row);
      return;
    case 'putAttention':
      rows.attention.set(change.row.id, change.row);
      return;
    case 'putEmergencyStop':
      rows.emergencyStops.set(change.row.id, change.row);
      return;
    case 'putQueuePause':
      rows.queuePauses.set(change.row.id, change.row);
      return;
    case 'putDefinition':
      if (!rows.definitions.has(change.row.hash)) rows.definitions.set(change.row.hash, change.row);
      return;
    case 'archive':
    case 'restore':
    case 'tell':
    case 'audit':
      return;
  }
}

function conflict(message: string): ServiceError {
  return new ServiceError('wrong_state', message);
}

function known<Row>(table: ReadonlyMap<string, Row>, id: string, what: string): Row {
  const row = table.get(id);
  if (row === undefined) throw conflict(`there is no ${what} ${id}`);
  return row;
}

function refuseKnown(table: ReadonlyMap<string, unknown>, id: string, what: string): void {
  if (table.has(id)) throw conflict(`there is a ${what} ${id} already`);
}

function refuseTaken(names: ReadonlyMap<string, string>, name: string, what: string): void {
  if (names.has(name)) throw new ServiceError('duplicate_name', `there is a ${what} named "${name}" already`);
}

function presumeTransition<State extends string>(
  table: Transitions<State>,
  from: State,
  to: State | undefined,
  what: string,
  name: string,
): void {
  if (to !== undefined && to !== from && !mayFollow(table, from, to))
    throw conflict(`${what} ${name} is ${from} and cannot become ${to}`);
}

function presumeFence(row: AllocationRow, fence: number): void {
  if (fence !== row.fence + 1)
    throw conflict(`${row.kind} ${row.key} has fence ${row.fence}, so the next is not ${fence}`);
}

function allocation(rows: RowSet, kind: AllocationKind, key: string): AllocationRow {
  return (
    rows.allocations.get(allocationKey(kind, key)) ?? {
      kind,
      key,
      taskRunId: null,
      heldByRunId: null,
      fence: 0,
      since: null,
    }
  );
}

function put(rows: RowSet, row: AllocationRow): void {
  rows.allocations.set(allocationKey(row.kind, row.key), row);
}
