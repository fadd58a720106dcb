import type {
  AttemptRecord,
  AttentionRecord,
  AuditRecord,
  CampaignRecord,
  EmergencyStopRecord,
  ListRequest,
  Portion,
  ProtocolRunRecord,
  ResourceRecord,
  StoredItems,
  StoredListName,
  TaskRunRecord,
  Trial,
  WorkKind,
} from '@lab/contracts';
import { sql, type ExpressionBuilder, type Kysely } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { answered, databaseError, openDatabase } from '../connection/index.js';
import { type Database, isArchived, isStorable, rootOfRun, rootOfTask } from '../schema/index.js';
import {
  readCampaignExtent,
  readCampaignRuns,
  type CampaignExtent,
  type CampaignRun,
  type CampaignRunsPart,
} from './campaign-runs.js';
import { CodeHashReader } from './code-hashes.js';
import { readLabs, type LabRecordKind } from './labs.js';
import { readPage } from './pages.js';
import {
  attemptRecord,
  attentionRecord,
  auditRecord,
  campaignRecord,
  emergencyStopRecord,
  protocolRunRecord,
  resourceRecord,
  taskRunRecord,
  trialRecord,
  type Codes,
} from './shapes.js';

export interface RecordsOptions {
  /** `postgresql://` address. */
  url: string;
  /** Number of connections at most. Default 4. */
  poolSize?: number;
  /** Longest time one query may take, in milliseconds. Default 5000. */
  statementTimeoutMs?: number;
  /** Called when a connection breaks. The pool replaces it at the next use. */
  onIdleError?: (error: Error) => void;
}

/** Which page of a list is read. */
export type ListOptions = ListRequest;

/** Opens the records for reading. It connects at the first read. */
export function openRecords(options: RecordsOptions): Records {
  const { db } = openDatabase({
    url: options.url,
    poolSize: options.poolSize ?? 4,
    applicationName: 'lab-records',
    statementTimeoutMs: options.statementTimeoutMs ?? 5_000,
    session: { default_transaction_read_only: 'on' },
    ...(options.onIdleError === undefined ? {} : { onIdleError: options.onIdleError }),
  });
  return new Records(db);
}

/**
 * The records that the gateway shows. Every read is one query and shows one moment; only the hashes of code come from
 * the snapshots, which never change. Every method throws ServiceError `store_unavailable` when the database does not
 * answer.
 */
export class Records {
  readonly #db: Kysely<Database>;
  readonly #codeHashes: CodeHashReader;

  constructor(db: Kysely<Database>) {
    this.#db = db;
    this.#codeHashes = new CodeHashReader(db);
  }

