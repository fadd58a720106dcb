import { connect } from 'node:net';
import { Readable } from 'node:stream';
import {
  fieldNamesOf,
  type Shape,
  ServiceError,
  type AnyEvent,
  type AnyRequest,
  type BodyOf,
  type CampaignRecord,
  type ProtocolRunRecord,
  type ReplyOf,
  type RequestOf,
  type ServiceEvent,
  TaskRunRecord,
  type Tokens,
} from '@lab/contracts';
import type { Sealing } from '@lab/runtime';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { RequestLog } from '../src/http/fastify-server.js';
import { AuditRecorder } from '../src/audit/audit-recorder.js';
import { OpenToAll, type Authentication } from '../src/access/authentication.js';
import type { Surroundings } from '../src/app.module.js';
import { MemoryBrokerStatus } from './memory-broker-status.js';
import { RefusalLog } from '../src/refusals/refusal-log.js';
import { MemoryAudit, MemoryRefusals, MemoryTokens } from './memory-access.js';
import { MemoryLines } from './memory-lines.js';
import { MemoryKeys } from './memory-keys.js';
import { MemoryPackages } from './memory-packages.js';
import { MemoryRecords } from './memory-records.js';
import { idleWebhooks, type MemoryDeliveries, type MemoryWebhooks } from './memory-webhooks.js';
import { noEnrolment } from './memory-enrolments.js';
import { startServer, type RunningServer, type ServerOptions } from '../src/server.js';
import type { Announcements, CallOptions, Requests } from '../src/ports/broker.js';
import type { DeviceFileStore, EventReader, FileStore } from '../src/ports/stores.js';
import type { FileGrant } from '@lab/object-store';

type Tokened = Record<string, string>;
export type Answer = (body: unknown, tokens: Tokened, options: CallOptions) => unknown;

/** A bus on which the test answers, with the checks of the real one on both sides. */
export class ScriptedRequests implements Requests {
  readonly sent: { name: string; tokens: Tokened; body: unknown; options: CallOptions }[] = [];
  private readonly answers = new Map<string, Answer>();

  on<D extends AnyRequest>(
    definition: D,
    answer: (body: RequestOf<D>, tokens: Tokened, options: CallOptions) => ReplyOf<D> | Promise<ReplyOf<D>>,
  ): this {
    this.answers.set(definition.name, answer as Answer);
    return this;
  }

  async call<D extends AnyRequest>(
    definition: D,
    tokens: Tokens<D['subject']>,
    body: RequestOf<D>,
    options: CallOptions = {},
  ): Promise<ReplyOf<D>> {
    const wire: unknown = JSON.parse(JSON.stringify(body));
    this.sent.push({ name: definition.name, tokens: tokens as Tokened, body: wire, options });
    const answer = this.answers.get(definition.name);
    if (answer === undefined)
      throw new ServiceError('service_unavailable', `nobody answers ${definition.name}`);
    return (await answer(wire, tokens as Tokened, options)) as ReplyOf<D>;
  }

  of(definition: AnyRequest): { tokens: Tokened; body: unknown; options: CallOptions }[] {
    return this.sent.filter(({ name }) => name === definition.name);
  }
}

/** The announcements in order. It fails while the test says so. */
export class MemoryAnnouncements implements Announcements {
  readonly announced: { name: string; body: unknown }[] = [];
  /** `<kind>/<name>` to the id of the submission that created it. */
  readonly submissions = new Map<string, string>();
  failure: ServiceError | undefined;

  announce<D extends AnyEvent>(definition: D, _tokens: Tokens<D['subject']>, body: BodyOf<D>): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    this.announced.push({ name: definition.name, body });
    return Promise.resolve();
  }
}

/** The events that a test has committed. */
export class MemoryEvents implements EventReader {
  events: ServiceEvent[] = [];
  pruned = 0;
  /** `<kind>/<name>` to the id of the submission that created it. */
  readonly submissions = new Map<string, string>();
  failure: ServiceError | undefined;
  /** The number of pages read. */
  reads = 0;
  #listeners: (() => void)[] = [];

  /** Commits events and notifies the listeners. */
  commit(...events: Partial<ServiceEvent>[]): void {
    for (const event of events) this.events.push(serviceEvent({ id: this.events.length + 1, ...event }));
    for (const listener of this.#listeners) listener();
  }

  extent(): Promise<{ latest: number; pruned: number }> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    return Promise.resolve({ latest: this.events.at(-1)?.id ?? this.pruned, pruned: this.pruned });
  }

  after(id: number, limit: number): Promise<{ pruned: number; events: ServiceEvent[] }> {
    this.reads += 1;
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const events = this.events.filter((event) => event.id > Math.max(id, this.pruned)).slice(0, limit);
    return Promise.resolve({ pruned: this.pruned, events });
  }

