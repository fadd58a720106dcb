import type {
  AttemptRecord,
  AttentionRecord,
  AttentionState,
  CampaignRecord,
  EmergencyStopRecord,
  ProtocolRunRecord,
  RunState,
  TaskRunRecord,
  TaskRunState,
  Trial,
} from '@lab/contracts';
import { sql, type ExpressionBuilder, type Kysely } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { CodeHashReader } from './code-hashes.js';
import { openDatabase, type Database } from './database.js';
import { databaseError } from './database-errors.js';
import {
  attemptRecord,
  attentionRecord,
  campaignRecord,
  emergencyStopRecord,
  protocolRunRecord,
  taskRunRecord,
  trialRecord,
  type Codes,
} from './record-shapes.js';
import { isStorable } from './unstorable-text.js';

export interface RecordsOptions {
  /** `postgresql://` address. */
  url: string;
  /** Most connections. Default 4. */
  poolSize?: number;
  /** Longest time one query may take, in milliseconds. Default 5000. */
  statementTimeoutMs?: number;
  /** Told of connections that broke; they are replaced at the next use. */
  onIdleError?: (error: Error) => void;
}

export interface ListOptions<State> {
  state?: State;
  /** Most records, 1 to 1000. */
  limit: number;
}

/** Opens the reading side; connects at the first read. */
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
 * What the gateway shows. Every read is one query and so a picture of one moment; only the hashes of code come from the
 * snapshots, which never change. Every method throws ServiceError
 * `store_unavailable` when the database does not answer.
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
    const row = await answered(() =>
      this.#protocolRuns().where('protocol_run.name', '=', name).executeTakeFirst(),
    );
    return row && protocolRunRecord(row, await this.#codes(hashesOf([row])));
  }

  /** The campaign of that name with its protocol runs in the order of their creation. */
  async campaign(name: string): Promise<CampaignRecord | undefined> {
    if (!isStorable(name)) return undefined;
    const row = await answered(() => this.#campaigns().where('campaign.name', '=', name).executeTakeFirst());
    return row && campaignRecord(row, await this.#codes(hashesOf(row.protocol_runs)));
  }

  /**
   * Trials of a campaign by number; undefined when there is no such campaign.
   *
   * @param options.after number of the trial after which to begin; 0: from the first
   * @param options.limit most trials, 1 to 1000
   * @param options.noted only those with a note: the journal of the campaign
   */
  async trials(
    campaign: string,
    options: { after: number; limit: number; noted?: boolean },
  ): Promise<Trial[] | undefined> {
    if (!isStorable(campaign)) return undefined;
    const row = await answered(() =>
      this.#db
        .selectFrom('campaign')
        .select((eb) =>
          jsonArrayFrom(
            eb
              .selectFrom('trial')
              .selectAll('trial')
              .whereRef('trial.campaign_id', '=', 'campaign.id')
              .where('trial.number', '>', options.after)
              .$if(options.noted === true, (qb) => qb.where(sql<boolean>`trial.note <> '{}'::jsonb`))
              .orderBy('trial.number')
              .limit(withinLimit(options.limit)),
          ).as('trials'),
        )
        .where('campaign.name', '=', campaign)
        .executeTakeFirst(),
    );
    return row?.trials.map(trialRecord);
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
    const row = await answered(() => query.executeTakeFirst());
    return row && taskRunRecord(row, row.protocol_run, await this.#codes([row.definition_hash]));
  }

  /** Newest first. */
  async protocolRuns({ state, limit }: ListOptions<RunState>): Promise<ProtocolRunRecord[]> {
    const query = this.#protocolRuns()
      .$if(state !== undefined, (qb) => qb.where('protocol_run.state', '=', state ?? 'created'))
      .orderBy('protocol_run.created_at', 'desc')
      .orderBy('protocol_run.id', 'desc')
      .limit(withinLimit(limit));
    const rows = await answered(() => query.execute());
    const codes = await this.#codes(hashesOf(rows));
    return rows.map((row) => protocolRunRecord(row, codes));
  }

  /** Newest first. */
  async campaigns({ state, limit }: ListOptions<RunState>): Promise<CampaignRecord[]> {
    const query = this.#campaigns()
      .$if(state !== undefined, (qb) => qb.where('campaign.state', '=', state ?? 'created'))
      .orderBy('campaign.created_at', 'desc')
      .orderBy('campaign.id', 'desc')
      .limit(withinLimit(limit));
    const rows = await answered(() => query.execute());
    const codes = await this.#codes(rows.flatMap((row) => hashesOf(row.protocol_runs)));
    return rows.map((row) => campaignRecord(row, codes));
  }

  /** Tasks of protocol runs and on-demand ones, newest first. */
  async tasks({ state, limit }: ListOptions<TaskRunState>): Promise<TaskRunRecord[]> {
    const query = this.#tasks()
      .$if(state !== undefined, (qb) => qb.where('task_run.state', '=', state ?? 'created'))
      .orderBy('task_run.created_at', 'desc')
      .orderBy('task_run.id', 'desc')
      .limit(withinLimit(limit));
    const rows = await answered(() => query.execute());
    const codes = await this.#codes(rows.map((row) => row.definition_hash));
    return rows.map((row) => taskRunRecord(row, row.protocol_run, codes));
  }

  /**
   * The attempts of a task by their number; undefined when there is no such task.
   *
   * @param protocolRunName as of {@link task}
   */
  async attempts(name: string, protocolRunName?: string): Promise<AttemptRecord[] | undefined> {
    const task = await this.task(name, protocolRunName);
    if (task === undefined) return undefined;
    const rows = await answered(() =>
      this.#db
        .selectFrom('attempt')
        .selectAll()
        .where('task_run_id', '=', task.id)
        .orderBy('number')
        .execute(),
    );
    return rows.map(attemptRecord);
  }

  /** What only a person can settle, newest first. */
  async attentionItems({ state, limit }: ListOptions<AttentionState>): Promise<AttentionRecord[]> {
    const query = this.#attention()
      .$if(state !== undefined, (qb) => qb.where('attention.state', '=', state ?? 'open'))
      .orderBy('attention.opened_at', 'desc')
      .orderBy('attention.id', 'desc')
      .limit(withinLimit(limit));
    return (await answered(() => query.execute())).map(attentionRecord);
  }

  async attentionItem(id: string): Promise<AttentionRecord | undefined> {
    if (!isStorable(id)) return undefined;
    const row = await answered(() => this.#attention().where('attention.id', '=', id).executeTakeFirst());
    return row && attentionRecord(row);
  }

  /**
   * Emergency stops, newest first.
   *
   * @param options.released also those that are released
   */
  async emergencyStops(options: { released: boolean; limit: number }): Promise<EmergencyStopRecord[]> {
    const query = this.#emergencyStops()
      .$if(!options.released, (qb) => qb.where('released_at', 'is', null))
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(withinLimit(options.limit));
    return (await answered(() => query.execute())).map(emergencyStopRecord);
  }

  async emergencyStop(id: string): Promise<EmergencyStopRecord | undefined> {
    if (!isStorable(id)) return undefined;
    const row = await answered(() => this.#emergencyStops().where('id', '=', id).executeTakeFirst());
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
    return answered(() => this.#codeHashes.of(definitionHashes));
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

  /** The pause of the queue is a stop of its own kind, and shown with the queue. */
  #emergencyStops() {
    return this.#db.selectFrom('halt').selectAll().where('scope', '<>', 'queue');
  }

  #tasks() {
    return this.#db
      .selectFrom('task_run')
      .leftJoin('protocol_run', 'protocol_run.id', 'task_run.run_id')
      .selectAll('task_run')
      .select('protocol_run.name as protocol_run');
  }

  #protocolRuns() {
    return this.#db
      .selectFrom('protocol_run')
      .leftJoin('campaign', 'campaign.id', 'protocol_run.campaign_id')
      .selectAll('protocol_run')
      .select('campaign.name as campaign')
      .select(tasksOfRun);
  }

  #campaigns() {
    return this.#db
      .selectFrom('campaign')
      .selectAll('campaign')
      .select((eb) =>
        jsonArrayFrom(
          eb
            .selectFrom('protocol_run')
            .selectAll('protocol_run')
            .select('campaign.name as campaign')
            .select(tasksOfRun)
            .whereRef('protocol_run.campaign_id', '=', 'campaign.id')
            .orderBy('protocol_run.id'),
        ).as('protocol_runs'),
      );
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

async function answered<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw databaseError(error);
  }
}

function withinLimit(limit: number): number {
  return Math.min(Math.max(Math.trunc(limit), 1), 1_000);
}

/** Tasks are accepted with the definitions of their run. */
function hashesOf(runs: readonly { definition_hash: string }[]): string[] {
  return runs.map((run) => run.definition_hash);
}
