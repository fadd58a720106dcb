import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  isServiceError,
  serviceRequests,
  type HealthReport,
  type PartHealth,
  type PartName,
  type ServiceHealth,
} from '@lab/contracts';
import type { Log } from '@lab/ports';
import { BrokerStatus, RecordReader, Requests } from '../ports/index.js';

const parts = ['gateway', 'broker', 'database', 'orchestrator', 'agents', 'packages'] as const;

/** How the gateway watches the readiness. */
export abstract class ReadinessOptions {
  /** Interval at which the gateway checks without a request, in milliseconds; 0: never. */
  abstract readonly lookEveryMs: number;
  /** Says that the disk of the embedded database is full. Absent: the database is elsewhere. */
  abstract readonly diskTrouble?: () => Promise<string | undefined>;
  /** Gets each change of the readiness. Absent: nobody does. */
  abstract readonly log?: Pick<Log, 'info' | 'warn'>;
}

/** Longest time for a part to answer, in milliseconds. */
const patienceMs = 1_000;

type Leadership = NonNullable<ServiceHealth['leads']>;

/**
 * Checks whether the service can do its work, by asking every part that requests need. It also checks at intervals, to know
 * since when a part is unavailable, and logs each change with its causes.
 */
@Injectable()
export class Readiness implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #since = new Map<PartName, { status: PartHealth['status']; at: string }>();
  /** The status that was last logged, with the parts that caused it. */
  #told = '';
  #wasReady = false;
  #looking: Promise<HealthReport> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly requests: Requests,
    private readonly broker: BrokerStatus,
    private readonly records: RecordReader,
    private readonly options: ReadinessOptions,
  ) {}

  onApplicationBootstrap(): void {
    const { lookEveryMs } = this.options;
    if (lookEveryMs > 0) this.#timer = setInterval(() => void this.look(), lookEveryMs);
  }

  onApplicationShutdown(): void {
    clearInterval(this.#timer);
  }

  /** Checks every part. Concurrent callers get the same answer. Never rejects. */
  look(): Promise<HealthReport> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /** What the leading orchestrator says of itself. @throws ServiceError or Error when none answers */
  leader(): Promise<ServiceHealth> {
    return within(this.requests.call(serviceRequests.leaderHealth, {}, {}, { timeoutMs: patienceMs }));
  }

  async #look(): Promise<HealthReport> {
    const [trouble, reading, { orchestrator, leads }] = await Promise.all([
      this.broker.trouble(),
      this.#database(),
      this.#leader(),
    ]);
    const broker: PartHealth =
      trouble === undefined ? { status: 'ok' } : { status: 'unavailable', detail: trouble };
    const database = reading.status === 'ok' ? writing(leads) : reading;
    const found: Record<PartName, PartHealth> = {
      gateway: { status: 'ok' },
      broker,
      database,
      orchestrator,
      agents: agentsOf(leads),
      packages: packagesOf(leads),
    };
    for (const part of parts) found[part] = this.#dated(part, found[part]);
    const worst = (status: PartHealth['status']): boolean =>
      parts.some((part) => found[part].status === status);
    const status = worst('unavailable') ? 'unavailable' : worst('degraded') ? 'degraded' : 'ok';
    this.#tell(status, found);
    return { status, epoch: leads?.epoch ?? null, parts: found };
  }

  /**
   * Logs a change of the status or of the parts that cause it, but no change of the words about a part. Until the service
   * can serve requests for the first time, it may still be starting, which needs no warning.
   */
  #tell(status: HealthReport['status'], found: Record<PartName, PartHealth>): void {
    const causes = status === 'ok' ? [] : parts.filter((part) => found[part].status === status);
    const state = [status, ...causes].join(' ');
    if (state === this.#told) return;
    this.#told = state;
    const { log } = this.options;
    const words = causes.map((part) => `${part}: ${found[part].detail ?? 'no detail'}`).join('; ');
    if (status === 'ok') log?.info('the service is ready');
    else if (this.#wasReady) log?.warn(`the service is ${status}: ${words}`);
    else log?.info(`the service is ${status} after the start of this gateway: ${words}`);
    this.#wasReady ||= status !== 'unavailable';
  }

  async #database(): Promise<PartHealth> {
    try {
      // No run can have this name: the cheapest query that reaches the database.
      await within(this.records.protocolRun(''));
      return { status: 'ok' };
    } catch (error) {
      const health = away(error);
      // A server that needs a new file to go on ends, and then only its disk tells why.
      const lack = await this.options.diskTrouble?.();
      return lack === undefined ? health : { ...health, detail: `${lack}; ${health.detail}` };
    }
  }

  async #leader(): Promise<{ orchestrator: PartHealth; leads?: Leadership }> {
    try {
      const { status, detail, leads } = await this.leader();
      const orchestrator = { status, ...(detail === undefined ? {} : { detail }) };
      return { orchestrator, ...(leads === undefined ? {} : { leads }) };
    } catch (error) {
      return { orchestrator: { ...away(error), detail: 'none that leads answers' } };
    }
  }

  #dated(part: PartName, health: PartHealth): PartHealth {
    const { status } = health;
    if (status === 'ok') {
      this.#since.delete(part);
      return health;
    }
    const before = this.#since.get(part);
    const at = health.since ?? (before?.status === status ? before.at : new Date().toISOString());
    this.#since.set(part, { status, at });
    return { ...health, since: at };
  }
}

/** Whether the orchestrator can write to the database, which the gateway can read. */
function writing(leads: Leadership | undefined): PartHealth {
  const failing = leads?.commits.failing;
  if (failing === undefined) return { status: 'ok' };
  return {
    status: 'unavailable',
    detail: `the orchestrator cannot write to the database: ${failing.detail}`,
    since: failing.since,
  };
}

function agentsOf(leads: Leadership | undefined): PartHealth {
  if (leads === undefined) return { status: 'degraded', detail: 'not known while no orchestrator leads' };
  const { expected, online, missing, troubles } = leads.computers;
  if (online === expected && troubles.length === 0)
    return { status: 'ok', detail: `${online} of ${expected} computers` };
  const heard = `${online} of ${expected} computers have an agent that is heard`;
  const names = missing.length === 0 ? '' : `; no agent is heard on ${missing.join(', ')}`;
  return {
    status: 'degraded',
    detail: [...(online === expected ? [] : [`${heard}${names}`]), ...troubles].join('; '),
  };
}

function packagesOf(leads: Leadership | undefined): PartHealth {
  if (leads === undefined) return { status: 'degraded', detail: 'not known while no orchestrator leads' };
  const { read, faulty } = leads.packages;
  if (faulty === 0) return { status: 'ok', detail: `${read} read` };
  return { status: 'degraded', detail: `${faulty} of ${read} have mistakes` };
}

/** @throws Error when there is no answer in time */
async function within<Value>(answer: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function away(error: unknown): PartHealth {
  const known = isServiceError(error) || (error instanceof Error && error.message.startsWith('no answer'));
  return { status: 'unavailable', detail: known ? (error as Error).message : 'failed' };
}