  history(aggregate: string, afterSeq: number, limit: number): Promise<ServiceEvent[]> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const ofRecord = this.events.filter((event) => event.aggregate === aggregate && event.seq > afterSeq);
    return Promise.resolve(ofRecord.slice(0, limit));
  }

  listen(onEvents: () => void): void {
    this.#listeners.push(onEvents);
  }
}

export function serviceEvent(given: Partial<ServiceEvent> = {}): ServiceEvent {
  return {
    id: 1,
    type: 'task_run.queued',
    schema: 1,
    aggregate: 'task_run/t1',
    seq: given.id ?? 1,
    at,
    body: {},
    ...given,
  };
}

export class MemoryFiles implements FileStore {
  readonly contents = new Map<string, Buffer>();
  readonly tickets = new Map<string, FileGrant>();

  get(key: string): Promise<Readable> {
    const content = this.contents.get(key);
    if (content === undefined) return Promise.reject(new ServiceError('not_found', 'no such file'));
    return Promise.resolve(Readable.from([content]));
  }

  async received(): Promise<number> {
    return 0;
  }

  async receive(
    { key, size, sha256 }: FileGrant,
    source: AsyncIterable<Uint8Array>,
  ): Promise<{ size: number; sha256: string }> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of source) chunks.push(chunk);
    const content = Buffer.concat(chunks);
    if (content.length !== size) throw new ServiceError('invalid', 'the size differs');
    this.contents.set(key, content);
    return { size, sha256 };
  }

  acceptTicket(token: string): FileGrant {
    const grant = this.tickets.get(token);
    if (grant === undefined) throw new ServiceError('forbidden', 'The upload ticket is not valid.');
    return grant;
  }

  acceptDownload(token: string): FileGrant {
    return this.acceptTicket(token);
  }
}

/** Remembers what people attach. Nothing can be attached to a task that has not begun. */
export class MemoryDeviceFiles implements DeviceFileStore {
  readonly attached: unknown[] = [];
  hasBegun = true;

  attach(...asked: Parameters<DeviceFileStore['attach']>): Promise<boolean> {
    if (this.hasBegun) this.attached.push(asked);
    return Promise.resolve(this.hasBegun);
  }

  /** What stands in the way of a deletion. */
  obstacle: Awaited<ReturnType<DeviceFileStore['delete']>>;
  readonly deleted: unknown[] = [];
  readonly keptIds: string[] = [];

  delete(...asked: Parameters<DeviceFileStore['delete']>): ReturnType<DeviceFileStore['delete']> {
    if (this.obstacle === undefined) this.deleted.push(asked);
    return Promise.resolve(this.obstacle);
  }

  keep(id: string): Promise<boolean> {
    this.keptIds.push(id);
    return Promise.resolve(this.deleted.length > 0);
  }
}

export interface LoggedLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields?: Record<string, unknown>;
}

export function memoryLog({ debug = false } = {}): RequestLog & { lines: LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const at =
    (level: LoggedLine['level']) =>
    (message: string, fields?: Record<string, unknown>): void => {
      lines.push(fields === undefined ? { level, message } : { level, message, fields });
    };
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    enabled: () => debug,
  };
}

export interface Harness {
  url: string;
  requests: ScriptedRequests;
  announcements: MemoryAnnouncements;
  broker: MemoryBrokerStatus;
  records: MemoryRecords;
  events: MemoryEvents;
  lines: MemoryLines;
  files: MemoryFiles;
  deviceFiles: MemoryDeviceFiles;
  keys: MemoryKeys;
  tokens: MemoryTokens;
  packages: MemoryPackages;
  authentication: Authentication;
  webhooks: MemoryWebhooks;
  deliveries: MemoryDeliveries;
  audit: MemoryAudit;
  refusals: RefusalLog;
  refused: MemoryRefusals;
  log: ReturnType<typeof memoryLog>;
  server: RunningServer;
  /** Sends JSON, or text unchanged, and returns the status, the headers and the parsed body. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown> & { errors?: { path: string; code: string; hint?: string }[] };
}

/** The real server with test doubles of its surroundings. */
export async function startHarness(
  { feeds, ...options }: Partial<ServerOptions> & Pick<Surroundings, 'feeds'> = {},
  sealing?: Sealing,
  /** Without it everybody may do everything. */
  authenticationOver: (tokens: MemoryTokens) => Authentication = () => new OpenToAll(),
  more: Partial<Surroundings> = {},
): Promise<Harness> {
  const log = memoryLog();
  const tokens = new MemoryTokens();
  const audit = new MemoryAudit();
  const refused = new MemoryRefusals();
  const surroundings = {
    requests: new ScriptedRequests(),
    announcements: new MemoryAnnouncements(),
    broker: new MemoryBrokerStatus(),
    records: new MemoryRecords(),
    events: new MemoryEvents(),
    lines: new MemoryLines(),
    files: new MemoryFiles(),
    deviceFiles: new MemoryDeviceFiles(),
    keys: new MemoryKeys(),
    ...idleWebhooks(log),
    ...noEnrolment(),
    tokens,
    packages: new MemoryPackages(),
    authentication: authenticationOver(tokens),
    audit: new AuditRecorder(audit, log),
    refusals: new RefusalLog(refused, () => undefined, log),
  };
  const door = {
    ...surroundings,
    ...(sealing === undefined ? {} : { sealing }),
    ...(feeds === undefined ? {} : { feeds }),
    ...more,
  };
  const server = await startServer(door, { host: '127.0.0.1', port: 0, log, ...options });
  return {
    url: server.url,
    ...surroundings,
    ...{ audit, log, server, refused },
    send: (method, path, body, headers) => send(server.url, method, path, body, headers),
  };
}

/**
 * One harness for all tests of a file. Each test begins with a connected broker and without records, requests and
 * announcements.
 */
export function sharedHarness(): Harness {
  const harness = {} as Harness;
  beforeAll(async () => {
    Object.assign(harness, await startHarness());
  });
  afterAll(() => harness.server.close());
  beforeEach(() => {
    harness.requests.sent.length = 0;
    harness.announcements.announced.length = 0;
    harness.announcements.failure = undefined;
    harness.log.lines.length = 0;
    harness.broker.connected = true;
    Object.assign(harness.records, new MemoryRecords());
  });
  return harness;
}

export async function send(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (isJson ? JSON.parse(text) : {}) as Reply['body'],
  };
}

