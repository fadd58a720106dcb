import {
  agentStates,
  attemptStates,
  deviceStates,
  runStates,
  taskRunStates,
  trialStates,
} from '../states.js';
import { refusalKinds, type AuditRecord, type RefusalRecord } from './access.js';
import { attentionKinds, attentionStates, type AttentionRecord } from './attention.js';
import { definitionTypes, labStates } from './definitions.js';
import { deletionStates, holdKinds, type DeletionRecord } from './work/deletions.js';
import type { EffectRecord } from './effects.js';
import type { EmergencyStopRecord } from './emergency-stops.js';
import type { DeviceFileRecord, TaskFileRecord } from './files.js';
import { logSources, type LogLine } from './logs.js';
import { trialSources, type JournalEntry, type Trial } from './optimizer.js';
import type { ListPosition } from './pages.js';
import type { ResourceRecord, ResourceUse } from './resources.js';
import { usageKinds } from './work/usage.js';
import { webhookStates, type DeliveryRecord, type WebhookRecord } from './webhooks.js';
import type { CampaignSummary } from './work/campaigns.js';
import type { ProtocolRunSummary } from './work/protocol-runs.js';
import type { AttemptRecord, TaskRunRecord } from './work/tasks.js';
import { workKinds } from './work/work.js';
import { deliveryStates, effectStates, fileMatches, logLevels } from '../vocabulary.js';

/**
 * How a query parameter filters a list:
 *
 * - `choice`: the field is one of these values, separated by commas
 * - `at_least`: the field is this value or one after it
 * - `exact`: the field is this text
 * - `contains`: the field contains this text, in upper or lower case
 * - `since`, `until`: the moment is this one or later; before this one
 * - `above`: the number is greater than this one
 * - `flag`: `true` or `false`; absent: false
 * - `one_of`: one of the values; absent: the usual one
 */
export type ListFilter =
  | { kind: 'choice' | 'at_least'; values: readonly string[]; description: string }
  | { kind: 'one_of'; values: readonly string[]; usual: string; description: string }
  | { kind: 'exact' | 'contains' | 'since' | 'until' | 'above' | 'flag'; description: string };

/** The type of a field by which a list can be sorted. */
export type SortKind = 'time' | 'text' | 'number';

/** The sort orders and filters of a list. */
export interface ListShape {
  /** Default order: a field, or `-field` for descending. */
  usual: string;
  sort: Readonly<Record<string, SortKind>>;
  filters: Readonly<Record<string, ListFilter>>;
}

const exact = (description: string): ListFilter => ({ kind: 'exact', description });
const contains = (description: string): ListFilter => ({ kind: 'contains', description });
const choice = (values: readonly string[], description: string): ListFilter => ({
  kind: 'choice',
  values,
  description: `${description} Several values are separated by commas.`,
});
const states = (values: readonly string[]): ListFilter => choice(values, 'Only records in this state.');
const named = contains('Only records whose name contains this text, in upper or lower case.');
const between = (moment: string): Readonly<Record<'since' | 'until', ListFilter>> => ({
  since: {
    kind: 'since',
    description: `Only records that were ${moment} at this moment (ISO 8601) or later.`,
  },
  until: { kind: 'until', description: `Only records that were ${moment} before this moment (ISO 8601).` },
});
const owner = exact('Only records of this owner.');
const campaign = exact('Only records that belong to this campaign.');
const protocolRun = exact('Only records that belong to this protocol run.');
const computer = exact('Only records of this computer.');
const archived: ListFilter = {
  kind: 'one_of',
  values: ['false', 'true', 'all'],
  usual: 'false',
  description: '`false`: only records that are not archived. `true`: only archived records. `all`: both.',
};
const work = { created_at: 'time', name: 'text', owner: 'text', priority: 'number', state: 'text' } as const;

