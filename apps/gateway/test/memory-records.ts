import {
  lists,
  type AttemptRecord,
  type AttentionRecord,
  type AuditRecord,
  type CampaignRecord,
  type CodeOrigin,
  type DeletionRecord,
  type DeviceFileRecord,
  type EffectRecord,
  type EmergencyStopRecord,
  type ListRequest,
  type LogLine,
  type Portion,
  type ProtocolRunRecord,
  type RefusalRecord,
  type ResourceRecord,
  type ResourceUse,
  type ServiceError,
  type StoredItems,
  type StoredListName,
  type ScheduledTask,
  type TaskFileRecord,
  type TaskRunRecord,
  type Trial,
  type WorkKind,
} from '@lab/contracts';
import type { EndedTasksPart, LabRecordKind, SchemaState, WorkDetail } from '@lab/persistence';
import { portionOf } from '../src/lists/portion.js';
import { logFields } from '../src/logs/log-feed.js';
import type { RecordReader } from '../src/ports/stores.js';
import { MemoryTables } from './memory-tables.js';

/** The records that a test put there. Reads fail while the test says so. */
export class MemoryRecords extends MemoryTables implements RecordReader {
  readonly runs: ProtocolRunRecord[] = [];
  readonly campaignList: CampaignRecord[] = [];
  readonly taskRuns: TaskRunRecord[] = [];
  readonly attempts: AttemptRecord[] = [];
  readonly attention: AttentionRecord[] = [];
  readonly resources: ResourceRecord[] = [];
  /** By resource. */
  readonly usesOf = new Map<string, ResourceUse[]>();
  readonly files: TaskFileRecord[] = [];
  readonly deviceFiles: DeviceFileRecord[] = [];
  logs: LogLine[] = [];
  readonly effects: EffectRecord[] = [];
  /** By hash of the code. */
  readonly origins = new Map<string, CodeOrigin[]>();
  readonly audit: AuditRecord[] = [];
  readonly refusals: RefusalRecord[] = [];
  readonly stops: EmergencyStopRecord[] = [];
  readonly deletions: DeletionRecord[] = [];
  /** By campaign. */
  readonly trialsOf = new Map<string, Trial[]>();
  /** `<kind>/<name or id>`, for a task in a run `task/<run>/<name>`. An unlisted record does not exist. */
  readonly labs = new Map<string, string[]>();
  /** `<kind>/<name>` to the id of the submission that created it. */
  readonly submissions = new Map<string, string>();
  readonly tables = { latest: '0002_later', oldest_reader: '0001_initial', known: '0002_later' };
  ended: ScheduledTask[] = [];
  /** What was asked of {@link ended}. */
  readonly askedEnded: EndedTasksPart[] = [];
  failure: ServiceError | undefined;

  private read<T>(value: () => T): Promise<T> {
    return this.failure === undefined ? Promise.resolve(value()) : Promise.reject(this.failure);
  }

  endedTasks(part: EndedTasksPart): Promise<ScheduledTask[]> {
    this.askedEnded.push(part);
    return this.read(() => this.ended.slice(0, part.limit));
  }

  isOfSubmission(kind: WorkKind, name: string, submissionId: string): Promise<boolean> {
    return this.read(() => this.submissions.get(`${kind}/${name}`) === submissionId);
  }

  schema(): Promise<SchemaState> {
    return this.read(() => this.tables);
  }

  protocolRun(name: string): Promise<ProtocolRunRecord | undefined> {
    return this.read(() => this.runs.find((run) => run.name === name));
  }

  campaign(name: string): Promise<CampaignRecord | undefined> {
    return this.read(() => this.campaignList.find((campaign) => campaign.name === name));
  }

  task(name: string, run?: string): Promise<TaskRunRecord | undefined> {
    return this.read(() =>
      this.taskRuns.findLast((task) => task.name === name && task.protocol_run === (run ?? null)),
    );
  }

  taskById(id: string): Promise<TaskRunRecord | undefined> {
    return this.read(() => this.taskRuns.find((task) => task.id === id));
  }

  attempt(id: string): Promise<AttemptRecord | undefined> {
    return this.read(() => this.attempts.find((attempt) => attempt.id === id));
  }

  resource(name: string): Promise<ResourceRecord | undefined> {
    return this.read(() => this.resources.find((resource) => resource.name === name));
  }

