import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  agentEvents,
  agentRequests,
  orchestratorEvents,
  orchestratorRequests,
  type AttemptReport,
} from '@lab/contracts';
import { connectBus, type Bus, type Subscription } from '@lab/messaging';
import { actKeys } from '@lab/testkit';
import { testNats, testPostgres, type TestNats, type TestPostgres } from '@lab/testkit/testing';
import { ActSigner } from '@lab/trust/acts';

/** The path of the build. In tests, an import of the package would resolve to TypeScript sources. */
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const packages = fileURLToPath(new URL('../../../tools/bench/packages', import.meta.url));

const keys = actKeys();

/** A process of the orchestrator. */
export interface Orchestrator {
  readonly child: ChildProcess;
  /** Its messages to its supervisor. */
  readonly told: {
    type: string;
    message?: string;
    details?: { standby?: boolean; leader?: string; epoch?: number };
  };
  signal(signal: NodeJS.Signals): void;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  output(): string;
}

/** A broker, a database and any number of orchestrators. {@link dispose} ends all of them. */
export class Site {
  readonly #running: ChildProcess[] = [];

  private constructor(
    readonly nats: TestNats,
    readonly postgres: TestPostgres,
    readonly databaseUrl: string,
    readonly folder: string,
    readonly bus: Bus,
  ) {}

  static async open(): Promise<Site> {
    const folder = await mkdtemp(join(tmpdir(), 'orchestrators-'));
    const [nats, postgres] = await Promise.all([testNats(), testPostgres()]);
    const { url } = await postgres.freshDatabase();
    const acts = new ActSigner(keys.SVC_ACT_KEY, Date.now);
    const bus = await connectBus({
      url: nats.url,
      role: 'test',
      name: randomUUID(),
      signAct: (act) => acts.sign({ ...act, by: null, epoch: 0 }),
    });
    return new Site(nats, postgres, url, folder, bus);
  }

  /** @param databaseUrl address at which this orchestrator reaches the database, when it differs from the usual one */
  async orchestrator(databaseUrl = this.databaseUrl): Promise<Orchestrator> {
    const child = fork(main, [], {
      cwd: this.folder,
      env: {
        PATH: process.env['PATH'],
        SVC_DATA_DIR: join(this.folder, 'data'),
        SVC_USER_DIR: packages,
        SVC_NATS_URL: this.nats.url,
        SVC_DATABASE_URL: databaseUrl,
        SVC_UPLOAD_SECRET: 'u'.repeat(40),
        SVC_ACT_PUBLIC_KEY: keys.SVC_ACT_PUBLIC_KEY,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: [],
    });
    this.#running.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    const exited = once(child, 'exit') as Promise<[number | null]>;
    const told = (await Promise.race([once(child, 'message'), exited.then(() => [{ type: output }])])) as [
      Orchestrator['told'],
    ];
    return {
      child,
      told: told[0],
      signal: (signal) => void child.kill(signal),
      async stop() {
        child.kill('SIGCONT');
        child.kill('SIGTERM');
        return (await exited)[0];
      },
      output: () => output,
    };
  }

  /**
   * Waits for the announcement of a leader with another epoch.
   *
   * @returns the announcement, and the waiting time in milliseconds
   */
  async nextLeader(
    after: number,
    withinMs = 20_000,
  ): Promise<{ epoch: number; instance: string; ms: number }> {
    const since = performance.now();
    let subscription: Subscription | undefined;
    try {
      return await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`nobody led within ${withinMs} ms`)), withinMs);
        this.bus
          .subscribe(orchestratorEvents.leading, {}, ({ epoch, instance }) => {
            if (epoch <= after) return;
            clearTimeout(timer);
            resolve({ epoch, instance, ms: performance.now() - since });
          })
          .then((made) => (subscription = made), reject);
      });
    } finally {
      await subscription?.unsubscribe();
    }
  }

  async dispose(): Promise<void> {
    await this.bus.close();
    await Promise.all(
      this.#running.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, 'exit');
        child.kill('SIGCONT');
        child.kill('SIGKILL');
        await gone;
      }),
    );
    await Promise.all([this.nats.stop(), this.postgres.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Plays the agent in messages: a test sees everything that is sent to the agent and answers for it. */
export class StandInAgent {
  /** Every start that arrived, by the epoch that it was sent under. */
  readonly starts: { attempt: string; label: string; epoch: number | undefined; at: number }[] = [];
  /** Called when a start arrives. By default its attempt completes at once. */
  onStart: (attempt: string) => void = (attempt) => void this.complete(attempt);
  readonly #session = randomUUID();
  readonly #attempts = new Map<string, AttemptReport>();
  #subscriptions: Subscription[] = [];
  #inc = 0;
  #epoch = 0;
  #seq = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly bus: Bus) {}

  async join(): Promise<void> {
    this.#subscriptions.push(
      await this.bus.subscribe(orchestratorEvents.leading, {}, async ({ epoch }) => {
        if (epoch > this.#epoch) await this.#register();
      }),
    );
    await this.#register();
    this.#timer = setInterval(() => this.#beat(), 1_000);
  }

  async leave(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#subscriptions.map((each) => each.unsubscribe()));
  }

  /** Reports the end of an attempt until it is acknowledged. */
  async complete(attempt: string): Promise<void> {
    this.#attempts.set(attempt, { attempt_id: attempt, status: 'ended' });
    for (;;) {
      try {
        await this.bus.request(
          orchestratorRequests.reportResult,
          { computer: 'svc_computer' },
          {
            attempt_id: attempt,
            computer: 'svc_computer',
            inc: this.#inc,
            outcome: {
              kind: 'completed',
              output_parameters: { done: true },
              output_resources: {},
              files: [],
            },
          },
        );
        this.#attempts.delete(attempt);
        return;
      } catch {
        // No orchestrator leads at present. The result is reported again, as an agent does.
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  async #register(): Promise<void> {
    const answer = await this.bus.request(
      orchestratorRequests.registerAgent,
      { computer: 'svc_computer' },
      {
        computer: 'svc_computer',
        session: this.#session,
        version: '0.1.0',
        attempts: [...this.#attempts.values()],
        devices: [],
      },
    );
    this.#epoch = Math.max(this.#epoch, answer.epoch);
    if (answer.inc !== this.#inc) await this.#serve(answer.inc);
    this.#beat();
  }

  async #serve(inc: number): Promise<void> {
    this.#inc = inc;
    const me = { computer: 'svc_computer', inc: String(inc) };
    this.#subscriptions.push(
      await this.bus.serve(agentRequests.startTask, me, ({ attempt_id, label }, { envelope }) => {
        this.starts.push({ attempt: attempt_id, label, epoch: envelope.epoch, at: performance.now() });
        this.#attempts.set(attempt_id, { attempt_id, status: 'running' });
        this.onStart(attempt_id);
        return { status: 'accepted' as const };
      }),
      await this.bus.serve(agentRequests.taskStatus, me, ({ attempt_id }) => ({
        status: this.#attempts.get(attempt_id)?.status ?? ('unknown' as const),
      })),
      await this.bus.serve(agentRequests.assignDevices, me, () => ({})),
    );
  }

  #beat(): void {
    if (!this.bus.connected || this.#inc === 0) return;
    this.bus.publish(
      agentEvents.heartbeat,
      { computer: 'svc_computer' },
      {
        inc: this.#inc,
        seq: (this.#seq += 1),
        devices: [],
        attempts: [...this.#attempts.values()],
      },
    );
  }
}