export function expectProblem(reply: Reply, status: number, code: string): void {
  expect({ status: reply.status, code: reply.body.code }).toEqual({ status, code });
  expect(reply.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(reply.body).toMatchObject({
    type: `urn:svc:error:${code}`,
    title: expect.any(String) as string,
  });
}

/** Sends exactly these lines and returns the answer after the server has closed the connection. */
export function raw(
  url: string,
  line: string,
  headers: string[] = [],
): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port, host } = new URL(url);
  const lines = headers.some((header) => header.startsWith('Host:'))
    ? headers
    : [`Host: ${host}`, ...headers];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.once('error', reject);
    socket.once('close', () => {
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body });
    });
    socket.write([line, ...lines, 'Connection: close', '', ''].join('\r\n'));
  });
}

const at = '2026-11-20T09:30:00.000Z';

/** A record with null in every field. */
const empty = <Record extends object>(shape: Shape<Record>): Record =>
  Object.fromEntries(fieldNamesOf(shape).map((name) => [name, null])) as Record;

export function taskRecord(given: Partial<TaskRunRecord> = {}): TaskRunRecord {
  return {
    ...empty(TaskRunRecord),
    id: '0190c0de-0000-7000-8000-000000000001',
    name: 'rinse_1',
    type: 'clean_container',
    owner: 'ada',
    priority: 0,
    state: 'queued',
    devices: {},
    input_parameters: {},
    input_resources: {},
    input_files: {},
    output_files: [],
    attempt: 0,
    failures: 0,
    definition_hash: 'abc',
    code_hash: 'def',
    allocation_timeout: 600,
    failure_policy: {},
    meta: {},
    created_at: at,
    queued_at: at,
    ...given,
  };
}

export function runRecord(given: Partial<ProtocolRunRecord> = {}): ProtocolRunRecord {
  return {
    id: '0190c0de-0000-7000-8000-000000000002',
    name: 'mix_1',
    type: 'color_mixing',
    owner: 'ada',
    priority: 0,
    campaign: null,
    parameters: {},
    failure_policy: {},
    meta: {},
    state: 'created',
    reason: null,
    cancel_requested_at: null,
    paused_at: null,
    definition_hash: 'abc',
    created_at: at,
    started_at: null,
    ended_at: null,
    archived_at: null,
    estimated_completion: null,
    tasks: [],
    ...given,
  };
}

export function campaignRecord(given: Partial<CampaignRecord> = {}): CampaignRecord {
  return {
    id: '0190c0de-0000-7000-8000-000000000003',
    name: 'sweep',
    protocol: 'color_mixing',
    owner: '',
    priority: 0,
    state: 'created',
    reason: null,
    cancel_requested_at: null,
    paused_at: null,
    max_protocol_runs: 3,
    max_concurrent_protocol_runs: 1,
    optimize: false,
    optimizer_ip: '127.0.0.1',
    optimizer: null,
    global_parameters: {},
    protocol_run_parameters: null,
    failure_policy: {},
    on_run_failure: 'stop',
    max_failures: null,
    meta: {},
    protocol_runs_started: 0,
    protocol_runs_completed: 0,
    protocol_runs_failed: 0,
    definition_hash: 'abc',
    created_at: at,
    started_at: null,
    ended_at: null,
    archived_at: null,
    estimated_completion: null,
    ...given,
  };
}
