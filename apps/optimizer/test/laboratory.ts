import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  optimizerEvents,
  optimizerRequests,
  orchestratorRequests,
  type Insight,
  type JsonObject,
  type OptimizerDescription,
  type RuntimeParameterValues,
  type Trial,
} from '@lab/contracts';
import { connectBus, type Bus } from '@lab/messaging';
import { startChild, type RunningChild } from '@lab/runtime';
import { testNats, type TestNats } from '@lab/testkit/testing';
import type { TestModule } from './modules.js';

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));
/** The shared key of gateway and optimizer workers, at least 32 characters. */
export const secretsKey = 'a key that only this laboratory has, and that is long';

export interface RunningWorker {
  instance: string;
  child: RunningChild;
  /** The whole printed output. */
  lines: string[];
}

/** A worker without credentials. */
const workerName = 'optimizer';

export interface Announcement {
  instance: string;
  addresses: string[];
}

/** A broker, the modules that an orchestrator serves, and optimizer workers as separate processes. */
export class Laboratory {
  readonly announced: Announcement[] = [];
  readonly lost: { campaign_id: string; session: string; reason: string }[] = [];
  readonly #modules = new Map<string, Buffer>();
  readonly #workers: RunningWorker[] = [];

  private constructor(
    private readonly nats: TestNats,
    readonly bus: Bus,
    readonly folder: string,
  ) {}

  static async open(): Promise<Laboratory> {
    const nats = await testNats();
    const bus = await connectBus({ url: nats.url, role: 'test', name: 'laboratory' });
    const laboratory = new Laboratory(nats, bus, await mkdtemp(join(tmpdir(), 'lab-optimizer-')));
    await bus.serve(orchestratorRequests.fetchModule, {}, ({ hash, offset }) => {
      const text = laboratory.#modules.get(hash) ?? Buffer.alloc(0);
      return { data: text.subarray(offset, offset + 100_000).toString('base64'), total: text.length };
    });
    await bus.subscribe(optimizerEvents.announced, {}, (body) => {
      laboratory.announced.push(body);
    });
    await bus.subscribe(optimizerEvents.lost, {}, (body) => {
      laboratory.lost.push(body);
    });
    await bus.flush();
    return laboratory;
  }

  async start(env: Record<string, string> = {}): Promise<RunningWorker> {
    const lines: string[] = [];
    const child = await startChild({
      name: 'optimizer',
      command: { module: program },
      env: {
        PATH: process.env.PATH,
        SVC_NATS_URL: this.nats.url,
        SVC_DATA_DIR: this.folder,
        SVC_SECRETS_KEY: secretsKey,
        SVC_LOG_LEVEL: 'debug',
        ...env,
      },
      cwd: this.folder,
      ready: 'message',
      startTimeoutMs: 30_000,
      stopTimeoutMs: 10_000,
      onLine: (line) => lines.push(line),
    });
    const worker = { instance: String(child.details.instance), child, lines };
    this.#workers.push(worker);
    return worker;
  }

  describe(
    worker: RunningWorker,
    module: TestModule,
    overrides: JsonObject = {},
  ): Promise<OptimizerDescription> {
    const { instance } = worker;
    return this.bus.request(
      optimizerRequests.describe,
      { worker: workerName, instance },
      this.#making(module, overrides),
    );
  }

  /** @param options.epoch of the leader */
  async open(
    worker: RunningWorker,
    campaign: string,
    module: TestModule,
    options: {
      session?: string;
      epoch?: number;
      overrides?: JsonObject;
      runtime_params?: RuntimeParameterValues;
      /** Names of integer parameters of the protocol. */
      integers?: string[];
    } = {},
  ): Promise<Session> {
    const { session = 's1', epoch, overrides = {}, runtime_params = {}, integers = [] } = options;
    const name = { campaign_id: campaign, session };
    const description = await this.bus.request(
      optimizerRequests.open,
      { worker: workerName, instance: worker.instance },
      { ...name, campaign, runtime_params, integers, ...this.#making(module, overrides) },
      epoch === undefined ? {} : { epoch },
    );
    return new Session(this.bus, worker.instance, name, description);
  }

  /** Serves a file of a package. @returns its SHA-256 */
  offer(content: Buffer): string {
    const hash = createHash('sha256').update(content).digest('hex');
    this.#modules.set(hash, content);
    return hash;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map(({ child }) => child.stop()));
    await this.bus.close();
    await this.nats.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  #making(module: TestModule, overrides: JsonObject) {
    this.#modules.set(module.reference.hash, Buffer.from(module.text));
    return { protocol: 'paint', module: module.reference, overrides };
  }
}

/** The requests of an orchestrator in one session. */
export class Session {
  constructor(
    private readonly bus: Bus,
    private readonly instance: string,
    private readonly name: { campaign_id: string; session: string },
    readonly description: OptimizerDescription,
  ) {}

  propose(
    numbers: number[],
    insights: Insight[] = [],
  ): Promise<{ trials: Trial[]; insights_used: string[] }> {
    const runs = numbers.map((number) => ({ number, run: `c/${number}` }));
    return this.bus.request(optimizerRequests.propose, this.#there, { ...this.name, runs, insights });
  }

  tell(trials: Trial[]): Promise<{ measured: number }> {
    return this.bus.request(optimizerRequests.tell, this.#there, { ...this.name, trials });
  }

  configure(runtime_params: RuntimeParameterValues): Promise<{ runtime_params: RuntimeParameterValues }> {
    return this.bus.request(optimizerRequests.configure, this.#there, { ...this.name, runtime_params });
  }

  best(): Promise<{ rows: Trial['inputs'][] }> {
    return this.bus.request(optimizerRequests.best, this.#there, this.name);
  }

  async explain(): Promise<{ pid: number; told: string[]; additional: unknown; key_length: number }> {
    const { belief } = await this.bus.request(optimizerRequests.explain, this.#there, this.name);
    return belief as unknown as { pid: number; told: string[]; additional: unknown; key_length: number };
  }

  close(): Promise<object> {
    return this.bus.request(optimizerRequests.close, this.#there, this.name);
  }

  get #there(): { worker: string; instance: string } {
    return { worker: workerName, instance: this.instance };
  }
}

/** Returns the trial with another state. */
export function measured(trial: Trial, loss: number): Trial {
  const additional = { 'score.picture': `${trial.run}.png` };
  return { ...trial, state: 'measured', outputs: { 'score.loss': loss }, additional };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
