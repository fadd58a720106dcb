import type { WorkKind } from '@lab/contracts';
import type { EndedPage, NamedWork } from '@lab/engine';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Database } from '../connection/open-database.js';

/** What a task run, joined with its run, belongs to in the end; and what a protocol run does. */
export const rootOfTask = sql`coalesce(protocol_run.campaign_id, task_run.run_id, task_run.id)`;
export const rootOfRun = sql`coalesce(protocol_run.campaign_id, protocol_run.id)`;

/**
 * True of the row of `archive` of what is archived. Said as a case, because without fresh statistics PostgreSQL takes a bare
 * `is null` for hardly ever true, and then goes through the whole archive for each row of work.
 *
 * @param root as of {@link joinArchive}
 */
export function isArchived(root: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`archive.id = ${root} and case when archive.restored_at is null then true else false end`;
}

/**
 * Joins what is archived to rows of work.
 *
 * @param root id of what the row belongs to in the end: of its campaign, else of its run, else its own
 */
export function joinArchive(root: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`left join archive on ${isArchived(root)}`;
}

/** Which rows a list has by its filter `archived`, joined as by {@link joinArchive}. */
export function isListed(archived: unknown): RawBuilder<unknown> {
  if (archived === 'all') return sql`true`;
  return archived === 'true' ? sql`archive.id is not null` : sql`archive.id is null`;
}

const labsOfProtocol = sql`(
  select array(select json_array_elements_text(definition.body->'protocol'->'labs') order by 1)
  from definition where definition.hash = work.definition_hash)`;

/** What there is of each kind, by itself or in something, with what it belongs to in the end. */
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
    sql`and work.id > ${after} and work.state in ('completed', 'failed', 'cancelled', 'skipped')
      and work.ended_at < ${new Date(before).toISOString()}::timestamptz ${alone}
      and not exists (select from archive known where known.id = work.id) order by work.id limit ${limit}`,
  );
}
