import {
  attemptTransitions,
  campaignTransitions,
  mayFollow,
  protocolRunTransitions,
  ServiceError,
  taskRunTransitions,
  trialTransitions,
  type Transitions,
} from '@lab/contracts';
import type { AgentRow, AttentionRow, Change, DefinitionRow, HaltRow, ResourceRow } from '@lab/engine';
import {
  agentColumns,
  archiveColumns,
  attemptColumns,
  attentionColumns,
  auditColumns,
  campaignColumns,
  haltColumns,
  protocolRunColumns,
  resourceColumns,
  taskRunColumns,
  toColumns,
  trialColumns,
} from '../schema/tables.js';

type Stored = Record<string, unknown>;

/** An update of one row: what to set, and, where the state changes, the states it may have before. */
interface Update {
  id: string;
  from?: string[];
  set: Stored;
}

/**
 * What a commit comes to, row by row, as the database's function `commit_changes` reads it. All changes of one row are
 * one statement's work, and all rows of one table too; names and attempts are judged by the outcome of the commit.
 */
export interface CommitPlan {
  /** The argument for the database. */
  document: Record<string, unknown[]>;
  /** Names that the commit makes, for the message when one is taken. */
  names: { protocolRuns: string[]; campaigns: string[]; onDemandTasks: string[] };
}

/** @throws ServiceError `wrong_state` when the changes contradict each other */
export function planCommit(changes: readonly Change[]): CommitPlan {
  const tables = {
    campaign: new TablePlan('campaign', campaignTransitions),
    protocol_run: new TablePlan('protocol run', protocolRunTransitions),
    task_run: new TablePlan('task run', taskRunTransitions),
    attempt: new TablePlan('attempt', attemptTransitions),
    trial: new TablePlan('trial', trialTransitions),
  };
  const definitions = new Map<string, DefinitionRow>();
  const resources = new Map<string, ResourceRow>();
  const agents = new Map<string, AgentRow>();
  const attention = new Map<string, AttentionRow>();
  const halts = new Map<string, HaltRow>();
  const audit: Stored[] = [];
  const allocations: Stored[] = [];
  const archived: Stored[] = [];
  const events: Stored[] = [];
  const names: CommitPlan['names'] = { protocolRuns: [], campaigns: [], onDemandTasks: [] };

  for (const change of changes) {
    switch (change.op) {
      case 'insertCampaign':
        tables.campaign.insert(toColumns(campaignColumns, change.row), change.row.id);
        names.campaigns.push(change.row.name);
        break;
      case 'insertProtocolRun':
        tables.protocol_run.insert(toColumns(protocolRunColumns, change.row), change.row.id);
        names.protocolRuns.push(change.row.name);
        break;
      case 'insertTaskRun':
        tables.task_run.insert(toColumns(taskRunColumns, change.row), change.row.id);
        if (change.row.runId === null) names.onDemandTasks.push(change.row.name);
        break;
      case 'insertAttempt':
        tables.attempt.insert(toColumns(attemptColumns, change.row), change.row.id);
        break;
      case 'insertTrial':
        tables.trial.insert(toColumns(trialColumns, change.row), change.row.id);
        break;
      case 'updateTrial':
        tables.trial.update(change.id, toColumns(trialColumns, change.patch));
        break;
      case 'updateCampaign':
        tables.campaign.update(change.id, toColumns(campaignColumns, change.patch));
        break;
      case 'updateProtocolRun':
        tables.protocol_run.update(change.id, toColumns(protocolRunColumns, change.patch));
        break;
      case 'updateTaskRun':
        tables.task_run.update(change.id, toColumns(taskRunColumns, change.patch));
        break;
      case 'updateAttempt':
        tables.attempt.update(change.id, toColumns(attemptColumns, change.patch));
        break;
      case 'claim':
      case 'pass':
        allocations.push({
          op: change.op,
          kind: change.kind,
          key: change.key,
          task_run_id: change.taskRunId,
          fence: change.fence,
          at: new Date(change.at).toISOString(),
          ...(change.op === 'pass' ? { run_id: change.runId } : {}),
        });
        break;
      case 'hold':
        allocations.push({
          op: change.op,
          kind: change.kind,
          key: change.key,
          task_run_id: change.taskRunId,
          run_id: change.runId,
        });
        break;
      case 'release':
        allocations.push({ op: change.op, kind: change.kind, key: change.key });
        break;
      case 'putResource':
        resources.set(change.row.name, change.row);
        break;
      case 'putAgent':
        agents.set(change.row.computer, change.row);
        break;
      case 'putAttention':
        attention.set(change.row.id, change.row);
        break;
      case 'putHalt':
        halts.set(change.row.id, change.row);
        break;
      case 'archive':
        archived.push({ op: change.op, ...toColumns(archiveColumns, change.row) });
        break;
      case 'restore':
        archived.push({ op: change.op, id: change.id, at: new Date(change.at).toISOString() });
        break;
      case 'audit':
        audit.push(toColumns(auditColumns, change.row));
        break;
      case 'putDefinition':
        if (!definitions.has(change.row.hash)) definitions.set(change.row.hash, change.row);
        break;
      case 'tell':
        events.push({ ...change.event, at: new Date(change.event.at).toISOString() });
        break;
    }
  }

  const document: Record<string, unknown[]> = {};
  const put = (name: string, items: unknown[]): void => {
    if (items.length > 0) document[name] = items;
  };
  put(
    'definitions',
    // As text, for the database to keep the order of the fields.
    sorted(definitions).map(({ hash, kind, body }) => ({ hash, kind, body: JSON.stringify(body) })),
  );
  for (const [name, plan] of Object.entries(tables)) {
    put(`${name}_update`, sorted(plan.updates));
    put(`${name}_insert`, sorted(plan.inserts));
  }
  put('allocations', allocations);
  put(
    'resources',
    sorted(resources).map((row) => toColumns(resourceColumns, row)),
  );
  put(
    'agents',
    sorted(agents).map((row) => toColumns(agentColumns, row)),
  );
  put(
    'attention',
    sorted(attention).map((row) => toColumns(attentionColumns, row)),
  );
  put(
    'halts',
    sorted(halts).map((row) => toColumns(haltColumns, row)),
  );
  put('archive', archived);
  put('audit', audit);
  put('events', events);
  return { document, names };
}