/** Lists that the database holds. */
export const storedLists = {
  tasks: {
    usual: '-created_at',
    sort: { ...work, type: 'text' },
    filters: {
      state: states(taskRunStates),
      type: exact('Only tasks of this type.'),
      owner,
      campaign,
      protocol_run: protocolRun,
      lab: exact(
        'Only tasks of this laboratory: tasks of runs whose protocol names it, and tasks that got one of its devices or resources.',
      ),
      computer,
      device: exact('Only tasks that got this device, as `<lab>.<device>`.'),
      ...between('created'),
      text: named,
      archived,
    },
  },
  protocol_runs: {
    usual: '-created_at',
    sort: { ...work, type: 'text' },
    filters: {
      state: states(runStates),
      type: exact('Only runs of this protocol.'),
      owner,
      campaign,
      lab: exact('Only runs whose protocol names this laboratory.'),
      ...between('created'),
      text: named,
      archived,
    },
  },
  campaign_runs: {
    usual: 'created_at',
    sort: { ...work },
    filters: { state: states(runStates), ...between('created'), text: named },
  },
  campaigns: {
    usual: '-created_at',
    sort: { ...work, protocol: 'text' },
    filters: {
      state: states(runStates),
      protocol: exact('Only campaigns of this protocol.'),
      owner,
      lab: exact('Only campaigns whose protocol names this laboratory.'),
      ...between('created'),
      text: named,
      archived,
    },
  },
  trials: {
    usual: 'number',
    sort: { number: 'number' },
    filters: {
      state: states(trialStates),
      source: choice(trialSources, 'Only trials from this source.'),
      after: { kind: 'above', description: 'Only trials with a higher number than this.' },
    },
  },
  journal: {
    usual: '-number',
    sort: { number: 'number' },
    filters: { source: choice(trialSources, 'Only entries of trials from this source.') },
  },
  attempts: {
    usual: '-created_at',
    sort: { created_at: 'time', state: 'text', computer: 'text' },
    filters: {
      state: states(attemptStates),
      task: exact('Only attempts of tasks with this name.'),
      lab: exact('Only attempts of tasks of this laboratory.'),
      protocol_run: protocolRun,
      computer,
      device: exact('Only attempts that had this device, as `<lab>.<device>`.'),
      ...between('created'),
      archived,
    },
  },
  task_attempts: {
    usual: 'number',
    sort: { number: 'number' },
    filters: { state: states(attemptStates), computer },
  },
  attention: {
    usual: '-opened_at',
    sort: { opened_at: 'time', kind: 'text', state: 'text' },
    filters: {
      state: states(attentionStates),
      kind: choice(attentionKinds, 'Only questions about this.'),
      protocol_run: protocolRun,
      lab: exact('Only questions about tasks of this laboratory and about its devices.'),
      device: exact('Only questions about this device, as `<lab>.<device>`.'),
      computer,
      ...between('opened'),
    },
  },
  emergency_stops: {
    usual: '-engaged_at',
    sort: { engaged_at: 'time', scope: 'text' },
    filters: {
      all: { kind: 'flag', description: 'True: lists released emergency stops as well.' },
      scope: exact('Only emergency stops with this scope: `all`, `lab:<lab>` or `device:<lab>.<device>`.'),
      lab: exact('Only emergency stops of this laboratory, of one of its devices, or of everything.'),
      by: exact('Only emergency stops by this person.'),
      ...between('engaged'),
    },
  },
  deletions: {
    usual: '-created_at',
    sort: { created_at: 'time', due_at: 'time', name: 'text', state: 'text' },
    filters: {
      state: states(deletionStates),
      kind: choice(workKinds, 'Only deletions of this kind of work.'),
      owner: exact('Only deletions of work of this owner.'),
      lab: exact('Only deletions of work of this laboratory.'),
      by: exact('Only deletions that this person asked for.'),
      ...between('asked for'),
      text: contains('Only deletions of work whose name contains this text, in upper or lower case.'),
    },
  },
  resources: {
    usual: 'name',
    sort: { name: 'text', type: 'text', lab: 'text' },
    filters: {
      type: exact('Only resources of this type.'),
      lab: exact('Only resources of this laboratory.'),
      text: named,
    },
  },
  resource_uses: {
    usual: '-started_at',
    sort: { started_at: 'time' },
    filters: {
      state: states(taskRunStates),
      protocol_run: protocolRun,
      since: { kind: 'since', description: 'Only uses and resets at this moment (ISO 8601) or later.' },
      until: { kind: 'until', description: 'Only uses and resets before this moment (ISO 8601).' },
    },
  },
  files: {
    usual: '-created_at',
    sort: { created_at: 'time' },
    filters: {
      task: exact('Only files of tasks with this name.'),
      lab: exact('Only files of tasks of this laboratory.'),
      type: exact('Only files of tasks of this type.'),
      protocol_run: protocolRun,
      campaign,
      owner,
      ...between('created by their task'),
      text: contains('Only files whose name contains this text.'),
      archived,
    },
  },
  device_files: {
    usual: '-made_at',
    sort: { made_at: 'time', stored_at: 'time' },
    filters: {
      lab: exact('Only files of devices of this laboratory.'),
      device: exact('Only files of devices with this name.'),
      computer,
      task: exact('Only files of tasks with this name.'),
      task_run: exact('Only files of the task run with this id.'),
      attempt: exact('Only files of the attempt with this id.'),
      protocol_run: protocolRun,
      campaign,
      matched: choice(fileMatches, 'Only files whose attempt was found so.'),
      loose: { kind: 'flag', description: 'True: only files that belong to no attempt.' },
      ...between('made'),
      text: contains('Only files whose path contains this text.'),
    },
  },
  logs: {
    usual: '-id',
    sort: { id: 'number', at: 'time' },
    filters: {
      task_run: exact('Only lines of the task run with this id.'),
      task: exact('Only lines of tasks with this name.'),
      protocol_run: protocolRun,
      campaign,
      lab: exact('Only lines of devices of this laboratory.'),
      device: exact('Only lines of devices with this name.'),
      computer,
      source: choice(logSources, 'Only lines from this source.'),
      level: {
        kind: 'at_least',
        values: logLevels,
        description: 'Only lines of this severity or a higher one.',
      },
      ...between('written'),
      text: contains('Only lines that contain this text, in upper or lower case.'),
    },
  },
  effects: {
    usual: '-began_at',
    sort: { began_at: 'time' },
    filters: {
      lab: exact('Only calls of devices of this laboratory.'),
      device: exact('Only calls of devices with this name.'),
      function: exact('Only calls of this function.'),
      task: exact('Only calls of tasks with this name.'),
      protocol_run: protocolRun,
      campaign,
      attempt: exact('Only calls of the attempt with this id.'),
      person: exact('Only calls of this person.'),
      code_hash: exact('Only calls of devices with this code.'),
      computer,
      state: states(effectStates),
      ...between('begun'),
    },
  },
  audit: {
    usual: '-seq',
    sort: { seq: 'number', at: 'time' },
    filters: {
      by: exact('Only acts of this person.'),
      action: exact('Only acts of this kind, for example `queue.pause`.'),
      subject: exact('Only acts on this, for example `campaign/sweep`.'),
      ...between('done'),
    },
  },
  refusals: {
    usual: '-last_at',
    sort: { last_at: 'time', count: 'number' },
    filters: {
      kind: choice(refusalKinds, 'Only refusals of this kind.'),
      principal: exact('Only refusals of this caller.'),
      address: exact('Only refusals of requests from this address.'),
      ...between('made'),
    },
  },
  webhooks: {
    usual: '-created_at',
    sort: { created_at: 'time', url: 'text' },
    filters: {
      state: states(webhookStates),
      ...between('created'),
      text: contains('Only webhooks whose address contains this text.'),
    },
  },
  webhook_deliveries: {
    usual: '-created_at',
    sort: { created_at: 'time' },
    filters: {
      state: states(deliveryStates),
      type: exact('Only events of this type, for example `task_run.completed`.'),
      aggregate: exact('Only events of this record, as `<kind>/<id>`.'),
      ...between('created'),
    },
  },
} as const satisfies Record<string, ListShape>;

