import { isTerminal, mayBeResumed, runStates } from '@lab/contracts';
import {
  keptRollouts,
  type DefinitionRow,
  type DurationSamples,
  type EndedWork,
  type UsageRow,
  type WorkingRows,
} from '@lab/engine';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import { type Columns, type Database, type Stored, type Table, tables } from '../schema/index.js';

const unfinished = sql.raw(tables.unfinished);

/** Loads all work that is not over, as it was at one moment. */
export async function loadWorkingRows(db: Kysely<Database>): Promise<WorkingRows> {
  return asOfOneMoment(db, async (tx) => {
    const campaigns = await rowsOf(tx, tables.campaigns, sql`where ${unfinished} order by id`);
    const protocolRuns = await rowsOf(tx, tables.protocolRuns, sql`where ${unfinished} order by id`);
    const taskRuns = await rowsOf(
      tx,
      tables.taskRuns,
      sql`where run_id in (select protocol_run.id from protocol_run where protocol_run.${unfinished})
        or (run_id is null and ${unfinished}) order by id`,
    );
    const ofOpenCampaigns = sql`
      where campaign_id in (select campaign.id from campaign where campaign.${unfinished})
      order by campaign_id, number`;
    const latestReleased = sql`where released_at is not null order by released_at desc limit 100`;
    const latestRollouts = sql`order by id desc limit ${sql.lit(keptRollouts)}`;
    return {
      campaigns,
      protocolRuns,
      taskRuns,
      attempts: await rowsOf(tx, tables.attempts, sql`where ${unfinished} order by id`),
      trials: await rowsOf(tx, tables.trials, ofOpenCampaigns),
      allocations: await rowsOf(tx, tables.allocations, sql`order by kind, key`),
      resources: await rowsOf(tx, tables.resources, sql`order by name`),
      agents: await rowsOf(tx, tables.agents, sql`order by computer`),
      attention: await rowsOf(tx, tables.attention, sql`where state = 'open' order by id`),
      emergencyStops: [
        ...(await rowsOf(tx, tables.emergencyStops, sql`where released_at is null order by id`)),
        ...(await rowsOf(tx, tables.emergencyStops, latestReleased)),
      ],
      queuePauses: await rowsOf(tx, tables.queuePauses, sql`where resumed_at is null`),
      drains: await rowsOf(tx, tables.drains, sql`where ended_at is null order by id`),
      outages: await rowsOf(tx, tables.outages, sql`where ended_at is null order by device`),
      reservations: await rowsOf(tx, tables.reservations, sql`where ended_at is null order by id`),
      rollouts: (await rowsOf(tx, tables.rollouts, latestRollouts)).reverse(),
      deletions: await rowsOf(tx, tables.deletions, sql`where state in ('planned', 'running') order by id`),
      legalHolds: await rowsOf(tx, tables.legalHolds, sql`where released_at is null order by id`),
      usage: await loadUsage(tx),
      definitions: await definitionsOf(tx, [...campaigns, ...protocolRuns, ...taskRuns]),
    };
  });
}

/** As {@link Store.usage}. */
export async function loadUsage(db: Kysely<Database>): Promise<UsageRow[]> {
  const { rows } = await sql<UsageRow>`
    select kind, name, records, files, bytes from usage order by kind, name`.execute(db);
  return rows;
}

/** As {@link Store.ended}. */
export async function loadEnded(
  db: Kysely<Database>,
  kind: 'protocolRun' | 'campaign',
  name: string,
): Promise<EndedWork | undefined> {
  const ofCampaign = kind === 'campaign';
  return asOfOneMoment(db, async (tx) => {
    const [run] = ofCampaign ? [] : await rowsOf(tx, tables.protocolRuns, sql`where name = ${name}`);
    if (!ofCampaign && (run === undefined || !isTerminal(run.state))) return undefined;
    const which = ofCampaign ? sql`where name = ${name}` : sql`where id = ${run?.campaignId ?? ''}`;
    const [campaign] = await rowsOf(tx, tables.campaigns, which);
    if (ofCampaign && (campaign === undefined || !isTerminal(campaign.state))) return undefined;
    const id = campaign?.id ?? '';
    const resumable = sql`where campaign_id = ${id} and state in (${sql.join(runStates.filter(mayBeResumed))})`;
    const protocolRuns =
      run === undefined ? await rowsOf(tx, tables.protocolRuns, sql`${resumable} order by id`) : [run];
    const archived = await tx
      .selectFrom('archive')
      .select('archived_at')
      .where('id', '=', campaign?.id ?? run?.id ?? '')
      .where('restored_at', 'is', null)
      .executeTakeFirst();
    const ids = protocolRuns.map((row) => row.id);
    const work = ofCampaign && campaign !== undefined ? [...protocolRuns, campaign] : protocolRuns;
    return {
      campaign: campaign ?? null,
      protocolRuns,
      taskRuns: await rowsOf(tx, tables.taskRuns, sql`where run_id = any(${ids}::text[]) order by id`),
      trials: ofCampaign
        ? await rowsOf(tx, tables.trials, sql`where campaign_id = ${id} order by number`)
        : [],
      definitions: await definitionsOf(tx, work),
      archivedAt: archived === undefined ? null : Date.parse(archived.archived_at),
    };
  });
}

/** Number of completed attempts to learn from, newest first. */
const attemptsToLearnFrom = 10_000;

/** As {@link Store.durations}, from the latest completed attempts of all tasks together. */
export async function loadDurations(db: Kysely<Database>, most: number): Promise<DurationSamples[]> {
  const { rows } = await sql<DurationSamples>`
    with latest as (
      select id, task_run_id, created_at, ended_at from attempt
      where state = 'completed' and reason is null
      order by ended_at desc, id desc limit ${attemptsToLearnFrom}),
    named as (
      select run.type as protocol, case when run.id is null then task.type else task.name end as task,
        extract(epoch from latest.ended_at - latest.created_at) * 1000 as ms, latest.ended_at, latest.id
      from latest join task_run task on task.id = latest.task_run_id
        left join protocol_run run on run.id = task.run_id),
    numbered as (
      select protocol, task, ms,
        row_number() over (partition by protocol, task order by ended_at desc, id desc) as place
      from named)
    select protocol, task, json_agg(ms::double precision order by place) as ms
    from numbered where place <= ${most} group by protocol, task`.execute(db);
  return rows;
}

function asOfOneMoment<Value>(
  db: Kysely<Database>,
  read: (tx: Kysely<Database>) => Promise<Value>,
): Promise<Value> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}

/** @param which condition and order */
async function rowsOf<Row extends object, Layout extends Columns<Row>>(
  tx: Kysely<Database>,
  table: Table<Row, Layout>,
  which: RawBuilder<unknown>,
): Promise<Row[]> {
  const { rows } = await sql<Stored<Row, Layout>>`select * from ${sql.table(table.name)} ${which}`.execute(
    tx,
  );
  return rows.map((row) => table.fromStored(row));
}

async function definitionsOf(
  tx: Kysely<Database>,
  rows: readonly { definitionHash: string }[],
): Promise<DefinitionRow[]> {
  const hashes = [...new Set(rows.map((row) => row.definitionHash))];
  const definitions = await sql<DefinitionRow>`
    select * from definition where hash = any(${hashes}::text[]) order by hash`.execute(tx);
  return definitions.rows;
}
