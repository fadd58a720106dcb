import { isTerminal, mayBeResumed, runStates } from '@lab/contracts';
import type { DefinitionRow, DurationSamples, EndedWork, WorkingRows } from '@lab/engine';
import { sql, type ExpressionBuilder, type Kysely } from 'kysely';
import { type Database, tables } from '../schema/index.js';

const unfinished = sql.raw<boolean>(tables.unfinished);

/** Loads all work that is not over, as it was at one moment. */
export async function loadWorkingRows(db: Kysely<Database>): Promise<WorkingRows> {
  return asOfOneMoment(db, async (tx) => {
    const campaigns = await tx.selectFrom('campaign').selectAll().where(unfinished).orderBy('id').execute();
    const protocolRuns = await tx
      .selectFrom('protocol_run')
      .selectAll()
      .where(unfinished)
      .orderBy('id')
      .execute();
    const taskRuns = await tx
      .selectFrom('task_run')
      .selectAll()
      .where((eb) => eb.or([ofUnfinishedRun(eb), eb.and([eb('run_id', 'is', null), unfinished])]))
      .orderBy('id')
      .execute();
    const attempts = await tx.selectFrom('attempt').selectAll().where(unfinished).orderBy('id').execute();
    const trials = await tx
      .selectFrom('trial')
      .selectAll()
      .where((eb) =>
        eb('campaign_id', 'in', eb.selectFrom('campaign').select('campaign.id').where(unfinishedCampaign)),
      )
      .orderBy('campaign_id')
      .orderBy('number')
      .execute();
    const allocations = await tx
      .selectFrom('allocation')
      .selectAll()
      .orderBy('kind')
      .orderBy('key')
      .execute();
    const resources = await tx.selectFrom('resource').selectAll().orderBy('name').execute();
    const agents = await tx.selectFrom('agent').selectAll().orderBy('computer').execute();
    const attention = await tx
      .selectFrom('attention')
      .selectAll()
      .where('state', '=', 'open')
      .orderBy('id')
      .execute();
    const inForce = await tx
      .selectFrom('emergency_stop')
      .selectAll()
      .where('released_at', 'is', null)
      .orderBy('id')
      .execute();
    const released = await tx
      .selectFrom('emergency_stop')
      .selectAll()
      .where('released_at', 'is not', null)
      .orderBy('released_at', 'desc')
      .limit(100)
      .execute();
    const pauses = await tx.selectFrom('queue_pause').selectAll().where('resumed_at', 'is', null).execute();
    const definitions = await definitionsOf(tx, [...campaigns, ...protocolRuns, ...taskRuns]);
    return {
      campaigns: campaigns.map((row) => tables.campaigns.fromStored(row)),
      protocolRuns: protocolRuns.map((row) => tables.protocolRuns.fromStored(row)),
      taskRuns: taskRuns.map((row) => tables.taskRuns.fromStored(row)),
      attempts: attempts.map((row) => tables.attempts.fromStored(row)),
      trials: trials.map((row) => tables.trials.fromStored(row)),
      allocations: allocations.map((row) => tables.allocations.fromStored(row)),
      resources: resources.map((row) => tables.resources.fromStored(row)),
      agents: agents.map((row) => tables.agents.fromStored(row)),
      attention: attention.map((row) => tables.attention.fromStored(row)),
      emergencyStops: [...inForce, ...released].map((row) => tables.emergencyStops.fromStored(row)),
      queuePauses: pauses.map((row) => tables.queuePauses.fromStored(row)),
      definitions,
    };
  });
}

/** As {@link Store.ended}. */
export async function loadEnded(
  db: Kysely<Database>,
  kind: 'protocolRun' | 'campaign',
  name: string,
): Promise<EndedWork | undefined> {
  return asOfOneMoment(db, async (tx) => {
    const run =
      kind === 'campaign'
        ? undefined
        : await tx.selectFrom('protocol_run').selectAll().where('name', '=', name).executeTakeFirst();
    if (kind === 'protocolRun' && (run === undefined || !isTerminal(run.state))) return undefined;
    const campaign = await tx
      .selectFrom('campaign')
      .selectAll()
      .where((eb) => (kind === 'campaign' ? eb('name', '=', name) : eb('id', '=', run?.campaign_id ?? '')))
      .executeTakeFirst();
    if (kind === 'campaign' && (campaign === undefined || !isTerminal(campaign.state))) return undefined;
    const protocolRuns =
      run !== undefined
        ? [run]
        : await tx
            .selectFrom('protocol_run')
            .selectAll()
            .where('campaign_id', '=', campaign?.id ?? '')
            .where('state', 'in', runStates.filter(mayBeResumed))
            .orderBy('id')
            .execute();
    const archived = await tx
      .selectFrom('archive')
      .select('archived_at')
      .where('id', '=', campaign?.id ?? run?.id ?? '')
      .where('restored_at', 'is', null)
      .executeTakeFirst();
    const taskRuns = await tx
      .selectFrom('task_run')
      .selectAll()
      .where(sql<boolean>`run_id = any(${protocolRuns.map((row) => row.id)}::text[])`)
      .orderBy('id')
      .execute();
    const trials =
      kind === 'campaign' && campaign !== undefined
        ? await tx
            .selectFrom('trial')
            .selectAll()
            .where('campaign_id', '=', campaign.id)
            .orderBy('number')
            .execute()
        : [];
    return {
      campaign: campaign === undefined ? null : tables.campaigns.fromStored(campaign),
      protocolRuns: protocolRuns.map((row) => tables.protocolRuns.fromStored(row)),
      taskRuns: taskRuns.map((row) => tables.taskRuns.fromStored(row)),
      trials: trials.map((row) => tables.trials.fromStored(row)),
      definitions: await definitionsOf(tx, [
        ...protocolRuns,
        ...(kind === 'campaign' && campaign !== undefined ? [campaign] : []),
      ]),
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

async function definitionsOf(
  tx: Kysely<Database>,
  rows: readonly { definition_hash: string }[],
): Promise<DefinitionRow[]> {
  const hashes = new Set(rows.map((row) => row.definition_hash));
  const definitions = await tx
    .selectFrom('definition')
    .selectAll()
    .where(sql<boolean>`hash = any(${[...hashes]}::text[])`)
    .orderBy('hash')
    .execute();
  return definitions as DefinitionRow[];
}

function ofUnfinishedRun(eb: ExpressionBuilder<Database, 'task_run'>) {
  return eb('run_id', 'in', eb.selectFrom('protocol_run').select('protocol_run.id').where(unfinishedRun));
}

const unfinishedRun = sql.raw<boolean>(`protocol_run.${tables.unfinished}`);

const unfinishedCampaign = sql.raw<boolean>(`campaign.${tables.unfinished}`);