/** Lists that the leading orchestrator has in memory. */
export const presentLists = {
  devices: {
    usual: 'lab_name',
    sort: { lab_name: 'text', name: 'text', type: 'text', computer: 'text', state: 'text' },
    filters: {
      state: states(deviceStates),
      type: exact('Only devices of this type.'),
      lab: exact('Only devices of this laboratory.'),
      computer,
      text: named,
    },
  },
  reservations: {
    usual: 'from',
    sort: { from: 'time', to: 'time', lab: 'text', by: 'text' },
    filters: {
      lab: exact('Only reservations of devices and resources of this laboratory.'),
      device: exact('Only reservations of devices with this name.'),
      resource: exact('Only reservations of this resource.'),
      by: exact('Only reservations of this person.'),
    },
  },
  legal_holds: {
    usual: 'created_at',
    sort: { created_at: 'time', kind: 'text', name: 'text' },
    filters: {
      kind: choice(holdKinds, 'Only holds of this kind.'),
      by: exact('Only holds of this person.'),
      text: named,
    },
  },
  labs: {
    usual: 'name',
    sort: { name: 'text', state: 'text', package: 'text' },
    filters: {
      state: states(labStates),
      package: exact('Only laboratories of this package.'),
      text: named,
    },
  },
  agents: {
    usual: 'computer',
    sort: { computer: 'text', state: 'text' },
    filters: {
      state: states(agentStates),
      lab: exact('Only agents of computers of this laboratory.'),
      text: contains('Only agents of computers whose name contains this text, in upper or lower case.'),
    },
  },
  queue: {
    usual: 'position',
    sort: { position: 'number' },
    filters: {
      protocol_run: protocolRun,
      campaign,
      owner,
      lab: exact('Only tasks that are planned on a device of this laboratory, or else could get one.'),
      device: exact('Only tasks that are planned on this device, as `<lab>.<device>`, or else could get it.'),
    },
  },
  usage: {
    usual: '-share',
    sort: { share: 'number', name: 'text', records: 'number', files: 'number', bytes: 'number' },
    filters: {
      kind: choice(usageKinds, 'Only usage of owners, or of laboratories.'),
      name: exact('Only the usage of the owner or the laboratory with this name.'),
    },
  },
  packages: { usual: 'name', sort: { name: 'text' }, filters: { text: named } },
  definitions: {
    usual: 'type',
    sort: { type: 'text', name: 'text', package: 'text' },
    filters: {
      type: choice(definitionTypes, 'Only definitions of this type.'),
      package: exact('Only definitions of this package.'),
      lab: exact('Only definitions of this laboratory, as `labs` has it.'),
      text: named,
    },
  },
} as const satisfies Record<string, ListShape>;

