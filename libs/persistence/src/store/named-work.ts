import type { DeletionScope, WorkKind } from '@lab/contracts';
import type { EndedPage, NamedWork } from '@lab/engine';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import { type Database, joinArchive, tables } from '../schema/index.js';

const labsOfProtocol = sql`(
  select array(select json_array_elements_text(definition.body->'protocol'->'labs') order by 1)
  from definition where definition.hash = work.definition_hash)`;

/** All work of each kind, with the id of the work (`root`) that it is archived with. */
const sources: Readonly<Record<WorkKind, RawBuilder<unknown>>> = {
  campaign: sql`
    select work.id, work.name, work.state, work.owner, ${labsOfProtocol} as labs, null as campaign, work.id as root
    from campaign work where true`,
  protocol_run: sql`
    select work.id, work.name, work.state, work.owner, ${labsOfProtocol} as labs, campaign.name as campaign,
      coalesce(work.campaign_id, work.id) as root
    from protocol_run work left join campaign on campaign.id = work.campaign_id where true`,
  task_run: sql`
    select work.id, work.name, work.state, work.owner, array(
        select device.value->>'lab_name' from jsonb_each(work.devices) device
        union
        select resource.lab from jsonb_each(work.resources) slot join resource on resource.name = slot.value->>'name'
        order by 1) as labs, null as campaign, work.id as root
    from task_run work where work.run_id is null`,
};

type Found = Omit<NamedWork, 'archivedAt'> & { archived_at: string | null };

async function found(
  db: Kysely<Database>,
  source: RawBuilder<unknown>,
  which: RawBuilder<unknown>,
): Promise<NamedWork[]> {
  const { rows } = await sql<Found>`
    select found.id, found.name, found.state, found.owner, found.labs, found.campaign, archive.archived_at
    from (${source} ${which}) found ${joinArchive(sql`found.root`)} order by found.id`.execute(db);
  return rows.map(({ archived_at: at, ...work }) => ({
    ...work,
    archivedAt: at === null ? null : Date.parse(at),
  }));
}

/** As {@link Store.named}. */
export async function loadNamed(
  db: Kysely<Database>,
  kind: WorkKind,
  name: string,
): Promise<NamedWork | undefined> {
  const latest = sql`and work.name = ${name} order by work.created_at desc, work.id desc limit 1`;
  return (await found(db, sources[kind], latest))[0];
}

/** As {@link Store.endedBefore}. */
export async function loadEndedBefore(
  db: Kysely<Database>,
  kind: WorkKind,
  { before, after, limit }: EndedPage,
): Promise<NamedWork[]> {
  const alone = kind === 'protocol_run' ? sql`and work.campaign_id is null` : sql``;
  return found(
    db,
    sources[kind],
    sql`and work.id > ${after} and work.state in ${sql.raw(tables.endedStates)}
      and work.ended_at < ${new Date(before).toISOString()}::timestamptz ${alone}
      and not exists (select from archive known where known.id = work.id) order by work.id limit ${limit}`,
  );
}

/** As {@link Store.deletableBefore}. */
export async function loadDeletableBefore(
  db: Kysely<Database>,
  kind: WorkKind,
  what: DeletionScope,
  { before, after, limit }: EndedPage,
): Promise<NamedWork[]> {
  const alone = kind === 'protocol_run' ? sql`and work.campaign_id is null` : sql``;
  const moment = sql`${new Date(before).toISOString()}::timestamptz`;
  const isOld =
    what === 'files'
      ? sql`work.ended_at < ${moment}`
      : sql`exists (select from archive old
          where old.id = work.id and old.restored_at is null and old.archived_at < ${moment})`;
  return found(
    db,
    sources[kind],
    sql`and work.id > ${after} and work.state in ${sql.raw(tables.endedStates)} and ${isOld} ${alone}
      and not exists (select from deletion known where known.work_id = work.id and known.what = ${what})
      order by work.id limit ${limit}`,
  );
}