/** What becomes of the rows of one table. */
class TablePlan {
  readonly inserts = new Map<string, Stored>();
  readonly updates = new Map<string, Update>();

  constructor(
    private readonly what: string,
    private readonly transitions: Transitions<string>,
  ) {}

  insert(row: Stored, id: string): void {
    if (this.inserts.has(id) || this.updates.has(id))
      throw new ServiceError('wrong_state', `there is a ${this.what} ${id} already`);
    this.inserts.set(id, row);
  }

  update(id: string, set: Stored): void {
    const inserted = this.inserts.get(id);
    const earlier = inserted ?? this.updates.get(id)?.set;
    this.presume(id, earlier?.['state'], set['state']);
    if (inserted !== undefined) {
      Object.assign(inserted, set);
      return;
    }
    const update = this.updates.get(id) ?? { id, set: {} };
    if (update.from === undefined && typeof set['state'] === 'string')
      update.from = this.statesBefore(set['state']);
    Object.assign(update.set, set);
    this.updates.set(id, update);
  }

  private presume(id: string, from: unknown, to: unknown): void {
    if (typeof from !== 'string' || typeof to !== 'string' || from === to) return;
    if (!mayFollow(this.transitions, from, to))
      throw new ServiceError('wrong_state', `${this.what} ${id} is ${from} and cannot become ${to}`);
  }

  private statesBefore(to: string): string[] {
    return Object.keys(this.transitions).filter(
      (from) => from === to || mayFollow(this.transitions, from, to),
    );
  }
}

/** Values in the order of their keys, so that every commit touches rows in the same order. */
function sorted<Value>(map: ReadonlyMap<string, Value>): Value[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, value]) => value);
}
