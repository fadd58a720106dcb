import {
  mediaTypeOf,
  type DeviceFileRecord,
  type EffectRecord,
  type FileDescription,
  type ListFilter,
  type LogLine,
  type RefusalRecord,
  type StoredItems,
  type StoredListName,
} from '@lab/contracts';
import { sql, type RawBuilder } from 'kysely';
import {
  type DeliveryRow,
  isListed,
  joinArchive,
  rootOfRun,
  rootOfTask,
  type StoredAttempt,
  type StoredAudit,
  type StoredCampaign,
  type StoredDeletion,
  type StoredEmergencyStop,
  type StoredTaskRun,
  type StoredTrial,
  type WebhookRow,
} from '../schema/index.js';
import {
  attemptRecord,
  attentionRecord,
  auditRecord,
  campaignSummary,
  deletionRecord,
  emergencyStopRecord,
  fileRecord,
  protocolRunSummary,
  resourceRecord,
  taskRunRecord,
  trialRecord,
  type ArchivedSince,
  type AttentionWithTask,
  type Codes,
  type LatestRuntime,
  type StoredResourceInUse,
  type StoredRunOfCampaign,
} from './shapes.js';
import {
  attentionIsOf,
  attentionIsOnlyOf,
  namesLab,
  namesOnly,
  stopReaches,
  taskIsOf,
  taskIsOnlyOf,
} from './labs.js';
import { deliveryRecord, webhookRecord } from './webhooks.js';

/** How one list is read from the database. */
export interface StoredList<Row, Item> {
  columns: RawBuilder<unknown>;
  /** The source of the rows. A list of something's parts may depend on the name or id of the owner. */
  from: RawBuilder<unknown> | ((owner: string) => RawBuilder<unknown>);
  /** The condition that a row belongs to the owner, given by name or id. */
  within?: (owner: string) => RawBuilder<unknown>;
  /** Unique among the rows; text that is compared byte by byte. By default the column `id` of `alias`. */
  id?: RawBuilder<unknown>;
  /** The expressions of fields for sorting and filtering that are no columns of `alias`. */
  fields?: Readonly<Record<string, RawBuilder<unknown>>>;
  /** Table with the fields that `fields` does not name. */
  alias: string;
  /**
   * The condition that a row belongs to at least one lab, and only to labs among these. Absent: the list cannot be
   * restricted to labs.
   */
  ofLabs?: (labs: readonly string[]) => RawBuilder<unknown>;
  /** Filters that are more than a comparison with a field. */
  special?: Readonly<Record<string, (value: FilterValue) => RawBuilder<unknown>>>;
  /** How a list with this filter is read instead: through a table that gives the rows that pass it in the usual order. */
  through?: Readonly<Record<string, Pick<StoredList<Row, Item>, 'from' | 'id' | 'fields'>>>;
  record: (row: Row, codes: Codes) => Item;
  /** The definition hash of a row that has code. */
  definition?: (row: Row) => string;
}

export type FilterValue = string | number | boolean | readonly string[];

type Lists = { [Name in StoredListName]: StoredList<never, StoredItems[Name]> };

/** Checks the type of the rows within one list. */
const list = <Row, Item>(given: StoredList<Row, Item>): StoredList<never, Item> =>
  given as unknown as StoredList<never, Item>;

const runName = sql`protocol_run.name`;
const campaignName = sql`campaign.name`;
const runsWithCampaigns = sql`protocol_run left join campaign on campaign.id = protocol_run.campaign_id
  ${joinArchive(rootOfRun)}`;
const runsOfTasks = sql`left join protocol_run on protocol_run.id = task_run.run_id
  left join campaign on campaign.id = protocol_run.campaign_id`;
const tasksWithRuns = sql`task_run ${runsOfTasks}`;
const tasksOfDevice = sql`task_device join task_run on task_run.id = task_device.task_run_id ${runsOfTasks}`;
const taskFields = { protocol_run: runName, campaign: campaignName };
const attemptsWithTasks = sql`attempt join task_run on task_run.id = attempt.task_run_id
  left join protocol_run on protocol_run.id = task_run.run_id`;
