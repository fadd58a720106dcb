import type { Readable } from 'node:stream';
import type {
  AnyEvent,
  AnyRequest,
  AttemptRecord,
  AttentionRecord,
  AttentionState,
  BodyOf,
  CampaignRecord,
  EmergencyStopRecord,
  ProtocolRunRecord,
  ReplyOf,
  RequestOf,
  RunState,
  ServiceEvent,
  TaskRunRecord,
  TaskRunState,
  Trial,
  Tokens,
} from '@lab/contracts';

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

export interface ListOptions<State> {
  limit: number;
  state?: State;
}

/** Records as they are stored. Rejects with `store_unavailable` when the database does not answer. */
export abstract class RecordReader {
  abstract protocolRun(name: string): Promise<ProtocolRunRecord | undefined>;
  abstract campaign(name: string): Promise<CampaignRecord | undefined>;
  /** Without `protocolRunName`: the latest on-demand task of that name. */
  abstract task(name: string, protocolRunName?: string): Promise<TaskRunRecord | undefined>;
  /** By number; undefined when there is no such task. */
  abstract attempts(name: string, protocolRunName?: string): Promise<AttemptRecord[] | undefined>;
  abstract protocolRuns(options: ListOptions<RunState>): Promise<ProtocolRunRecord[]>;
  abstract campaigns(options: ListOptions<RunState>): Promise<CampaignRecord[]>;
  /** By number, those after a number; `noted`: only those with a note. Undefined when there is no such campaign. */
  abstract trials(
    campaign: string,
    options: { after: number; limit: number; noted?: boolean },
  ): Promise<Trial[] | undefined>;
  abstract tasks(options: ListOptions<TaskRunState>): Promise<TaskRunRecord[]>;
  abstract attentionItems(options: ListOptions<AttentionState>): Promise<AttentionRecord[]>;
  abstract attentionItem(id: string): Promise<AttentionRecord | undefined>;
  /** Those in force, with `released` all. */
  abstract emergencyStops(options: { released: boolean; limit: number }): Promise<EmergencyStopRecord[]>;
  abstract emergencyStop(id: string): Promise<EmergencyStopRecord | undefined>;
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

export interface UploadGrant {
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
  abstract received(grant: UploadGrant): Promise<number>;
  /**
   * Takes an upload, or what follows the first `from` bytes of one that broke off.
   *
   * @throws ServiceError `wrong_state` when it cannot go on there; `invalid` when the content is not what was granted
   */
  abstract receive(
    grant: UploadGrant,
    source: AsyncIterable<Uint8Array>,
    from: number,
  ): Promise<{ size: number; sha256: string }>;
  /** @throws ServiceError `forbidden` when the token is not one of ours or has expired */
  abstract acceptTicket(token: string): UploadGrant;
}

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** True when lines of the level are written. */
  enabled(level: 'debug'): boolean;
}