  /** The protocol run of that name with its tasks in the order of the protocol. */
  async protocolRun(name: string): Promise<ProtocolRunRecord | undefined> {
    if (!isStorable(name)) return undefined;
    const row = await answered(this.#protocolRuns().where('protocol_run.name', '=', name).executeTakeFirst());
    return row && protocolRunRecord(row, await this.#codes(hashesOf([row])));
  }

  async campaign(name: string): Promise<CampaignRecord | undefined> {
    if (!isStorable(name)) return undefined;
    const row = await answered(
      this.#db
        .selectFrom('campaign')
        .leftJoin('archive', (join) => join.on(isArchived(sql`campaign.id`)))
        .selectAll('campaign')
        .select('archive.archived_at')
        .where('campaign.name', '=', name)
        .executeTakeFirst(),
    );
    return row && campaignRecord(row);
  }

  /**
   * The journal of a campaign: its trials that have a note, by number.
   *
   * @param options.after number of the trial after which to begin; 0: from the first
   * @param options.limit number of trials at most, 1 to 1000
   */
  async journal(campaign: string, options: { after: number; limit: number }): Promise<Trial[]> {
    const rows = await answered(
      this.#db
        .selectFrom('trial')
        .innerJoin('campaign', 'campaign.id', 'trial.campaign_id')
        .selectAll('trial')
        .where('campaign.name', '=', campaign)
        .where('trial.number', '>', options.after)
        .where(sql<boolean>`trial.note <> '{}'::jsonb`)
        .orderBy('trial.number')
        .limit(options.limit)
        .execute(),
    );
    return rows.map(trialRecord);
  }

  /**
   * @param protocolRunName when given, the task of that run; else the on-demand task submitted last under that name
   */
  async task(name: string, protocolRunName?: string): Promise<TaskRunRecord | undefined> {
    if (!isStorable(name) || (protocolRunName !== undefined && !isStorable(protocolRunName)))
      return undefined;
    const named = this.#tasks().where('task_run.name', '=', name);
    const query =
      protocolRunName === undefined
        ? named
            .where('task_run.run_id', 'is', null)
            .orderBy('task_run.created_at', 'desc')
            .orderBy('task_run.id', 'desc')
            .limit(1)
        : named.where('protocol_run.name', '=', protocolRunName);
    const row = await answered(query.executeTakeFirst());
    return row && taskRunRecord(row, row.protocol_run, await this.#codes([row.definition_hash]));
  }

  async taskById(id: string): Promise<TaskRunRecord | undefined> {
    if (!isStorable(id)) return undefined;
    const row = await answered(this.#tasks().where('task_run.id', '=', id).executeTakeFirst());
    return row && taskRunRecord(row, row.protocol_run, await this.#codes([row.definition_hash]));
  }

  /** Whether the submission with this id made the campaign, the protocol run or an on-demand task of this name. */
  async isOfSubmission(kind: WorkKind, name: string, submissionId: string): Promise<boolean> {
    if (!isStorable(name)) return false;
    const { rows } = await answered(
      sql`select from ${sql.table(kind)}
        where name = ${name} and submission_id = ${submissionId}
          ${kind === 'task_run' ? sql`and run_id is null` : sql``} limit 1`.execute(this.#db),
    );
    return rows.length > 0;
  }

  async attempt(id: string): Promise<AttemptRecord | undefined> {
    if (!isStorable(id)) return undefined;
    const row = await answered(
      this.#db
        .selectFrom('attempt')
        .innerJoin('task_run', 'task_run.id', 'attempt.task_run_id')
        .leftJoin('protocol_run', 'protocol_run.id', 'task_run.run_id')
        .selectAll('attempt')
        .select(['task_run.name as task', 'protocol_run.name as protocol_run'])
        .where('attempt.id', '=', id)
        .executeTakeFirst(),
    );
    return row && attemptRecord(row);
  }

  async resource(name: string): Promise<ResourceRecord | undefined> {
    if (!isStorable(name)) return undefined;
    const row = await answered(
      this.#db
        .selectFrom('resource')
        .leftJoin('allocation', (join) =>
          join.onRef('allocation.key', '=', 'resource.name').on('allocation.kind', '=', 'resource'),
        )
        .leftJoin('task_run', 'task_run.id', 'allocation.task_run_id')
        .leftJoin('protocol_run', 'protocol_run.id', 'task_run.run_id')
        .leftJoin('protocol_run as keeper', 'keeper.id', 'allocation.held_by_run_id')
        .selectAll('resource')
        .select([
          'task_run.name as task',
          'task_run.state as task_state',
          'protocol_run.name as run',
          'keeper.name as held_by',
          'allocation.since',
        ])
        .where('resource.name', '=', name)
        .executeTakeFirst(),
    );
    return row && resourceRecord(row);
  }

  async auditEntry(id: string): Promise<AuditRecord | undefined> {
    if (!isStorable(id)) return undefined;
    const row = await answered(
      this.#db.selectFrom('audit').selectAll().where('id', '=', id).executeTakeFirst(),
    );
    return row && auditRecord(row);
  }

  /**
   * Reads the names of all labs that a record belongs to; empty: none; undefined: there is no such record.
   *
   * @param key the name of a campaign, protocol run, task or resource, else the id
   * @param protocolRunName of a task, as with {@link task}
   */
  async labsOf(kind: LabRecordKind, key: string, protocolRunName?: string): Promise<string[] | undefined> {
    if (!isStorable(key) || (protocolRunName !== undefined && !isStorable(protocolRunName))) return undefined;
    return answered(readLabs(this.#db, kind, key, protocolRunName));
  }

  /**
   * Reads one page of a list.
   *
   * @param owner of a list of parts: the name of the campaign or resource, or the id of the task run
   */
  list<Name extends StoredListName>(
    name: Name,
    request: ListOptions,
    owner?: string,
  ): Promise<Portion<StoredItems[Name]>> {
    return answered(readPage(this.#db, name, request, (hashes) => this.#codeHashes.of(hashes), owner));
  }

  /** Reads the extent of a campaign. @param campaign its id and the hash of its definition */
  campaignExtent(campaign: { id: string; definition_hash: string }): Promise<CampaignExtent> {
    return answered(readCampaignExtent(this.#db, campaign));
  }

  /** Reads a part of the runs of a campaign in the order of their numbers. */
  campaignRuns(campaignId: string, part: CampaignRunsPart): Promise<CampaignRun[]> {
    return answered(readCampaignRuns(this.#db, campaignId, part));
  }

  async attentionItem(id: string): Promise<AttentionRecord | undefined> {
    if (!isStorable(id)) return undefined;
    const row = await answered(this.#attention().where('attention.id', '=', id).executeTakeFirst());
    return row && attentionRecord(row);
  }

  async emergencyStop(id: string): Promise<EmergencyStopRecord | undefined> {
    if (!isStorable(id)) return undefined;
    const row = await answered(this.#emergencyStops().where('id', '=', id).executeTakeFirst());
    return row && emergencyStopRecord(row);
  }

  /** True when the database answers. */
  async ping(): Promise<boolean> {
    try {
      await sql`select 1`.execute(this.#db);
      return true;
    } catch (error) {
      if (databaseError(error).code === 'store_unavailable') return false;
      throw error;
    }
  }

  /** Closes all connections. */
  close(): Promise<void> {
    return this.#db.destroy();
  }

  #codes(definitionHashes: readonly string[]): Promise<Codes> {
    return answered(this.#codeHashes.of(definitionHashes));
  }

  #attention() {
    return this.#db
      .selectFrom('attention')
      .leftJoin('task_run', 'task_run.id', 'attention.task_run_id')
      .leftJoin('protocol_run', 'protocol_run.id', 'task_run.run_id')
      .leftJoin('attempt', 'attempt.id', 'attention.attempt_id')
      .selectAll('attention')
      .select(['task_run.name as task', 'protocol_run.name as protocol_run', 'attempt.number as attempt']);
  }

  #emergencyStops() {
    return this.#db.selectFrom('emergency_stop').selectAll();
  }

  #tasks() {
    return this.#db
      .selectFrom('task_run')
      .leftJoin('protocol_run', 'protocol_run.id', 'task_run.run_id')
      .leftJoin('archive', (join) => join.on(isArchived(rootOfTask)))
      .selectAll('task_run')
      .select(['protocol_run.name as protocol_run', 'archive.archived_at']);
  }

  #protocolRuns() {
    return this.#db
      .selectFrom('protocol_run')
      .leftJoin('campaign', 'campaign.id', 'protocol_run.campaign_id')
      .leftJoin('archive', (join) => join.on(isArchived(rootOfRun)))
      .selectAll('protocol_run')
      .select(['campaign.name as campaign', 'archive.archived_at'])
      .select(tasksOfRun);
  }
}

function tasksOfRun(eb: ExpressionBuilder<Database, 'protocol_run'>) {
  return jsonArrayFrom(
    eb
      .selectFrom('task_run')
      .selectAll('task_run')
      .whereRef('task_run.run_id', '=', 'protocol_run.id')
      .orderBy('task_run.id'),
  ).as('tasks');
}

/** Tasks have the definition of their run. */
function hashesOf(runs: readonly { definition_hash: string }[]): string[] {
  return runs.map((run) => run.definition_hash);
}
