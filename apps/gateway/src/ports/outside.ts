import type { Readable } from 'node:stream';
import type {
  AnyEvent,
  AnyRequest,
  AttemptRecord,
  AttentionRecord,
  AuditRecord,
  BodyOf,
  CampaignRecord,
  EmergencyStopRecord,
  ListRequest,
  LogLine,
  Portion,
  ProtocolRunRecord,
  ReplyOf,
  RequestOf,
  ResourceRecord,
  StoredItems,
  StoredListName,
  ServiceEvent,
  TaskRunRecord,
  Trial,
  Tokens,
} from '@lab/contracts';
import type { CampaignExtent, CampaignRun, CampaignRunsPart, LabRecordKind } from '@lab/persistence';

/**
 * What the gateway needs of the rest of the service. Abstract classes, because Nest injects by them; the real
 * libraries satisfy them by shape, and tests put in-memory twins in their place.
 */

export interface CallOptions {
  /** Milliseconds to wait for the reply; default: what the definition says. */
  timeoutMs?: number;
  /** Incarnation of the agent that the message is meant for. */
  inc?: number;
  /** Gives up waiting; what was begun is not stopped by it. */
  signal?: AbortSignal;
}

/** Requests over the broker. Rejections are ServiceErrors whose `effect` says what is known. */
export abstract class Requests {
  abstract call<D extends AnyRequest>(
    definition: D,
    tokens: Tokens<D['subject']>,
    body: RequestOf<D>,
    options?: CallOptions,
  ): Promise<ReplyOf<D>>;
}

/** Events over the broker, for whoever listens. */
export abstract class Announcements {
  /**
   * Sends the event before it returns.
   *
   * @returns resolves when the broker has got it
   * @throws ServiceError `disconnected`
   */
  abstract announce<D extends AnyEvent>(
    definition: D,
    tokens: Tokens<D['subject']>,
    body: BodyOf<D>,
  ): Promise<void>;
}

/** Whether the broker is connected at this moment. */
export abstract class BrokerStatus {
  abstract readonly connected: boolean;
}

/** Records as they are stored. Rejects with `store_unavailable` when the database does not answer. */
export abstract class RecordReader {
  abstract protocolRun(name: string): Promise<ProtocolRunRecord | undefined>;
  abstract campaign(name: string): Promise<CampaignRecord | undefined>;
  /** Without `protocolRunName`: the latest on-demand task of that name. */
  abstract task(name: string, protocolRunName?: string): Promise<TaskRunRecord | undefined>;
  abstract taskById(id: string): Promise<TaskRunRecord | undefined>;
  abstract attempt(id: string): Promise<AttemptRecord | undefined>;
  /** Trials with a note by number, those after a number. */
  abstract journal(campaign: string, options: { after: number; limit: number }): Promise<Trial[]>;
  /** What is known of the runs of a campaign before they are read. */
  abstract campaignExtent(campaign: { id: string; definition_hash: string }): Promise<CampaignExtent>;
  /** A part of the runs of a campaign, by their numbers. */
  abstract campaignRuns(campaignId: string, part: CampaignRunsPart): Promise<CampaignRun[]>;
  abstract attentionItem(id: string): Promise<AttentionRecord | undefined>;
  abstract emergencyStop(id: string): Promise<EmergencyStopRecord | undefined>;
  abstract resource(name: string): Promise<ResourceRecord | undefined>;
  abstract auditEntry(id: string): Promise<AuditRecord | undefined>;
  /**
   * The names of all labs that a record belongs to; empty: it is of none; undefined: there is no such record.
   *
   * @param key the name of a campaign, protocol run, task or resource, else the id
   * @param protocolRunName of a task, as with {@link task}
   */
  abstract labsOf(kind: LabRecordKind, key: string, protocolRunName?: string): Promise<string[] | undefined>;
  /** One page. `owner`: of a list within something, the name of the campaign or resource, the id of the task run. */
  abstract list<Name extends StoredListName>(
    name: Name,
    request: ListRequest,
    owner?: string,
  ): Promise<Portion<StoredItems[Name]>>;
}

/** The events of all records, as they were committed. Rejects with `store_unavailable` when the database does not answer. */
export abstract class EventReader {
  /** Id of the latest event, 0 before the first, and up to which id events may have been removed. */
  abstract extent(): Promise<{ latest: number; pruned: number }>;
  /** The first events behind an id, in the order of their commits: behind the last of them nothing earlier appears. */
  abstract after(id: number, limit: number): Promise<{ pruned: number; events: ServiceEvent[] }>;
  /** The events of one record by `seq`, those behind a number. */
  abstract history(aggregate: string, afterSeq: number, limit: number): Promise<ServiceEvent[]>;
  /** Calls back soon after events were committed. It may be late, or not called at all. */
  abstract listen(onEvents: () => void): void;
}

/** Lines that tasks and devices wrote. Rejects with `store_unavailable` when the database does not answer. */
export abstract class LogReader {
  /** Id of the latest line, 0 before the first, and up to which id lines may have been removed. */
  abstract extent(): Promise<{ latest: number; pruned: number }>;
  /** The first lines behind an id that pass the filters: behind the last of them nothing earlier appears. */
  abstract after(
    id: number,
    limit: number,
    filters?: ListRequest['filters'],
  ): Promise<{ pruned: number; lines: LogLine[] }>;
}

export interface FileGrant {
  key: string;
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
}

/** Files that tasks produced. */
export abstract class FileStore {
  /** @param range bytes `start` to `end`, both included; default: all */
  abstract get(key: string, range?: { start: number; end: number }): Promise<Readable>;
  /** How many bytes of an upload are here, so that it may go on behind them. */
  abstract received(grant: FileGrant): Promise<number>;
  /**
   * Takes an upload, or what follows the first `from` bytes of one that broke off.
   *
   * @throws ServiceError `wrong_state` when it cannot go on there; `invalid` when the content is not what was granted
   */
  abstract receive(
    grant: FileGrant,
    source: AsyncIterable<Uint8Array>,
    from: number,
  ): Promise<{ size: number; sha256: string }>;
  /** @throws ServiceError `forbidden` when the token is not one of ours or has expired */
  abstract acceptTicket(token: string): FileGrant;
  /** What the bearer of a token may fetch. @throws as {@link acceptTicket} */
  abstract acceptDownload(token: string): FileGrant;
}

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** True when lines of the level are written. */
  enabled(level: 'debug'): boolean;
}
