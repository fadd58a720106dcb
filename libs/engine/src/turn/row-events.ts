import type { DeletionState, EventKind, JsonObject, Reason } from '@lab/contracts';
import {
  type AttentionRow,
  type Change,
  type OutboxRow,
  type ProtocolRunRow,
  type RolloutRow,
  type TaskRunRow,
  drainedComputer,
} from '../rows/index.js';
import type { WorkingState } from './working-state.js';

/**
 * Events: what the service publishes about a record after a change. Every body has the fields by which events are
 * filtered, as far as they apply: `owner`, `campaign`, `protocol_run` and the list `labs`.
 */

export type NewEvent = Omit<OutboxRow, 'at'>;

/** What happens to a work with each state of its deletion. */
const deletionEvents = {
  planned: 'deletion_planned',
  running: 'deletion_begun',
  cancelled: 'deletion_cancelled',
  done: 'deleted',
} as const satisfies Record<DeletionState, string>;

/** The event that a change of a row causes by itself; undefined: it causes none. */
export function eventOf(state: WorkingState, change: Change): NewEvent | undefined {
  switch (change.op) {
    case 'insertAttempt':
      return ofAttempt(state, change.row.id);
    case 'updateAttempt':
      return change.patch.state === undefined ? undefined : ofAttempt(state, change.id);
    case 'insertTrial':
      return ofTrial(state, change.row.id);
    case 'updateTrial':
      return change.patch.state === undefined ? undefined : ofTrial(state, change.id);
    case 'putAttention':
      return ofAttention(state, change.row, change.row.state === 'open' ? 'opened' : 'resolved');
    case 'claimAttention': {
      const { row, by } = change;
      return ofAttention(state, row, row.claim === null ? 'released' : 'claimed', by);
    }
    case 'putResource': {
      const { name, type, lab, meta } = change.row;
      return newEvent('resource', name, 'changed', { name, resource_type: type, labs: [lab], meta });
    }
    case 'putEmergencyStop': {
      const { id, scope, by, reason, releasedAt, releasedBy } = change.row;
      const [lab] = scope === 'all' ? [] : scope.slice(scope.indexOf(':') + 1).split('.');
      const body = { id, scope, by, reason, released_by: releasedBy, labs: lab === undefined ? [] : [lab] };
      return newEvent('halt', id, releasedAt === null ? 'engaged' : 'released', body);
    }
    case 'putQueuePause': {
      const { id, by, resumedAt, resumedBy } = change.row;
      const body = { id, scope: 'queue', by, reason: '', released_by: resumedBy, labs: [] };
      return newEvent('halt', id, resumedAt === null ? 'engaged' : 'released', body);
    }
    case 'putDrain': {
      const { id, campaignId, by, endedAt, endedBy } = change.row;
      const campaign = state.rows.campaigns.get(campaignId ?? '');
      const about: JsonObject =
        campaign === undefined
          ? { labs: [] }
          : { owner: campaign.owner, campaign: campaign.name, labs: labsOf(state, campaign) };
      const body = { id, scope: 'drain', by, reason: '', released_by: endedBy, ...about };
      return newEvent('halt', id, endedAt === null ? 'engaged' : 'released', body);
    }
    case 'putOutage': {
      const { device, by, reason, until, endedAt, endedBy } = change.row;
      const computer = drainedComputer(change.row);
      if (computer !== undefined) {
        const drain = { computer, by, reason, until: iso(until), ended_by: endedBy };
        return newEvent('agent', computer, endedAt === null ? 'drained' : 'resumed', drain);
      }
      const [lab = '', name = ''] = device.split('.');
      const body = { lab, name, by, reason, until: iso(until), ended_by: endedBy, labs: [lab] };
      return newEvent('device', device, endedAt === null ? 'out_of_service' : 'in_service', body);
    }
    case 'putReservation': {
      const { id, kind, key, lab, by, reason, fromAt, toAt, endedAt, endedBy } = change.row;
      const window = { from: iso(fromAt), to: iso(toAt) };
      const name = kind === 'device' ? key.slice(lab.length + 1) : key;
      const body = { id, lab, name, by, reason, ...window, ended_by: endedBy, labs: [lab] };
      return newEvent(kind, key, endedAt === null ? 'reserved' : 'reservation_ended', body);
    }
    case 'putDeletion': {
      const { workId, kind, name, owner, labs, what, state, by, reason } = change.row;
      const body = { id: workId, name, owner, labs, what, by, reason, due_at: iso(change.row.dueAt) };
      return newEvent(kind, workId, deletionEvents[state], body);
    }
    case 'putRollout':
      return ofRollout(change.row);
    default:
      return undefined;
  }
}

function ofRollout({ id, version, state, by, reason, halt, steps, endedBy }: RolloutRow): NewEvent {
  return newEvent('rollout', id, state, {
    ...{ id, version, state, by, reason, ended_by: endedBy },
    halt: halt && { computer: halt.computer, reason: halt.reason },
    computers: countsOf(steps),
  });
}

/** How many computers have each state that one has. A list would repeat all of them at each step of each. */
function countsOf(steps: RolloutRow['steps']): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of steps) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

