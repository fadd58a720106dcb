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
import type { Change, DefinitionRow } from '@lab/engine';
import { tables } from '../schema/index.js';

type Stored = Record<string, unknown>;

/** An update of one row: the columns to set and, if the state changes, the states that the row may have before. */
interface Update {
  id: string;
  from?: string[];
  set: Stored;
}

/**
 * The changes of a commit, merged row by row, in the form that the database's function `commit_changes` reads. One
 * statement handles all rows of a table. Names and attempts are judged by the outcome of the commit.
 */
export interface CommitPlan {
  /** The argument for the database. */
  document: Record<string, unknown[]>;
  /** Names that the commit makes. If one is taken, the error message names it. */
  names: { protocolRuns: string[]; campaigns: string[]; onDemandTasks: string[] };
}

/**
 * Merges the changes of a commit.
 *
 * @throws ServiceError `wrong_state` when the changes contradict each other
 */
export function planCommit(changes: readonly Change[]): CommitPlan {
  const { campaigns, protocolRuns, taskRuns, attempts, trials } = tables;
  const campaign = new TablePlan(campaigns, campaignTransitions);
  const protocolRun = new TablePlan(protocolRuns, protocolRunTransitions);
  const taskRun = new TablePlan(taskRuns, taskRunTransitions);
  const attempt = new TablePlan(attempts, attemptTransitions);
  const trial = new TablePlan(trials, trialTransitions);
  const definitions = new Map<string, DefinitionRow>();
  const resources = new Map<string, Stored>();
  const agents = new Map<string, Stored>();
  const attention = new Map<string, Stored>();
  const emergencyStops = new Map<string, Stored>();
  const queuePauses = new Map<string, Stored>();
  const audit: Stored[] = [];
  const allocations: Stored[] = [];
  const archived: Stored[] = [];
  const events: Stored[] = [];
  const names: CommitPlan['names'] = { protocolRuns: [], campaigns: [], onDemandTasks: [] };

  for (const change of changes) {
    switch (change.op) {
      case 'insertCampaign':
        campaign.insert(change.row);
        names.campaigns.push(change.row.name);
        break;
      case 'insertProtocolRun':
        protocolRun.insert(change.row);
        names.protocolRuns.push(change.row.name);
        break;
      case 'insertTaskRun':
        taskRun.insert(change.row);
        if (change.row.runId === null) names.onDemandTasks.push(change.row.name);
        break;
      case 'insertAttempt':
        attempt.insert(change.row);
        break;
      case 'insertTrial':
        trial.insert(change.row);
        break;
      case 'updateCampaign':
        campaign.update(change.id, change.patch);
        break;
      case 'updateProtocolRun':
        protocolRun.update(change.id, change.patch);
        break;
      case 'updateTaskRun':
        taskRun.update(change.id, change.patch);
        break;
      case 'updateAttempt':
        attempt.update(change.id, change.patch);
        break;
      case 'updateTrial':
        trial.update(change.id, change.patch);
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
        resources.set(change.row.name, tables.resources.toStored(change.row));
        break;
      case 'putAgent':
        agents.set(change.row.computer, tables.agents.toStored(change.row));
        break;
      case 'putAttention':
        attention.set(change.row.id, tables.attention.toStored(change.row));
        break;
      case 'putEmergencyStop':
        emergencyStops.set(change.row.id, tables.emergencyStops.toStored(change.row));
        break;
      case 'putQueuePause':
        queuePauses.set(change.row.id, tables.queuePauses.toStored(change.row));
        break;
      case 'archive':
        archived.push({ op: change.op, ...tables.archive.toStored(change.row) });
        break;
      case 'restore':
        archived.push({ op: change.op, id: change.id, at: new Date(change.at).toISOString() });
        break;
      case 'audit':
        audit.push(tables.audit.toStored(change.row));
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
    // As text, so that the database keeps the order of the fields.
    sorted(definitions).map(({ hash, kind, body }) => ({ hash, kind, body: JSON.stringify(body) })),
  );
  for (const { table, updates, inserts } of [campaign, protocolRun, taskRun, attempt, trial]) {
    put(`${table.name}_update`, sorted(updates));
    put(`${table.name}_insert`, sorted(inserts));
  }
  put('allocations', allocations);
  put('resource', sorted(resources));
  put('agent', sorted(agents));
  put('attention', sorted(attention));
  put('emergency_stop', sorted(emergencyStops));
  put('queue_pause', sorted(queuePauses));
  put('archive', archived);
  put('audit', audit);
  put('events', events);
  return { document, names };
}

type TableFor<Row> = { name: string; toStored(part: Partial<Row>): Stored };

/** The rows of one table that a commit inserts and updates. */
class TablePlan<Row extends { id: string }> {
  readonly inserts = new Map<string, Stored>();
  readonly updates = new Map<string, Update>();
  readonly #what: string;

  constructor(
    readonly table: TableFor<Row>,
    private readonly transitions: Transitions<string>,
  ) {
    this.#what = table.name.replace('_', ' ');
  }

  insert(row: Row): void {
    const { id } = row;
    if (this.inserts.has(id) || this.updates.has(id))
      throw new ServiceError('wrong_state', `there is a ${this.#what} ${id} already`);
    this.inserts.set(id, this.table.toStored(row));
  }

  update(id: string, patch: Partial<Row>): void {
    const set = this.table.toStored(patch);
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
      throw new ServiceError('wrong_state', `${this.#what} ${id} is ${from} and cannot become ${to}`);
  }

  private statesBefore(to: string): string[] {
    return Object.keys(this.transitions).filter(
      (from) => from === to || mayFollow(this.transitions, from, to),
    );
  }
}

/** The values in the order of their keys, so that every commit touches rows in the same order. */
function sorted<Value>(map: ReadonlyMap<string, Value>): Value[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, value]) => value);
}