const attemptColumns = sql`attempt.*, task_run.name as task, protocol_run.name as protocol_run`;
/** The columns of a log line that people see. */
export const logColumns = sql`log_line.id, log_line.at, log_line.level, log_line.source, log_line.computer, log_line.lab,
  log_line.device, log_line.task_run_id, log_line.task, log_line.protocol_run, log_line.campaign, log_line.attempt_id,
  log_line.attempt, log_line.message`;
type AttemptOfTask = StoredAttempt & { task: string; protocol_run: string | null };

/** Names of the resources in the slots of a task. PostgreSQL uses the index only for exactly this expression. */
const resourceNames = sql`jsonb_path_query_array(task_run.resources, '$.*.name')`;

/** The condition that a slot of the attempt has a device, `<lab>.<device>`. */
const attemptHasDevice = (device: FilterValue): RawBuilder<unknown> =>
  sql`jsonb_path_exists(attempt.devices, '$.* ? (@.lab == $lab && @.name == $name)',
    jsonb_build_object('lab', split_part(${device}::text, '.', 1), 'name', split_part(${device}::text, '.', 2)))`;

/** What executed the latest attempt of a task. */
export const latestRuntime = sql`(select attempt.runtime from attempt
  where attempt.task_run_id = task_run.id and attempt.number = task_run.attempt)`;