export function ofTask(state: WorkingState, id: string): NewEvent | undefined {
  const task = state.rows.taskRuns.get(id);
  return (
    task &&
    newEvent('task_run', id, task.state, {
      ...common(task),
      ...placeOf(state, task),
      task_type: task.type,
      attempt: task.attempt,
      cancel_requested: task.cancelRequestedAt !== null,
      late_by_s: task.lateByS,
    })
  );
}

export function ofRun(state: WorkingState, id: string): NewEvent | undefined {
  const run = state.rows.protocolRuns.get(id);
  return (
    run &&
    newEvent('protocol_run', id, run.state, {
      ...common(run),
      owner: run.owner,
      campaign: campaignName(state, run),
      labs: labsOf(state, run),
      protocol: run.type,
      ending: run.ending?.state ?? null,
    })
  );
}

export function ofCampaign(state: WorkingState, id: string): NewEvent | undefined {
  const campaign = state.rows.campaigns.get(id);
  return (
    campaign &&
    newEvent('campaign', id, campaign.state, {
      ...common(campaign),
      owner: campaign.owner,
      labs: labsOf(state, campaign),
      protocol: campaign.protocol,
      protocol_runs_completed: campaign.runsCompleted,
      max_protocol_runs: campaign.maxProtocolRuns,
      ending: campaign.ending?.state ?? null,
    })
  );
}

/** Where a task belongs, in the fields by which events are filtered. */
export function placeOf(state: WorkingState, task: TaskRunRow): JsonObject {
  const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
  return {
    owner: task.owner,
    protocol_run: run?.name ?? null,
    campaign: run === undefined ? null : campaignName(state, run),
    labs: labsOfTask(state, task),
  };
}

function ofAttempt(state: WorkingState, id: string): NewEvent | undefined {
  const attempt = state.rows.attempts.get(id);
  const task = attempt && state.rows.taskRuns.get(attempt.taskRunId);
  if (attempt === undefined || task === undefined) return undefined;
  return newEvent('attempt', id, attempt.state, {
    id,
    number: attempt.number,
    state: attempt.state,
    reason: inShort(attempt.reason),
    task_run_id: task.id,
    task: task.name,
    ...placeOf(state, task),
    computer: attempt.computer,
    devices: Object.values(attempt.devices).map(({ lab, name }) => `${lab}.${name}`),
  });
}

function ofTrial(state: WorkingState, id: string): NewEvent | undefined {
  const trial = state.rows.trials.get(id);
  const campaign = trial && state.rows.campaigns.get(trial.campaignId);
  if (trial === undefined || campaign === undefined) return undefined;
  return newEvent('trial', id, trial.state, {
    number: trial.number,
    state: trial.state,
    source: trial.source,
    owner: campaign.owner,
    campaign: campaign.name,
    protocol_run: trial.run,
    labs: labsOf(state, campaign),
    outputs: trial.outputs,
  });
}

/** @param by who acted */
function ofAttention(
  state: WorkingState,
  row: AttentionRow,
  what: 'opened' | 'resolved' | 'claimed' | 'released',
  by = row.resolution?.by ?? null,
): NewEvent {
  const task = row.taskRunId === null ? undefined : state.rows.taskRuns.get(row.taskRunId);
  const [lab] = row.device?.split('.') ?? [];
  return newEvent('attention', row.id, what, {
    id: row.id,
    kind: row.kind,
    subject: subjectOf(state, row),
    reason: inShort(row.reason),
    action: row.resolution?.action ?? null,
    by,
    claim: row.claim && { by: row.claim.by, since: iso(row.claim.since), until: iso(row.claim.until) },
    ...(task === undefined ? { labs: lab === undefined ? [] : [lab] } : placeOf(state, task)),
  });
}

/** What an attention item is about, as people call it. */
export function subjectOf(state: WorkingState, item: AttentionRow): string {
  const task = item.taskRunId === null ? undefined : state.rows.taskRuns.get(item.taskRunId);
  return task === undefined ? (item.device ?? item.computer ?? '') : state.labelOf(task);
}

export function newEvent(kind: EventKind, id: string, what: string, body: JsonObject): NewEvent {
  return { aggregate: `${kind}/${id}`, type: `${kind}.${what}`, body };
}

/** The laboratories of a task: those of its run, or of its own devices and resources. Empty: none, or one is unknown. */
export function labsOfTask(state: WorkingState, task: TaskRunRow): string[] {
  if (task.runId !== null) return labsOf(state, task);
  const used = [
    ...Object.values(task.devices).map((device) => device.lab_name),
    ...Object.values(task.resources).map(({ name }) => state.rows.resources.get(name)?.lab),
  ];
  const known = used.filter((lab) => lab !== undefined);
  return known.length < used.length ? [] : [...new Set(known)];
}

/** The laboratories that the protocol of a run, of its tasks or of a campaign names. */
export function labsOf(state: WorkingState, work: { definitionHash: string }): string[] {
  return [...(state.protocolOf(work)?.protocol.labs ?? [])];
}

function campaignName(state: WorkingState, run: ProtocolRunRow): string | null {
  return (run.campaignId === null ? undefined : state.rows.campaigns.get(run.campaignId))?.name ?? null;
}

function common(row: { id: string; name: string; state: string; reason: Reason | null }): JsonObject {
  const { id, name, state, reason } = row;
  return { id, name, state, reason: inShort(reason) };
}

/** Without the stack trace. */
function inShort(reason: Reason | null): { code: string; message: string } | null {
  return reason && { code: reason.code, message: reason.message };
}
