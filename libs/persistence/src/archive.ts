import type { WorkKind } from '@lab/contracts';
import type { NamedWork } from '@lab/engine';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Database } from './database.js';

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

const sources: Readonly<Record<WorkKind, RawBuilder<unknown>>> = {
  campaign: sql`
    select work.id, work.state, work.owner, ${labsOfProtocol} as labs, null as campaign, work.id as root
    from campaign work where work.name = `,
  protocol_run: sql`
    select work.id, work.state, work.owner, ${labsOfProtocol} as labs, campaign.name as campaign,
      coalesce(work.campaign_id, work.id) as root
    from protocol_run work left join campaign on campaign.id = work.campaign_id where work.name = `,
  task_run: sql`
    select work.id, work.state, work.owner, array(
        select device.value->>'lab_name' from jsonb_each(work.devices) device
        union
        select resource.lab from jsonb_each(work.resources) slot join resource on resource.name = slot.value->>'name'
        order by 1) as labs, null as campaign, work.id as root
    from task_run work where work.run_id is null and work.name = `,
};

/** As {@link Store.named}. */
export async function loadNamed(
  db: Kysely<Database>,
  kind: WorkKind,
  name: string,
): Promise<NamedWork | undefined> {
  const latest = kind === 'task_run' ? sql`order by work.created_at desc, work.id desc limit 1` : sql``;
  const { rows } = await sql<Omit<NamedWork, 'name' | 'archivedAt'> & { archived_at: string | null }>`
    select found.id, found.state, found.owner, found.labs, found.campaign, archive.archived_at
    from (${sources[kind]}${name} ${latest}) found ${joinArchive(sql`found.root`)}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { archived_at: at, ...work } = row;
  return { ...work, name, archivedAt: at === null ? null : Date.parse(at) };
}
