import type { JsonObject, Reason, RunState, TaskParameters, TrialSource } from '@lab/contracts';
import type { DefinitionRow } from '@lab/engine';
import { sql, type Kysely } from 'kysely';
import type { Database } from '../schema/index.js';

/** A version of a protocol with the task types that it uses. */
export type StoredProtocol = Extract<DefinitionRow['body'], { protocol: unknown }>;

/** The versions of the protocol of a campaign, and its latest run. */
export interface CampaignExtent {
  /** Versions of the protocol that the campaign and its runs were accepted with, the earliest first. */
  protocols: StoredProtocol[];
  /** Id of the latest run; null: no run has begun. */
  last: string | null;
}

/** A protocol run of a campaign with its parameters and outputs. */
export interface CampaignRun {
  id: string;
  /** Number in the campaign, from 1. */
  number: number;
  name: string;
  state: RunState;
  reason: Reason | null;
  /** The source of its parameters. */
  source: TrialSource;
  parameters: TaskParameters;
  /** Task to output to value: outputs that are one number, text or flag. Tasks without them are left out. */
  outputs: Record<string, JsonObject>;
  started_at: string | null;
  ended_at: string | null;
}

/** A part of the runs of a campaign. */
export interface CampaignRunsPart {
  /** Id of the run after which the part begins; null: it begins with the first run. */
  after: string | null;
  /** Id of the last run that the part may contain. */
  upTo: string;
  /** Number of runs at most. */
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

/** Reads a part of the runs of a campaign in the order of their numbers. */
export async function readCampaignRuns(
  db: Kysely<Database>,
  campaignId: string,
  { after, upTo, limit }: CampaignRunsPart,
): Promise<CampaignRun[]> {
  // Runs are created in the order of their numbers, so their ids have the same order.
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
