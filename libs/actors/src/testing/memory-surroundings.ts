import {
  ServiceError,
  type AgentUpdates,
  type AttemptReport,
  type AttemptResult,
  type DeviceAssignment,
  type DeviceStatus,
  type EmergencyStop,
  type JsonObject,
  type JsonValue,
  type ModuleReference,
  type ProtocolRange,
  type RecordedEffect,
} from '@lab/contracts';
import type { Ids, Random } from '@lab/ports';
import type { Agent, Announcer, EffectStore } from '../agent/index.js';
import type {
  AgentIncarnation,
  AgentLog,
  DeviceAddress,
  Files,
  FileTicket,
  InputFile,
  Modules,
  Orchestrator,
  Peers,
  Registration,
  SpooledFile,
} from '../ports/index.js';

/** Ids in order: `<prefix>1`, `<prefix>2`, ... */
export class SequentialIds implements Ids {
  #last = 0;

  constructor(private readonly prefix = 'id-') {}

  next(): string {
    return `${this.prefix}${++this.#last}`;
  }
}

/** Pseudo-random numbers that depend only on the seed (algorithm mulberry32). */
export class SeededRandom implements Random {
  #state: number;

  constructor(seed = 1) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }
}

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: Record<string, unknown>;
}

/** Keeps every line. */
export class MemoryLog implements AgentLog {
  constructor(
    readonly lines: LogLine[] = [],
    private readonly bindings: Record<string, unknown> = {},
  ) {}

  debug(message: string, fields?: Record<string, unknown>): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: Record<string, unknown>): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: Record<string, unknown>): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: Record<string, unknown>): void {
    this.#write('error', message, fields);
  }

  child(bindings: Record<string, unknown>): AgentLog {
    return new MemoryLog(this.lines, { ...this.bindings, ...bindings });
  }

  #write(level: LogLine['level'], message: string, fields: Record<string, unknown> = {}): void {
    this.lines.push({ level, message, fields: { ...this.bindings, ...fields } });
  }
}

/** Has every module as `/modules/<hash>.mjs`, except those in `missing`. */
export class MemoryModules implements Modules {
  readonly missing = new Set<string>();
  /** Task types to whose processes a debugger may attach. */
  readonly debugged = new Set<string>();
  /** The hosts for which modules were provided, in order. */
  readonly hosts: string[] = [];

  isDebugged(taskType: string): boolean {
    return this.debugged.has(taskType);
  }

  async path(module: ModuleReference, host?: string): Promise<string> {
    if (host !== undefined) this.hosts.push(host);
    if (this.missing.has(module.hash)) throw new ServiceError('not_found', `no module ${module.hash}`);
    return `/modules/${module.hash}.mjs`;
  }
}

/** An orchestrator that accepts every request, unless `away` is set. */
export class MemoryOrchestrator implements Orchestrator {
  /** Set: every request fails with it. */
  away: ServiceError | undefined;
  /** Number of registrations, also of those that failed. */
  registrations = 0;
  devices: DeviceAssignment[] = [];
  epoch = 1;
  /** The emergency stops that it reports at every registration. */
  halts: EmergencyStop[] = [];
  released: string[] = [];
  readonly hellos: {
    session: string;
    attempts: AttemptReport[];
    incarnations: number[];
    sessions: string[];
    halts: EmergencyStop[];
    protocol: ProtocolRange;
    updates: AgentUpdates | undefined;
  }[] = [];
  readonly results: AttemptResult[] = [];
  readonly #incs = new Map<string, { inc: number; session: string }>();

  async register(hello: {
    computer: string;
    session: string;
    version: string;
    attempts: AttemptReport[];
    incarnations: number[];
    sessions: string[];
    devices: DeviceStatus[];
    halts: EmergencyStop[];
    protocol: ProtocolRange;
    updates?: AgentUpdates;
  }): Promise<Registration> {
    this.registrations += 1;
    if (this.away !== undefined) throw this.away;
    const { session, attempts, incarnations, sessions, halts, protocol, updates } = hello;
    this.hellos.push(
      structuredClone({ session, attempts, incarnations, sessions, halts, protocol, updates }),
    );
    const before = this.#incs.get(hello.computer);
    const inc = before?.session === hello.session ? before.inc : (before?.inc ?? 0) + 1;
    this.#incs.set(hello.computer, { inc, session: hello.session });
    const known = structuredClone({ devices: this.devices, halts: this.halts, released: this.released });
    return { inc, epoch: this.epoch, ...known };
  }

  async reportResult(result: AttemptResult): Promise<void> {
    if (this.away !== undefined) throw this.away;
    this.results.push(structuredClone(result));
  }

  async uploadTicket(file: { attemptId: string; name: string }): Promise<FileTicket> {
    if (this.away !== undefined) throw this.away;
    return { url: `memory:${file.attemptId}/${file.name}`, headers: {} };
  }

