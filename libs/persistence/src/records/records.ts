import type {
  AttemptRecord,
  AttentionRecord,
  AuditRecord,
  DeviceFileRecord,
  EffectRecord,
  CampaignRecord,
  CodeOrigin,
  DeletionRecord,
  EmergencyStopRecord,
  ListRequest,
  Portion,
  ProtocolRunRecord,
  ResourceRecord,
  ScheduledTask,
  StoredItems,
  StoredListName,
  TaskRunRecord,
  WorkKind,
} from '@lab/contracts';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import { answered, databaseError, openDatabase, rowsOf, type DatabaseOptions } from '../connection/index.js';
import {
  type Database,
  isStorable,
  schemaOf,
  type SchemaState,
  type StoredCampaign,
} from '../schema/index.js';
import {
  readCampaignExtent,
  readCampaignRuns,
  type CampaignExtent,
  type CampaignRun,
  type CampaignRunsPart,
} from './campaign-runs.js';
import { CodeHashReader } from './code-hashes.js';
import { readEndedTasks, type EndedTasksPart } from './ended-tasks.js';
import { readLabs, type LabRecordKind } from './labs.js';
import { latestRuntime } from './lists.js';
import { limited, longestReadMs } from './limited.js';
import { narrowerList, readOne, readPage, readRow } from './pages.js';
import { campaignRecord, protocolRunRecord, type ArchivedSince, type StoredRunWithTasks } from './shapes.js';
import { readWorkDetails, type WorkDetail, type WorkDetailName } from './work-details.js';

/** Opens the records for reading. It connects at the first read. A read takes at most {@link longestReadMs} unless the options say otherwise. */
export function openRecords(options: DatabaseOptions): Records {
  const limits = { statementTimeoutMs: longestReadMs, ...options };
  return new Records(openDatabase(limits, 'lab-records', { default_transaction_read_only: 'on' }).db);
}

/**
 * The records that the gateway shows. Every read is one query and shows one moment; only hashes of code come from
 * snapshots, which never change. Throws ServiceError `store_unavailable` without the database.
 */
export class Records {
  readonly #codeHashes: CodeHashReader;

  constructor(private readonly db: Kysely<Database>) {
    this.#codeHashes = new CodeHashReader(db);
  }

  /** The schema of the database. */
  schema(): Promise<SchemaState> {
    return answered(schemaOf(this.db));
  }