  deviceFile(id: string): Promise<DeviceFileRecord | undefined> {
    return this.read(() => this.deviceFiles.find((file) => file.id === id));
  }

  auditEntry(id: string): Promise<AuditRecord | undefined> {
    return this.read(() => this.audit.find((entry) => entry.id === id));
  }

  workDetails(): Promise<WorkDetail[]> {
    return this.read(() => []);
  }

  codeOrigins = (hash: string) => this.read(() => this.origins.get(hash) ?? []);
  effect = (id: string) => this.read(() => this.effects.find((effect) => effect.id === id));

  attentionItem(id: string): Promise<AttentionRecord | undefined> {
    return this.read(() => this.attention.find((item) => item.id === id));
  }

  filesDeletion(): Promise<DeletionRecord | undefined> {
    return this.read(() => this.deletions.find(({ what, state }) => what === 'files' && state === 'done'));
  }

  emergencyStop(id: string): Promise<EmergencyStopRecord | undefined> {
    return this.read(() => this.stops.find((stop) => stop.id === id));
  }

  labsOf(kind: LabRecordKind, key: string, run?: string): Promise<string[] | undefined> {
    return this.read(() => this.labs.get([kind, ...(run === undefined ? [] : [run]), key].join('/')));
  }

  list<Name extends StoredListName>(
    name: Name,
    request: ListRequest,
    owner = '',
  ): Promise<Portion<StoredItems[Name]>> {
    const inForce = ({ released_at: at }: EmergencyStopRecord): boolean =>
      request.filters['all'] === true || at === null;
    const isListed = ({ archived_at: at }: { archived_at: string | null }): boolean =>
      request.filters['archived'] === 'all' || (request.filters['archived'] === 'true') === (at !== null);
    const all: { [Each in StoredListName]: readonly StoredItems[Each][] } = {
      tasks: this.taskRuns.filter(isListed),
      protocol_runs: this.runs.filter(isListed).map(({ tasks: _, ...run }) => run),
      campaign_runs: this.runs
        .filter(({ campaign }) => campaign === owner)
        .map(({ tasks: _, ...run }) => run),
      campaigns: this.campaignList
        .filter(isListed)
        .map(({ protocol_run_parameters: _, ...campaign }) => campaign),
      trials: this.trialsOf.get(owner) ?? [],
      journal: (this.trialsOf.get(owner) ?? [])
        .filter(({ note }) => Object.keys(note).length > 0)
        .map(({ number, run, source, note }) => ({ number, run, source, note })),
      attempts: this.attempts,
      task_attempts: this.attempts.filter(({ task_run_id: id }) => id === owner),
      attention: this.attention,
      emergency_stops: this.stops.filter(inForce),
      deletions: this.deletions,
      resources: this.resources,
      resource_uses: this.usesOf.get(owner) ?? [],
      files: this.files,
      logs: this.logs,
      effects: this.effects,
      device_files: this.deviceFiles,
      audit: this.audit,
      refusals: this.refusals,
      webhooks: [],
      webhook_deliveries: [],
    };
    // Records of tests may have the same id, so the key contains the rest of the record.
    const idOf = (item: object): string => JSON.stringify(item);
    const moment = timeOf(name);
    const fields: Record<string, string> =
      name === 'logs' ? logFields : { since: moment, until: moment, after: 'number' };
    return this.read(() => {
      const items: readonly StoredItems[Name][] = all[name];
      const kind = workKinds[name];
      if (kind === undefined) return portionOf(items, name, request, idOf, fields);
      const { lab, ...filters } = request.filters;
      const { within } = request;
      const shown = (items as readonly { id: string; name: string }[]).filter(({ id, name }) => {
        const labs = this.labs.get(`${kind}/${kind === 'task_run' ? id : name}`) ?? [];
        if (lab !== undefined && !labs.includes(String(lab))) return false;
        return within === undefined || (labs.length > 0 && labs.every((each) => within.includes(each)));
      }) as unknown as readonly StoredItems[Name][];
      return portionOf(shown, name, { ...request, filters }, idOf, fields);
    });
  }
}

/** Lists of records that belong to the labs given by a test. */
const workKinds: Partial<Record<StoredListName, LabRecordKind>> = {
  tasks: 'task_run',
  protocol_runs: 'protocol_run',
  campaigns: 'campaign',
};

function timeOf(name: StoredListName): string {
  return lists[name].usual.replace('-', '');
}
