import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Database } from '../schema/index.js';

/** Kinds of stored records that belong to labs. */
export type LabRecordKind =
  'campaign' | 'protocol_run' | 'task' | 'task_run' | 'attempt' | 'attention' | 'resource';

/** The labs that the protocol of a campaign or run names. Tasks of a run belong to the same labs. */
const ofProtocol = (definitionHash: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select (body->'protocol'->'labs')::jsonb from definition where hash = ${definitionHash})`;

/** The labs of the devices and resources of an on-demand task; null stands for a resource that is unknown. */
const ofUsed = sql`(select coalesce(jsonb_agg(distinct used.lab), '[]'::jsonb) from (
  select device.value->>'lab_name' as lab from jsonb_each(task_run.devices) device
  union all
  select resource.lab from jsonb_each(task_run.resources) filled
    left join resource on resource.name = filled.value->>'name') used)`;

const ofTask = sql`case when task_run.run_id is null then ${ofUsed}
  else ${ofProtocol(sql`task_run.definition_hash`)} end`;

/** The condition that the protocol of a campaign or run names a lab. PostgreSQL evaluates it once for a whole list. */
export const namesLab = (table: string, lab: unknown): RawBuilder<unknown> =>
  sql`${sql.ref(`${table}.definition_hash`)} = any(array(
    select hash from definition where kind = 'protocol' and (body->'protocol'->'labs')::jsonb ? ${lab}::text))`;

/** The condition that the protocol names at least one lab, and only labs among these. */
export const namesOnly = (table: string, labs: readonly string[]): RawBuilder<unknown> =>
  sql`${sql.ref(`${table}.definition_hash`)} = any(array(
    select hash from definition where kind = 'protocol' and (body->'protocol'->'labs')::jsonb <> '[]'::jsonb
      and (body->'protocol'->'labs')::jsonb <@ ${JSON.stringify(labs)}::jsonb))`;

/** The condition that a task belongs to a lab. */
export const taskIsOf = (lab: unknown): RawBuilder<unknown> =>
  sql`(jsonb_path_exists(task_run.devices, '$.* ? (@.lab_name == $lab)', jsonb_build_object('lab', ${lab}::text))
    or (task_run.run_id is not null and ${namesLab('task_run', lab)})
    or (task_run.run_id is null and task_run.resources <> '{}'::jsonb and ${ofUsed} ? ${lab}::text))`;

/** The condition that a task got a device. @param device `<lab>.<device>` */
export const taskHasDevice = (device: string): RawBuilder<unknown> =>
  sql`exists (select from task_device where task_device.device = ${device}
    and task_device.created_at = task_run.created_at and task_device.task_run_id = task_run.id)`;

/** The condition that a task got a device of a lab. */
export const taskHasDeviceOf = (lab: string): RawBuilder<unknown> =>
  sql`jsonb_path_query_array(task_run.devices, '$.*') @> ${JSON.stringify([{ lab_name: lab }])}::jsonb`;

/** The condition that a task belongs to at least one lab, and only to labs among these. */
export const taskIsOnlyOf = (labs: readonly string[]): RawBuilder<unknown> =>
  sql`case when task_run.run_id is null then ${ofUsed} <> '[]'::jsonb and ${ofUsed} <@ ${JSON.stringify(labs)}::jsonb
    else ${namesOnly('task_run', labs)} end`;

/** The lab of the device that an attention item or emergency stop names, as the first part of `<lab>.<device>`. */
const labBefore = (name: RawBuilder<unknown>): RawBuilder<unknown> => sql`split_part(${name}, '.', 1)`;

/** The condition that an attention item belongs to a lab: by its task, or else by its device. */
export const attentionIsOf = (lab: unknown): RawBuilder<unknown> =>
  sql`case when task_run.id is not null then ${taskIsOf(lab)}
    else coalesce(${labBefore(sql`attention.device`)} = ${lab}::text, false) end`;

/** The condition that an attention item belongs to at least one lab, and only to labs among these. */
export const attentionIsOnlyOf = (labs: readonly string[]): RawBuilder<unknown> =>
  sql`case when task_run.id is not null then ${taskIsOnlyOf(labs)}
    else coalesce(${labBefore(sql`attention.device`)} = any(${labs}::text[]), false) end`;

/** The condition that an emergency stop reaches at least one of these labs: it stops everything, the lab or a device of it. */
export const stopReaches = (labs: readonly string[]): RawBuilder<unknown> =>
  sql`(emergency_stop.scope = 'all'
    or ${labBefore(sql`split_part(emergency_stop.scope, ':', 2)`)} = any(${labs}::text[]))`;

/** Queries for the labs of a record. The events of the record name the same labs. */
const queries: Readonly<
  Record<
    LabRecordKind,
    (key: string, run: string | undefined) => RawBuilder<{ labs: (string | null)[] | null }>
  >
> = {
  campaign: (name) =>
    sql`select ${ofProtocol(sql`definition_hash`)} as labs from campaign where name = ${name}`,
  protocol_run: (name) =>
    sql`select ${ofProtocol(sql`definition_hash`)} as labs from protocol_run where name = ${name}`,
  task: (name, run) =>
    run === undefined
      ? sql`select ${ofTask} as labs from task_run where name = ${name} and run_id is null
          order by created_at desc, id desc limit 1`
      : sql`select ${ofTask} as labs from task_run join protocol_run on protocol_run.id = task_run.run_id
          where task_run.name = ${name} and protocol_run.name = ${run}`,
  task_run: (id) => sql`select ${ofTask} as labs from task_run where id = ${id}`,
  attempt: (id) =>
    sql`select ${ofTask} as labs from attempt join task_run on task_run.id = attempt.task_run_id
      where attempt.id = ${id}`,
  attention: (id) =>
    sql`select case when task_run.id is not null then ${ofTask}
        when attention.device is not null then jsonb_build_array(${labBefore(sql`attention.device`)}) end as labs
      from attention left join task_run on task_run.id = attention.task_run_id where attention.id = ${id}`,
  resource: (name) => sql`select jsonb_build_array(lab) as labs from resource where name = ${name}`,
};

/**
 * Reads the labs that a record belongs to.
 *
 * @param key the name of a campaign, protocol run, task or resource, else the id
 * @param run of a task: its protocol run; undefined: the on-demand task that was submitted last under that name
 * @returns the names; empty when the record belongs to no lab, or to one that is unknown; undefined when there is no
 *   such record
 */
export async function readLabs(
  db: Kysely<Database>,
  kind: LabRecordKind,
  key: string,
  run: string | undefined,
): Promise<string[] | undefined> {
  const { rows } = await queries[kind](key, run).execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const labs = row.labs ?? [null];
  return labs.every((lab) => lab !== null) ? labs : [];
}
