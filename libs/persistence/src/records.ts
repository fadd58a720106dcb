import {
  isTerminal,
  type CampaignRecord,
  type ProtocolRunRecord,
  type RunState,
  type TaskRunRecord,
  type TaskRunState,
} from '@lab/contracts';
import { sql, type ExpressionBuilder, type Kysely } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { CodeHashReader, type CodeHashes } from './code-hashes.js';
import {
  isoTime,
  openDatabase,
  type Database,
  type StoredCampaign,
  type StoredProtocolRun,
  type StoredTaskRun,
} from './database.js';
import { databaseError } from './database-errors.js';
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

/** Definition hash to the hashes of the code it names. */
type Codes = ReadonlyMap<string, CodeHashes>;

/** Tasks are accepted with the definitions of their run. */
function hashesOf(runs: readonly { definition_hash: string }[]): string[] {
  return runs.map((run) => run.definition_hash);
}

type RunWithTasks = StoredProtocolRun & { campaign: string | null; tasks: StoredTaskRun[] };

function campaignRecord(
  row: StoredCampaign & { protocol_runs: RunWithTasks[] },
  codes: Codes,
): CampaignRecord {
  return {
    id: row.id,
    name: row.name,
    protocol: row.protocol,
    owner: row.owner,
    priority: row.priority,
    state: row.state,
    reason: row.reason,
    cancel_requested_at: cancelRequestedAt(row),
    max_protocol_runs: row.max_protocol_runs,
    max_concurrent_protocol_runs: row.max_concurrent_protocol_runs,
    optimize: row.optimize,
    optimizer_ip: row.optimizer_ip,
    global_parameters: row.global_parameters,
    protocol_run_parameters: row.protocol_run_parameters,
    meta: row.meta,
    protocol_runs_completed: row.runs_completed,
    definition_hash: row.definition_hash,
    ...times(row),
    protocol_runs: row.protocol_runs.map((run) => protocolRunRecord(run, codes)),
  };
}

function protocolRunRecord(row: RunWithTasks, codes: Codes): ProtocolRunRecord {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    owner: row.owner,
    priority: row.priority,
    campaign: row.campaign,
    parameters: row.parameters,
    meta: row.meta,
    state: row.state,
    reason: row.reason,
    cancel_requested_at: cancelRequestedAt(row),
    definition_hash: row.definition_hash,
    ...times(row),
    tasks: row.tasks.map((task) => taskRunRecord(task, row.name, codes)),
  };
}

function taskRunRecord(row: StoredTaskRun, protocolRun: string | null, codes: Codes): TaskRunRecord {
  const { created_at, started_at, ended_at } = times(row);
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    protocol_run: protocolRun,
    owner: row.owner,
    priority: row.priority,
    state: row.state,
    reason: row.reason,
    cancel_requested_at: isTerminal(row.state) ? null : timeOf(row.cancel_requested_at),
    devices: row.devices,
    input_parameters: row.input_parameters,
    input_resources: row.resources,
    output_parameters: row.output_parameters,
    output_resources: row.output_resources,
    output_files: row.output_files,
    attempt: row.attempt,
    computer: row.computer,
    definition_hash: row.definition_hash,
    code_hash: codes.get(row.definition_hash)?.get(row.type) ?? null,
    allocation_timeout: row.allocation_timeout,
    meta: row.meta,
    created_at,
    queued_at: timeOf(row.queued_at),
    started_at,
    ended_at,
  };
}

/** Set while a run or campaign still waits for its tasks to stop, because somebody cancelled it. */
function cancelRequestedAt({ state, ending }: Pick<StoredCampaign, 'state' | 'ending'>): string | null {
  if (isTerminal(state) || ending?.state !== 'cancelled') return null;
  return new Date(ending.since).toISOString();
}

/** Times inside aggregated JSON come in the database's own text. */
function times(row: { created_at: string; started_at: string | null; ended_at: string | null }) {
  return {
    created_at: isoTime(row.created_at),
    started_at: timeOf(row.started_at),
    ended_at: timeOf(row.ended_at),
  };
}

function timeOf(text: string | null): string | null {
  return text === null ? null : isoTime(text);
}