/** How each list is read. */
export const storedLists: Lists = {
  tasks: list<
    StoredTaskRun & ArchivedSince & LatestRuntime & { protocol_run: string | null },
    StoredItems['tasks']
  >({
    columns: sql`task_run.*, protocol_run.name as protocol_run, archive.archived_at, ${latestRuntime} as runtime`,
    from: sql`${tasksWithRuns} ${joinArchive(rootOfTask)}`,
    alias: 'task_run',
    fields: taskFields,
    special: {
      archived: isListed,
      lab: taskIsOf,
      device: (device) => sql`task_device.device = ${device}`,
    },
    through: {
      device: {
        from: sql`${tasksOfDevice} ${joinArchive(rootOfTask)}`,
        id: sql`task_device.task_run_id`,
        fields: { ...taskFields, created_at: sql`task_device.created_at` },
      },
    },
    ofLabs: taskIsOnlyOf,
    record: (row, codes) => taskRunRecord(row, row.protocol_run, codes),
    definition: (row) => row.definition_hash,
  }),
  protocol_runs: list<StoredRunOfCampaign, StoredItems['protocol_runs']>({
    columns: sql`protocol_run.*, campaign.name as campaign, archive.archived_at`,
    from: runsWithCampaigns,
    alias: 'protocol_run',
    fields: { campaign: campaignName },
    special: { archived: isListed, lab: (lab) => namesLab('protocol_run', lab) },
    ofLabs: (labs) => namesOnly('protocol_run', labs),
    record: protocolRunSummary,
  }),
  campaign_runs: list<StoredRunOfCampaign, StoredItems['campaign_runs']>({
    columns: sql`protocol_run.*, campaign.name as campaign, archive.archived_at`,
    from: runsWithCampaigns,
    within: (campaign) => sql`campaign.name = ${campaign}`,
    alias: 'protocol_run',
    record: protocolRunSummary,
  }),
  campaigns: list<StoredCampaign & ArchivedSince, StoredItems['campaigns']>({
    columns: sql`campaign.*, archive.archived_at`,
    from: sql`campaign ${joinArchive(sql`campaign.id`)}`,
    alias: 'campaign',
    special: { archived: isListed, lab: (lab) => namesLab('campaign', lab) },
    ofLabs: (labs) => namesOnly('campaign', labs),
    record: campaignSummary,
  }),
  trials: list<StoredTrial, StoredItems['trials']>({
    columns: sql`trial.*`,
    from: sql`trial join campaign on campaign.id = trial.campaign_id`,
    within: (campaign) => sql`campaign.name = ${campaign}`,
    alias: 'trial',
    fields: { after: sql`trial.number` },
    record: trialRecord,
  }),
  journal: list<StoredTrial, StoredItems['journal']>({
    columns: sql`trial.*`,
    from: sql`trial join campaign on campaign.id = trial.campaign_id`,
    within: (campaign) => sql`campaign.name = ${campaign} and trial.note <> '{}'::jsonb`,
    alias: 'trial',
    record: ({ number, run, source, note }) => ({ number, run, source, note }),
  }),
  attempts: list<AttemptOfTask, StoredItems['attempts']>({
    columns: attemptColumns,
    from: sql`${attemptsWithTasks} ${joinArchive(rootOfTask)}`,
    special: { archived: isListed, lab: taskIsOf, device: attemptHasDevice },
    ofLabs: taskIsOnlyOf,
    alias: 'attempt',
    fields: { task: sql`task_run.name`, protocol_run: runName },
    record: attemptRecord,
  }),
  task_attempts: list<AttemptOfTask, StoredItems['task_attempts']>({
    columns: attemptColumns,
    from: attemptsWithTasks,
    within: (taskRunId) => sql`attempt.task_run_id = ${taskRunId}`,
    alias: 'attempt',
    record: attemptRecord,
  }),
  attention: list<AttentionWithTask, StoredItems['attention']>({
    columns: sql`attention.*, task_run.name as task, protocol_run.name as protocol_run, attempt.number as attempt,
      task_run.cancel_requested_at is not null or protocol_run.ending is not null as is_stopping`,
    from: sql`attention left join task_run on task_run.id = attention.task_run_id
      left join protocol_run on protocol_run.id = task_run.run_id
      left join attempt on attempt.id = attention.attempt_id`,
    alias: 'attention',
    fields: { protocol_run: runName, time: sql`attention.opened_at` },
    special: { lab: attentionIsOf },
    ofLabs: attentionIsOnlyOf,
    record: attentionRecord,
  }),
  emergency_stops: list<StoredEmergencyStop, StoredItems['emergency_stops']>({
    columns: sql`emergency_stop.*`,
    from: sql`emergency_stop`,
    alias: 'emergency_stop',
    fields: {
      engaged_at: sql`emergency_stop.at`,
      time: sql`emergency_stop.at`,
    },
    special: {
      all: (all) => (all === true ? sql`true` : sql`emergency_stop.released_at is null`),
      lab: (lab) => stopReaches([String(lab)]),
    },
    ofLabs: stopReaches,
    record: emergencyStopRecord,
  }),
  deletions: list<StoredDeletion, StoredItems['deletions']>({
    columns: sql`deletion.*`,
    from: sql`deletion`,
    alias: 'deletion',
    fields: { created_at: sql`deletion.at`, time: sql`deletion.at` },
    special: { lab: (lab) => sql`deletion.labs ? ${lab}` },
    ofLabs: (labs) => sql`deletion.labs <> '[]'::jsonb and deletion.labs <@ to_jsonb(${labs}::text[])`,
    record: deletionRecord,
  }),
  resources: list<StoredResourceInUse, StoredItems['resources']>({
    columns: sql`resource.*, task_run.name as task, task_run.state as task_state, protocol_run.name as run,
      keeper.name as held_by,
      case when coalesce(allocation.task_run_id, allocation.held_by_run_id) is not null then allocation.since end as since`,
    from: sql`resource left join allocation on allocation.kind = 'resource' and allocation.key = resource.name
      left join task_run on task_run.id = allocation.task_run_id
      left join protocol_run on protocol_run.id = task_run.run_id
      left join protocol_run keeper on keeper.id = allocation.held_by_run_id`,
    id: sql`resource.name`,
    alias: 'resource',
    ofLabs: (labs) => sql`resource.lab = any(${labs}::text[])`,
    record: resourceRecord,
  }),
  resource_uses: list<StoredItems['resource_uses'], StoredItems['resource_uses']>({
    columns: sql`used.kind, used.task_run_id, used.task, used.type, used.protocol_run, used.campaign, used.state, used.slot,
      used.taken, used."left", used.by, used.reason, used.started_at, used.ended_at`,
    from: (resource) => sql`(
      select 'task' as kind, (task_run.id || '/' || filled.slot) as id, task_run.id as task_run_id,
        task_run.name as task, task_run.type, protocol_run.name as protocol_run, campaign.name as campaign,
        task_run.state, filled.slot, filled.value->'meta' as taken, left_as.meta as "left", null as by,
        null as reason, task_run.started_at, task_run.ended_at
      from ${tasksWithRuns}
        cross join lateral jsonb_each(task_run.resources) filled(slot, value)
        left join lateral (
          select output.value->'meta' as meta from jsonb_each(task_run.output_resources) output
          where output.value->>'name' = filled.value->>'name' limit 1) left_as on true
      where task_run.started_at is not null and filled.value->>'name' = ${resource}
        and task_run.resources <> '{}'::jsonb and ${resourceNames} ? ${resource}
      union all
      select split_part(audit.action, '.', 2), audit.id, null, null, null, null, null, null, null, audit.detail->'before',
        audit.detail->'after', audit.by, nullif(audit.detail->>'reason', ''), audit.at, audit.at
      from audit where audit.action in ('resource.reset', 'resource.set') and audit.subject = ${`resource/${resource}`}
    ) used`,
    alias: 'used',
    fields: { time: sql`used.started_at` },
    record: (row) => row,
  }),
  files: list<StoredTaskRun & StoredFile, StoredItems['files']>({
    columns: sql`task_run.id, task_run.name, task_run.type, task_run.owner, task_run.attempt, task_run.created_at,
      protocol_run.name as protocol_run, campaign.name as campaign, file.value as file`,
    // PostgreSQL uses the index of tasks with files only for exactly this condition.
    from: sql`(select * from task_run where output_files <> '[]'::jsonb) task_run
      left join protocol_run on protocol_run.id = task_run.run_id
      left join campaign on campaign.id = protocol_run.campaign_id
      ${joinArchive(rootOfTask)}
      cross join lateral jsonb_array_elements(task_run.output_files) with ordinality file(value, place)`,
    id: sql`(task_run.id || '/' || lpad(file.place::text, 9, '0'))`,
    alias: 'task_run',
    fields: {
      task: sql`task_run.name`,
      protocol_run: runName,
      campaign: campaignName,
      text: sql`file.value->>'name'`,
    },
    special: { archived: isListed, lab: taskIsOf },
    ofLabs: taskIsOnlyOf,
    record: ({ file, id, name, ...row }) => ({
      ...fileRecord(file),
      task_run_id: id,
      task: name,
      type: row.type,
      protocol_run: row.protocol_run,
      campaign: row.campaign,
      owner: row.owner,
      attempt: row.attempt,
      created_at: row.created_at,
    }),
  }),
  device_files: list<Omit<DeviceFileRecord, 'media_type'>, StoredItems['device_files']>({
    columns: sql`device_file.id, device_file.lab, device_file.device, device_file.computer, device_file.name, device_file.path,
      device_file.size, device_file.sha256, device_file.made_at, device_file.modified_at, device_file.stored_at,
      device_file.matched, device_file.attached_by, device_file.reason, device_file.attempt_id, device_file.task_run_id,
      device_file.task, device_file.protocol_run, device_file.campaign, device_file.delete_at as delete_due_at,
      device_file.delete_by, device_file.delete_reason`,
    // Nobody sees a file whose deletion has begun.
    from: sql`(select * from device_file where not removing) device_file`,
    alias: 'device_file',
    fields: {
      attempt: sql`device_file.attempt_id`,
      task_run: sql`device_file.task_run_id`,
      time: sql`device_file.made_at`,
      text: sql`device_file.path`,
    },
    special: { loose: (loose) => (loose === true ? sql`device_file.attempt_id is null` : sql`true`) },
    ofLabs: (labs) => sql`device_file.lab = any(${labs}::text[])`,
    record: (row) => ({ ...row, media_type: mediaTypeOf(row.name) }),
  }),
  logs: list<LogLine, StoredItems['logs']>({
    columns: logColumns,
    from: sql`log_line`,
    id: sql`lpad(log_line.id::text, 19, '0')`,
    alias: 'log_line',
    fields: {
      task_run: sql`log_line.task_run_id`,
      time: sql`log_line.at`,
      text: sql`log_line.message`,
    },
    ofLabs: (labs) => sql`log_line.lab = any(${labs}::text[])`,
    record: (row) => row,
  }),
  effects: list<EffectRecord, StoredItems['effects']>({
    columns: sql`effect.*`,
    from: sql`effect`,
    alias: 'effect',
    fields: { attempt: sql`effect.attempt_id`, time: sql`effect.began_at` },
    ofLabs: (labs) => sql`effect.lab = any(${labs}::text[])`,
    record: (row) => row,
  }),
  audit: list<StoredAudit, StoredItems['audit']>({
    columns: sql`audit.*`,
    from: sql`audit`,
    alias: 'audit',
    fields: { time: sql`audit.at` },
    record: auditRecord,
  }),
  refusals: list<RefusalRecord, StoredItems['refusals']>({
    columns: sql`security_refusal.*`,
    from: sql`security_refusal`,
    alias: 'security_refusal',
    fields: { time: sql`security_refusal.last_at` },
    record: (row) => row,
  }),
  webhooks: list<WebhookRow, StoredItems['webhooks']>({
    columns: sql`webhook.*`,
    from: sql`webhook`,
    alias: 'webhook',
    fields: {
      text: sql`webhook.url`,
      state: sql`(case when not webhook.enabled then 'disabled' when webhook.failing_since is null then 'active'
        else 'failing' end)`,
    },
    record: webhookRecord,
  }),
  webhook_deliveries: list<DeliveryRow, StoredItems['webhook_deliveries']>({
    columns: sql`webhook_delivery.*`,
    from: sql`webhook_delivery`,
    within: (webhookId) => sql`webhook_delivery.webhook_id = ${webhookId}`,
    alias: 'webhook_delivery',
    record: deliveryRecord,
  }),
};