export const lists: Readonly<Record<StoredListName | PresentListName, ListShape>> = {
  ...storedLists,
  ...presentLists,
};

export type StoredListName = keyof typeof storedLists;
export type PresentListName = keyof typeof presentLists;
export type ListName = StoredListName | PresentListName;

/** A checked request for one page. */
export interface ListRequest {
  /** 1 to {@link longestPage}. */
  limit: number;
  /** One of the fields that the shape names. */
  sort: string;
  descending: boolean;
  /** By name. Moments are ISO 8601 in UTC; a choice is a list. An absent filter selects everything. */
  filters: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Only records that belong to at least one lab and only to these labs. Absent: all records. */
  within?: readonly string[];
  /** The record after which the page begins; null: the first page. */
  after: ListPosition | null;
}

/** The records of each stored list. */
export interface StoredItems {
  tasks: TaskRunRecord;
  protocol_runs: ProtocolRunSummary;
  campaign_runs: ProtocolRunSummary;
  campaigns: CampaignSummary;
  trials: Trial;
  journal: JournalEntry;
  attempts: AttemptRecord;
  task_attempts: AttemptRecord;
  attention: AttentionRecord;
  emergency_stops: EmergencyStopRecord;
  deletions: DeletionRecord;
  resources: ResourceRecord;
  resource_uses: ResourceUse;
  files: TaskFileRecord;
  device_files: DeviceFileRecord;
  logs: LogLine;
  effects: EffectRecord;
  audit: AuditRecord;
  refusals: RefusalRecord;
  webhooks: WebhookRecord;
  webhook_deliveries: DeliveryRecord;
}