  async downloadTicket(file: { attemptId: string; handle: string }): Promise<FileTicket> {
    if (this.away !== undefined) throw this.away;
    return { url: `memory:${file.attemptId}/${file.handle}`, headers: {} };
  }
}

/** Name of the calling computer in all calls. */
const peerName = 'elsewhere';

/** Other agents in the same process, by the names of their computers. */
export class MemoryPeers implements Peers {
  readonly agents = new Map<string, Agent>();
  /** Set: every call fails with it. */
  away: ServiceError | undefined;
  /** The timeouts of all calls, in milliseconds. */
  readonly waits: number[] = [];

  async call(
    to: DeviceAddress,
    call: { callId: string; function: string; arguments: JsonObject; attemptId: string; fence: number },
    timeoutMs: number,
  ): Promise<JsonValue | undefined> {
    this.waits.push(timeoutMs);
    if (this.away !== undefined) throw this.away;
    const agent = this.agents.get(to.computer);
    if (agent === undefined || agent.inc !== to.inc) {
      throw new ServiceError('agent_unreachable', `${to.computer} does not answer`);
    }
    const fence = { [`${to.lab}.${to.name}`]: call.fence };
    return agent.callDevice(
      to,
      { ...call, caller: peerName },
      { fence, ttlMs: timeoutMs, asOf: agent.readClock() },
    );
  }

  async barCalls({ computer, inc }: AgentIncarnation, attemptId: string, reason: string): Promise<boolean> {
    if (this.away !== undefined) throw this.away;
    const agent = this.agents.get(computer);
    if (agent?.inc !== inc) throw new ServiceError('agent_unreachable', `${computer} does not answer`);
    return agent.barCalls(attemptId, peerName, reason);
  }

  whenOver({ computer, inc }: AgentIncarnation, over: () => void): () => void {
    const watch = { computer, inc, over };
    this.#watches.add(watch);
    return () => void this.#watches.delete(watch);
  }

  /** Simulates a heartbeat of this incarnation. */
  hear(computer: string, inc: number): void {
    for (const watch of [...this.#watches]) if (watch.computer === computer && watch.inc < inc) watch.over();
  }

  readonly #watches = new Set<AgentIncarnation & { over: () => void }>();
}

/** Spool folders that exist in name only, and a store that remembers its files. */
export class MemoryFiles implements Files {
  readonly spools = new Set<string>();
  readonly stored: { attemptId: string; name: string }[] = [];
  readonly placed: { attemptId: string; handle: string; url: string }[] = [];
  /** Set: every transfer fails with it. */
  fault: ServiceError | undefined;

  async prepare(attemptId: string): Promise<string> {
    this.spools.add(attemptId);
    return `/spool/${attemptId}`;
  }

  async add(attemptId: string, name: string, text: string): Promise<SpooledFile> {
    if (!this.spools.has(attemptId)) throw new Error('no such spool folder');
    return { name, size: text.length, sha256: `hash of ${text.length}`, path: name };
  }

  async place(attemptId: string, { handle }: InputFile, ticket: () => Promise<FileTicket>): Promise<string> {
    const { url } = await ticket();
    if (this.fault !== undefined) throw this.fault;
    this.placed.push({ attemptId, handle, url });
    return `/spool/${attemptId}/${handle}`;
  }

  async upload(attemptId: string, file: SpooledFile): Promise<void> {
    if (this.fault !== undefined) throw this.fault;
    this.stored.push({ attemptId, name: file.name });
  }

  async discard(attemptId: string): Promise<void> {
    this.spools.delete(attemptId);
  }

  async sweep(kept: ReadonlySet<string>): Promise<void> {
    for (const attemptId of this.spools) if (!kept.has(attemptId)) this.spools.delete(attemptId);
  }
}

/** Remembers all announcements. */
export class MemoryAnnouncer implements Announcer {
  readonly statuses: DeviceStatus[] = [];
  readonly incs: number[] = [];

  deviceChanged(status: DeviceStatus): void {
    this.statuses.push(status);
  }

  async incarnated(inc: number): Promise<void> {
    this.incs.push(inc);
  }
}

/** Keeps the latest record of each call, by its id. */
export class MemoryEffects implements EffectStore {
  readonly records = new Map<string, RecordedEffect>();
  /** Number of batches that arrived. */
  batches = 0;
  /** Set: every batch fails with it. */
  away: ServiceError | undefined;

  async store(effects: readonly RecordedEffect[]): Promise<void> {
    this.batches += 1;
    if (this.away !== undefined) throw this.away;
    for (const effect of effects) {
      const known = this.records.get(effect.call_id);
      if (known === undefined || known.state === 'running')
        this.records.set(effect.call_id, structuredClone(effect));
    }
  }
}
