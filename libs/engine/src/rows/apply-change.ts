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
import { countFiles, countTaskRun } from './count-usage.js';
import { type RowSet, allocationKey, indexCampaign, indexRun, indexTaskRun } from './row-set.js';
import type { AllocationKind, AllocationRow, Change } from './rows.js';

/**
 * Applies the change to `rows`, or throws and leaves them untouched: the meaning of every change, also for
 * `MemoryStore`. The engine decides nothing about archived work, so `archive` and `restore` change no row here.
 *
 * @throws ServiceError `duplicate_name`; `wrong_state` when the row is missing, exists already, or is in a state that
 *   does not allow the change
 */
export function applyChange(rows: RowSet, change: Change): void {
  switch (change.op) {
    case 'insertCampaign':
      refuseKnown(rows.campaigns, change.row.id, 'campaign');
      refuseTaken(rows.campaignNames, change.row.name, 'campaign');
      indexCampaign(rows, change.row);
      return;
    case 'insertProtocolRun':
      refuseKnown(rows.protocolRuns, change.row.id, 'protocol run');
      refuseTaken(rows.protocolRunNames, change.row.name, 'protocol run');
      indexRun(rows, change.row);
      return;
    case 'insertTaskRun': {
      const { row } = change;
      refuseKnown(rows.taskRuns, row.id, 'task run');
      if (row.runId === null) refuseTaken(rows.onDemandNames, row.name, 'unfinished on-demand task');
      else if (rows.tasksOfRun.get(row.runId)?.has(row.name))
        throw conflict(`the protocol run has a task named "${row.name}" already`);
      indexTaskRun(rows, row);
      countTaskRun(rows, row);
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
    case 'updateTrial':
      update(rows.trials, change, trialTransitions, 'trial', ({ run }) => `of ${run}`);
      return;
    case 'updateCampaign':
      update(rows.campaigns, change, campaignTransitions, 'campaign', ({ name }) => name);
      return;
    case 'updateProtocolRun':
      update(rows.protocolRuns, change, protocolRunTransitions, 'protocol run', ({ name }) => name);
      return;
    case 'updateTaskRun': {
      const before = rows.taskRuns.get(change.id);
      const next = update(rows.taskRuns, change, taskRunTransitions, 'task run', ({ name }) => name);
      if (isTerminal(next.state) && rows.onDemandNames.get(next.name) === next.id)
        rows.onDemandNames.delete(next.name);
      if (before !== undefined) countFiles(rows, before, next);
      return;
    }
    case 'notePlans':
      for (const { id, plan } of change.plans) {
        const row = rows.taskRuns.get(id);
        if (row?.firstPlan === null) rows.taskRuns.set(id, { ...row, firstPlan: plan });
      }
      return;
    case 'updateAttempt': {
      const next = update(rows.attempts, change, attemptTransitions, 'attempt', ({ id }) => id);
      if (isTerminal(next.state) && rows.liveAttempts.get(next.taskRunId) === next.id)
        rows.liveAttempts.delete(next.taskRunId);
      return;
    }
    case 'claim':
    case 'pass': {
      const { kind, key, taskRunId, fence, at } = change;
      const row = allocation(rows, kind, key);
      if (change.op === 'claim' && (row.taskRunId !== null || row.heldByRunId !== null))
        throw conflict(`${kind} ${key} is not free`);
      if (change.op === 'pass' && row.heldByRunId !== change.runId)
        throw conflict(`${kind} ${key} is not held by protocol run ${change.runId}`);
      if (fence !== row.fence + 1)
        throw conflict(`${kind} ${key} has fence ${row.fence}, so the next is not ${fence}`);
      put(rows, { ...row, taskRunId, fence, since: at });
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
      put(rows, { ...row, taskRunId: null, heldByRunId: null, since: change.at });
      return;
    }
    case 'putResource':
      rows.resources.set(change.row.name, change.row);
      return;
    case 'putAgent':
      rows.agents.set(change.row.computer, change.row);
      return;
    case 'putAttention':
    case 'claimAttention':
      rows.attention.set(change.row.id, change.row);
      return;
    case 'putEmergencyStop':
      rows.emergencyStops.set(change.row.id, change.row);
      return;
    case 'putQueuePause':
      rows.queuePauses.set(change.row.id, change.row);
      return;
    case 'putDrain':
      rows.drains.set(change.row.id, change.row);
      return;
    case 'putOutage':
      if (change.row.endedAt === null) rows.outages.set(change.row.device, change.row);
      else rows.outages.delete(change.row.device);
      return;
    case 'putReservation':
      if (change.row.endedAt === null) rows.reservations.set(change.row.id, change.row);
      else rows.reservations.delete(change.row.id);
      return;
    case 'putRollout':
      rows.rollouts.set(change.row.id, change.row);
      return;
    case 'putDeletion': {
      const { id, state } = change.row;
      if (state === 'planned' || state === 'running') rows.deletions.set(id, change.row);
      else rows.deletions.delete(id);
      return;
    }
    case 'putLegalHold':
      if (change.row.releasedAt === null) rows.legalHolds.set(change.row.id, change.row);
      else rows.legalHolds.delete(change.row.id);
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

/** The error of an act that the state of the work does not allow. */
export function conflict(message: string): ServiceError {
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

/** Replaces fields of a row, unless its state must not change so. @returns the new row */
function update<State extends string, Row extends { state: State }>(
  table: Map<string, Row>,
  { id, patch }: { id: string; patch: Partial<NoInfer<Row>> },
  transitions: Transitions<State>,
  what: string,
  nameOf: (row: Row) => string,
): Row {
  const row = known(table, id, what);
  const next = { ...row, ...patch };
  if (next.state !== row.state && !mayFollow(transitions, row.state, next.state))
    throw conflict(`${what} ${nameOf(row)} is ${row.state} and cannot become ${next.state}`);
  table.set(id, next);
  return next;
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
