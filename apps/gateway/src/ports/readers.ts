import type {
  AttemptRecord,
  AttentionRecord,
  AuditRecord,
  CampaignRecord,
  EmergencyStopRecord,
  ListRequest,
  LogLine,
  Portion,
  ProtocolRunRecord,
  ResourceRecord,
  ServiceEvent,
  StoredItems,
  StoredListName,
  TaskRunRecord,
  Trial,
  WorkKind,
} from '@lab/contracts';
import type { CampaignExtent, CampaignRun, CampaignRunsPart, LabRecordKind } from '@lab/persistence';

/** Stored records. Every method rejects with `store_unavailable` when the database does not answer. */
export abstract class RecordReader {
  abstract protocolRun(name: string): Promise<ProtocolRunRecord | undefined>;
  abstract campaign(name: string): Promise<CampaignRecord | undefined>;
  /** Without `protocolRunName`: the latest on-demand task of that name. */
  abstract task(name: string, protocolRunName?: string): Promise<TaskRunRecord | undefined>;
  /** Whether the submission with this id made the campaign, the protocol run or an on-demand task of this name. */
  abstract isOfSubmission(kind: WorkKind, name: string, submissionId: string): Promise<boolean>;
  abstract taskById(id: string): Promise<TaskRunRecord | undefined>;
  abstract attempt(id: string): Promise<AttemptRecord | undefined>;
  /** Trials with a note behind a number, ordered by number. */
  abstract journal(campaign: string, options: { after: number; limit: number }): Promise<Trial[]>;
  /** Summary of the runs of a campaign, to read before the runs. */
  abstract campaignExtent(campaign: { id: string; definition_hash: string }): Promise<CampaignExtent>;
  /** A part of the runs of a campaign, ordered by number. */
  abstract campaignRuns(campaignId: string, part: CampaignRunsPart): Promise<CampaignRun[]>;
  abstract attentionItem(id: string): Promise<AttentionRecord | undefined>;
  abstract emergencyStop(id: string): Promise<EmergencyStopRecord | undefined>;
  abstract resource(name: string): Promise<ResourceRecord | undefined>;
  abstract auditEntry(id: string): Promise<AuditRecord | undefined>;
  /**
   * The names of all labs that a record belongs to; empty: it has none; undefined: there is no such record.
   *
   * @param key the name of a campaign, protocol run, task or resource, else the id
   * @param protocolRunName of a task, as with {@link task}
   */
  abstract labsOf(kind: LabRecordKind, key: string, protocolRunName?: string): Promise<string[] | undefined>;
  /** One page of a list. @param owner name of the campaign or resource, or id of the task run, that the list belongs to */
  abstract list<Name extends StoredListName>(
    name: Name,
    request: ListRequest,
    owner?: string,
  ): Promise<Portion<StoredItems[Name]>>;
}

/** The events of all records in the order of their commits. Every method rejects with `store_unavailable` when the database does not answer. */
export abstract class EventReader {
  /** Id of the latest event, 0 before the first, and up to which id events may have been removed. */
  abstract extent(): Promise<{ latest: number; pruned: number }>;
  /** The first events behind an id. No event will ever appear before the last of them. */
  abstract after(id: number, limit: number): Promise<{ pruned: number; events: ServiceEvent[] }>;
  /** The events of one record behind a `seq`, ordered by `seq`. */
  abstract history(aggregate: string, afterSeq: number, limit: number): Promise<ServiceEvent[]>;
  /** Calls back soon after events were committed. It may be late, or not called at all. */
  abstract listen(onEvents: () => void): void;
}

/** Stored output of tasks and devices. Every method rejects with `store_unavailable` when the database does not answer. */
export abstract class LogReader {
  /** Id of the latest line, 0 before the first, and up to which id lines may have been removed. */
  abstract extent(): Promise<{ latest: number; pruned: number }>;
  /** The first lines behind an id that pass the filters. No line will ever appear before the last of them. */
  abstract after(
    id: number,
    limit: number,
    filters?: ListRequest['filters'],
  ): Promise<{ pruned: number; lines: LogLine[] }>;
}
