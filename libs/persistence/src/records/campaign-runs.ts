import type { JsonObject, Reason, RunState, TaskParameters, TrialSource } from '@lab/contracts';
import type { DefinitionRow } from '@lab/engine';
import { sql, type Kysely } from 'kysely';
import type { Database } from '../schema/index.js';

/** A version of a protocol with the task types that it uses. */
export type StoredProtocol = Extract<DefinitionRow['body'], { protocol: unknown }>;

/** What is known of the runs of a campaign before they are read. */
export interface CampaignExtent {
  /** Versions of the protocol that the campaign and its runs were accepted with, the earliest first. */
  protocols: StoredProtocol[];
  /** Id of the latest run; null: none has begun. */
  last: string | null;
}

/** A protocol run of a campaign with what went in and what came out. */
export interface CampaignRun {
  id: string;
  /** In the campaign, from 1. */
  number: number;
  name: string;
  state: RunState;
  reason: Reason | null;
  /** Where its parameters come from. */
  source: TrialSource;
  parameters: TaskParameters;
  /** Task name to output name to value, those that are one number, text or flag; without tasks that have none. */
  outputs: Record<string, JsonObject>;
  started_at: string | null;
  ended_at: string | null;
}

/** Which part of the runs of a campaign is read. */
export interface CampaignRunsPart {
  /** Id of the run behind which it begins; null: with the first. */
  after: string | null;
  /** Id of the last run that may be in it. */
  upTo: string;
  /** Runs at most. */
  limit: number;
}

/** @param campaign its id and the hash of its definition */
export async function readCampaignExtent(
  db: Kysely<Database>,
  campaign: { id: string; definition_hash: string },
): Promise<CampaignExtent> {
  const found = await db
    .selectFrom('protocol_run')
    .select(['definition_hash', sql<string>`min(id)`.as('first'), sql<string>`max(id)`.as('last')])
    .where('campaign_id', '=', campaign.id)
    .groupBy('definition_hash')
    .orderBy('first')
    .execute();
  const hashes = [...new Set([campaign.definition_hash, ...found.map((each) => each.definition_hash)])];
  const rows = await db.selectFrom('definition').selectAll().where('hash', 'in', hashes).execute();
  const bodies = new Map(rows.map(({ hash, body }) => [hash, body]));
  return {
    protocols: hashes.flatMap((hash) => {
      const body = bodies.get(hash);
      return body !== undefined && 'protocol' in body ? [body] : [];
    }),
    last: found.reduce<string | null>(
      (last, run) => (last === null || run.last > last ? run.last : last),
      null,
    ),
  };
}

/**
 * A part of the runs of a campaign, by their numbers.
 *
 * @param campaignId its id
 */
export async function readCampaignRuns(
  db: Kysely<Database>,
  campaignId: string,
  { after, upTo, limit }: CampaignRunsPart,
): Promise<CampaignRun[]> {
  // Runs are created by their numbers, so that their ids have the same order.
  const { rows } = await sql<CampaignRun>`
    select run.id, run.number, run.name, run.state, run.reason, run.parameters, run.started_at, run.ended_at,
      coalesce(trial.source, 'given') as source, coalesce(done.outputs, '{}'::jsonb) as outputs
    from (
      select *, substring(name from '_run_([0-9]+)$')::integer as number from protocol_run
      where campaign_id = ${campaignId} and id <= ${upTo} and id > ${after ?? ''}
      order by id limit ${limit}
    ) run
      left join trial on trial.campaign_id = ${campaignId} and trial.number = run.number
      left join lateral (
        select jsonb_object_agg(task_run.name, plain.outputs) as outputs
        from task_run cross join lateral (
          select jsonb_object_agg(key, value) as outputs from jsonb_each(task_run.output_parameters)
          where jsonb_typeof(value) in ('number', 'string', 'boolean')) plain
        where task_run.run_id = run.id and plain.outputs is not null) done on true
    order by run.id`.execute(db);
  return rows;
}