  /** The protocol run of that name with its tasks in the order of the protocol. */
  async protocolRun(name: string): Promise<ProtocolRunRecord | undefined> {
    if (!isStorable(name)) return undefined;
    const tasks = sql`, (select coalesce(json_agg(agg), '[]') from (
      select task_run.*, ${latestRuntime} as runtime from task_run where task_run.run_id = protocol_run.id order by task_run.id) agg) as tasks`;
    const row = await answered(
      readRow<StoredRunWithTasks>(this.db, 'protocol_runs', sql`protocol_run.name = ${name}`, tasks),
    );
    // Tasks have the definition of their run.
    return row && protocolRunRecord(row, await answered(this.#codeHashes.of([row.definition_hash])));
  }

  async campaign(name: string): Promise<CampaignRecord | undefined> {
    if (!isStorable(name)) return undefined;
    const row = await answered(
      readRow<StoredCampaign & ArchivedSince>(this.db, 'campaigns', sql`campaign.name = ${name}`),
    );
    return row && campaignRecord(row);
  }

  /** @param protocolRunName the run of the task; absent: the on-demand task submitted last under that name */
  async task(name: string, protocolRunName?: string): Promise<TaskRunRecord | undefined> {
    if (protocolRunName !== undefined && !isStorable(protocolRunName)) return undefined;
    const which =
      protocolRunName === undefined
        ? sql`task_run.run_id is null order by task_run.created_at desc, task_run.id desc limit 1`
        : sql`protocol_run.name = ${protocolRunName}`;
    return this.#one('tasks', name, sql`task_run.name = ${name} and ${which}`);
  }

  taskById(id: string): Promise<TaskRunRecord | undefined> {
    return this.#one('tasks', id, sql`task_run.id = ${id}`);
  }

  /** Whether the submission with this id made the campaign, the protocol run or an on-demand task of this name. */
  async isOfSubmission(kind: WorkKind, name: string, submissionId: string): Promise<boolean> {
    if (!isStorable(name)) return false;
    const { rows } = await answered(
      sql`select from ${sql.table(kind)}
        where name = ${name} and submission_id = ${submissionId}
          ${kind === 'task_run' ? sql`and run_id is null` : sql``} limit 1`.execute(this.db),
    );
    return rows.length > 0;
  }

  attempt(id: string): Promise<AttemptRecord | undefined> {
    return this.#one('task_attempts', id, sql`attempt.id = ${id}`);
  }

  resource(name: string): Promise<ResourceRecord | undefined> {
    return this.#one('resources', name, sql`resource.name = ${name}`);
  }

  auditEntry(id: string): Promise<AuditRecord | undefined> {
    return this.#one('audit', id, sql`audit.id = ${id}`);
  }

  effect(id: string): Promise<EffectRecord | undefined> {
    return this.#one('effects', id, sql`effect.id = ${id}`);
  }

  deviceFile(id: string): Promise<DeviceFileRecord | undefined> {
    return this.#one('device_files', id, sql`device_file.id = ${id}`);
  }

  /** Where the code with this hash came from whenever it was loaded from another version, latest first. */
  async codeOrigins(hash: string): Promise<CodeOrigin[]> {
    return rowsOf(
      this.db,
      sql<CodeOrigin>`select package, version, commit, modified, loaded_at from code_origin
        where hash = ${hash} order by loaded_at desc, package`,
    );
  }

  attentionItem(id: string): Promise<AttentionRecord | undefined> {
    return this.#one('attention', id, sql`attention.id = ${id}`);
  }

  emergencyStop(id: string): Promise<EmergencyStopRecord | undefined> {
    return this.#one('emergency_stops', id, sql`emergency_stop.id = ${id}`);
  }

  /** The deletion that removed the files of a task run; undefined: nothing did. */
  filesDeletion(taskRunId: string): Promise<DeletionRecord | undefined> {
    const works = sql`(
      select unnest(array[task_run.id, protocol_run.id, protocol_run.campaign_id])
      from task_run left join protocol_run on protocol_run.id = task_run.run_id where task_run.id = ${taskRunId})`;
    return this.#one(
      'deletions',
      taskRunId,
      sql`deletion.what = 'files' and deletion.state = 'done' and deletion.work_id in ${works} limit 1`,
    );
  }

  /**
   * The labs that a record belongs to; undefined: there is no such record.
   *
   * @param key name of a campaign, run, task or resource, else the id
   * @param protocolRunName of a task, as with {@link task}
   */
  async labsOf(kind: LabRecordKind, key: string, protocolRunName?: string): Promise<string[] | undefined> {
    if (!isStorable(key) || (protocolRunName !== undefined && !isStorable(protocolRunName))) return undefined;
    return answered(readLabs(this.db, kind, key, protocolRunName));
  }

  /**
   * Reads one page of a list.
   *
   * @param owner of a list of parts: name of campaign or resource, or id of the task run
   * @throws ServiceError `deadline_exceeded`, with what narrows the request, when the database would read too much for it
   */
  list<Name extends StoredListName>(
    name: Name,
    request: ListRequest,
    owner?: string,
  ): Promise<Portion<StoredItems[Name]>> {
    const page = readPage(this.db, name, request, (hashes) => this.#codeHashes.of(hashes), owner);
    return limited(page, () => narrowerList(name, request));
  }

  /** Reads the extent of a campaign. @param campaign its id and the hash of its definition */
  campaignExtent(campaign: { id: string; definition_hash: string }): Promise<CampaignExtent> {
    return answered(readCampaignExtent(this.db, campaign));
  }

  /** Reads a part of the runs of a campaign in the order of their numbers. */
  campaignRuns(campaignId: string, part: CampaignRunsPart): Promise<CampaignRun[]> {
    return answered(readCampaignRuns(this.db, campaignId, part));
  }

  /** As {@link readEndedTasks}. */
  endedTasks(part: EndedTasksPart): Promise<ScheduledTask[]> {
    return readEndedTasks(this.db, part);
  }

  /** Reads details of work. @param mostBytes size of a value at most; a larger one is null */
  workDetails(names: readonly WorkDetailName[], mostBytes: number): Promise<WorkDetail[]> {
    return readWorkDetails(this.db, names, mostBytes);
  }

  /** True when the database answers. */
  async ping(): Promise<boolean> {
    try {
      await sql`select 1`.execute(this.db);
      return true;
    } catch (error) {
      if (databaseError(error).code === 'store_unavailable') return false;
      throw error;
    }
  }

  /** Closes all connections. */
  close(): Promise<void> {
    return this.db.destroy();
  }

  /** The record of a list's row that fits the condition. @param key name or id in the condition */
  async #one<Name extends StoredListName>(
    list: Name,
    key: string,
    which: RawBuilder<unknown>,
  ): Promise<StoredItems[Name] | undefined> {
    if (!isStorable(key)) return undefined;
    return answered(readOne(this.db, list, which, (hashes) => this.#codeHashes.of(hashes)));
  }
}