interface StoredFile {
  protocol_run: string | null;
  campaign: string | null;
  file: FileDescription;
}

/** The field that a filter compares, by kind of filter, unless the list names another one. */
const usualFields: Readonly<Partial<Record<ListFilter['kind'], string>>> = {
  contains: 'name',
  since: 'created_at',
  until: 'created_at',
};

/** How a list is read with these filters. */
export function readWith(
  list: StoredList<never, unknown>,
  filters: Readonly<Record<string, unknown>>,
): StoredList<never, unknown> {
  const filter = Object.keys(filters).find((name) => list.through?.[name] !== undefined);
  return filter === undefined ? list : { ...list, ...list.through?.[filter] };
}

/** The expression that identifies a row of a list. */
export function idOf({ id, alias }: StoredList<never, unknown>): RawBuilder<unknown> {
  return id ?? sql.ref(`${alias}.id`);
}

/** The expression of a field of the rows of a list. */
export function fieldOf(of: StoredList<never, unknown>, field: string): RawBuilder<unknown> {
  return of.fields?.[field] ?? sql.ref(`${of.alias}.${field}`);
}

/** The condition that a filter puts on the rows of a list. */
export function conditionOf(
  of: StoredList<never, unknown>,
  name: string,
  filter: ListFilter,
  value: FilterValue,
): RawBuilder<unknown> {
  const special = of.special?.[name];
  if (special !== undefined) return special(value);
  const time = filter.kind === 'since' || filter.kind === 'until' ? of.fields?.['time'] : undefined;
  const field = time ?? of.fields?.[name] ?? fieldOf(of, usualFields[filter.kind] ?? name);
  switch (filter.kind) {
    case 'choice':
      // For one value, an index that begins with the field also gives the order.
      return Array.isArray(value) && value.length === 1
        ? sql`${field} = ${value[0]}`
        : sql`${field} = any(${value}::text[])`;
    case 'at_least':
      return sql`${field} = any(${filter.values.slice(filter.values.indexOf(String(value)))}::text[])`;
    case 'contains':
      return sql`${field} ilike ${`%${String(value).replace(/[\\%_]/g, '\\$&')}%`}`;
    case 'since':
      return sql`${field} >= ${value}::timestamptz`;
    case 'until':
      return sql`${field} < ${value}::timestamptz`;
    case 'above':
      return sql`${field} > ${value}::bigint`;
    case 'exact':
      return sql`${field} = ${value}`;
    case 'flag':
    case 'one_of':
      throw new Error(`the filter ${name} says nothing of itself`);
  }
}
