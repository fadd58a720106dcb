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
import type { Change } from '@lab/engine';
import { snakeCase, tables } from '../schema/index.js';

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

/** Merges the changes of a commit. @throws ServiceError `wrong_state` when the changes contradict each other */
export function planCommit(changes: readonly Change[]): CommitPlan {
  const plans = {
    Campaign: new TablePlan(tables.campaigns, campaignTransitions),
    ProtocolRun: new TablePlan(tables.protocolRuns, protocolRunTransitions),
    TaskRun: new TablePlan(tables.taskRuns, taskRunTransitions),
    Attempt: new TablePlan(tables.attempts, attemptTransitions),
    Trial: new TablePlan(tables.trials, trialTransitions),
  };
  type Planned = keyof typeof plans;
  const planOf = (op: `insert${Planned}` | `update${Planned}`) => plans[op.slice('insert'.length) as Planned];
  const definitions = new Map<string, Stored>();
  const overwritten = new Map<string, Map<string, Stored>>();
  const overwrite = (table: AnyTable, key: string, row: object): void => {
    const rows = overwritten.get(table.name) ?? new Map<string, Stored>();
    overwritten.set(table.name, rows.set(key, table.toStored(row)));
  };
  const audit: Stored[] = [];
  const allocations: Stored[] = [];
  const archived: Stored[] = [];
  const firstPlans: Stored[] = [];
  const events: Stored[] = [];
  const names: CommitPlan['names'] = { protocolRuns: [], campaigns: [], onDemandTasks: [] };

  for (const change of changes) {
    switch (change.op) {
      case 'insertCampaign':
      case 'insertProtocolRun':
      case 'insertTaskRun':
      case 'insertAttempt':
      case 'insertTrial':
        planOf(change.op).insert(change.row);
        if (change.op === 'insertCampaign') names.campaigns.push(change.row.name);
        if (change.op === 'insertProtocolRun') names.protocolRuns.push(change.row.name);
        if (change.op === 'insertTaskRun' && change.row.runId === null)
          names.onDemandTasks.push(change.row.name);
        break;
      case 'updateCampaign':
      case 'updateProtocolRun':
      case 'updateTaskRun':
      case 'updateAttempt':
      case 'updateTrial':
        planOf(change.op).update(change.id, change.patch);
        break;
      case 'notePlans':
        firstPlans.push(...change.plans);
        break;
      case 'claim':
      case 'pass':
      case 'hold':
      case 'release':
        allocations.push(plain(change));
        break;
      case 'putResource':
        overwrite(tables.resources, change.row.name, change.row);
        break;
      case 'putAgent':
        overwrite(tables.agents, change.row.computer, change.row);
        break;
      case 'putAttention':
      case 'claimAttention':
        overwrite(tables.attention, change.row.id, change.row);
        break;
      case 'putEmergencyStop':
        overwrite(tables.emergencyStops, change.row.id, change.row);
        break;
      case 'putQueuePause':
        overwrite(tables.queuePauses, change.row.id, change.row);
        break;
      case 'putDrain':
        overwrite(tables.drains, change.row.id, change.row);
        break;
      case 'putOutage':
        overwrite(tables.outages, change.row.device, change.row);
        break;
      case 'putReservation':
        overwrite(tables.reservations, change.row.id, change.row);
        break;
      case 'putRollout':
        overwrite(tables.rollouts, change.row.id, change.row);
        break;
      case 'putDeletion':
        overwrite(tables.deletions, change.row.id, change.row);
        break;
      case 'putLegalHold':
        overwrite(tables.legalHolds, change.row.id, change.row);
        break;
      case 'archive':
        archived.push({ op: change.op, ...tables.archive.toStored(change.row) });
        break;
      case 'restore':
        archived.push(plain(change));
        break;
      case 'audit':
        audit.push(tables.audit.toStored(change.row));
        break;
      case 'putDefinition': {
        const { hash, kind, body } = change.row;
        // As text, so that the database keeps the order of the fields.
        if (!definitions.has(hash)) definitions.set(hash, { hash, kind, body: JSON.stringify(body) });
        break;
      }
      case 'tell':
        events.push(plain(change.event));
        break;
    }
  }

  const document: Record<string, unknown[]> = {};
  const put = (name: string, items: unknown[]): void => {
    if (items.length > 0) document[name] = items;
  };
  put('definitions', sorted(definitions));
  for (const { table, updates, inserts } of Object.values(plans)) {
    put(`${table.name}_update`, sorted(updates));
    put(`${table.name}_insert`, sorted(inserts));
  }
  put('first_plans', firstPlans);
  put('allocations', allocations);
  for (const [name, rows] of overwritten) put(name, sorted(rows));
  put('archive', archived);
  put('audit', audit);
  put('events', events);
  return { document, names };
}

/** The fields under the names that the database's function reads. `at` is milliseconds since 1970. */
function plain(fields: object): Stored {
  const { at, ...others } = fields as { at?: number };
  const stored = Object.entries(others).map(([field, value]) => [snakeCase(field), value]);
  return { ...Object.fromEntries(stored), ...(at === undefined ? {} : { at: new Date(at).toISOString() }) };
}

type AnyTable = { name: string; toStored(part: object): Stored };

/** The rows of one table that a commit inserts and updates. */
class TablePlan {
  readonly inserts = new Map<string, Stored>();
  readonly updates = new Map<string, Update>();
  readonly #what: string;

  constructor(
    readonly table: AnyTable,
    private readonly transitions: Transitions<string>,
  ) {
    this.#what = table.name.replace('_', ' ');
  }

  insert(row: { id: string }): void {
    const { id } = row;
    if (this.inserts.has(id) || this.updates.has(id))
      throw new ServiceError('wrong_state', `there is a ${this.#what} ${id} already`);
    this.inserts.set(id, this.table.toStored(row));
  }

  update(id: string, patch: object): void {
    const set = this.table.toStored(patch);
    const inserted = this.inserts.get(id);
    const earlier = inserted ?? this.updates.get(id)?.set;
    const [from, to] = [earlier?.['state'], set['state']];
    if (typeof from === 'string' && typeof to === 'string' && !this.#mayFollow(from, to))
      throw new ServiceError('wrong_state', `${this.#what} ${id} is ${from} and cannot become ${to}`);
    if (inserted !== undefined) {
      Object.assign(inserted, set);
      return;
    }
    const update = this.updates.get(id) ?? { id, set: {} };
    if (update.from === undefined && typeof to === 'string')
      update.from = Object.keys(this.transitions).filter((state) => this.#mayFollow(state, to));
    Object.assign(update.set, set);
    this.updates.set(id, update);
  }

  #mayFollow(from: string, to: string): boolean {
    return from === to || mayFollow(this.transitions, from, to);
  }
}

/** The values in the order of their keys, so that every commit touches rows in the same order. */
function sorted<Value>(map: ReadonlyMap<string, Value>): Value[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, value]) => value);
}
