import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  agentEvents,
  agentProtocol,
  agentRequests,
  demandCommonProtocol,
  ServiceError,
  orchestratorRequests as requests,
  type AttemptOutcome,
  type AttemptReport,
  type AttemptResult,
  type DeviceAssignment,
  type DeviceStatus,
  type EmergencyStop,
  type JsonObject,
  type TaskStart,
} from '@lab/contracts';
import type { CodeManifests } from '@lab/hosting';
import { connectBus, type Bus } from '@lab/messaging';
import { processEnvironment } from '@lab/runtime';
import { withoutPython } from '@lab/testkit/python';
import { testNats, type TestNats } from '@lab/testkit/testing';
import { armModule, steadyArmModule, taskModule, type TestModule } from './modules.js';
import { pythonArm, pythonSteadyArm, pythonTask } from './python-modules.js';

/** The code of a laboratory: each language has the same devices and the same task. */
export interface LabCode {
  arm: TestModule;
  /** An arm with `_stop` and `_reconcile`. */
  steadyArm: TestModule;
  task: TestModule;
}

const typescriptCode: LabCode = { arm: armModule, steadyArm: steadyArmModule, task: taskModule };
const pythonCode: LabCode = { arm: pythonArm, steadyArm: pythonSteadyArm, task: pythonTask };

/** The languages in which this computer can run the code of a laboratory. */
export const languages = [
  { language: 'TypeScript', code: typescriptCode },
  ...(withoutPython() ? [] : [{ language: 'Python', code: pythonCode }]),
];

/** The built program: a child process cannot run sources. */
const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));

export interface RunningAgent {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** Exit code and signal. */
  readonly gone: Promise<[number | null, string | null]>;
}

/** A real broker, a stand-in orchestrator on it, a store for files, and real agents. */
export class Lab {
  readonly results: AttemptResult[] = [];
  readonly hellos: {
    computer: string;
    session: string;
    attempts: AttemptReport[];
    halts?: EmergencyStop[] | undefined;
  }[] = [];
  readonly changes: DeviceStatus[] = [];
  readonly left: string[] = [];
  readonly stored = new Map<string, Buffer>();
  readonly modules = new Map<string, TestModule>();
  /** Archives of npm packages by their SHA-256. */
  readonly archives = new Map<string, Buffer>();
  readonly assigned = new Map<string, DeviceAssignment[]>();
  readonly incs = new Map<string, { inc: number; session: string }>();
  /** Incarnations that have sent a heartbeat: such an agent is reachable. */
  readonly online = new Map<string, number>();
  /** Number of the last heartbeat of each computer. */
  readonly #heard = new Map<string, number | undefined>();
  /** Answers requests for input files. */
  fetched: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) =>
    void response.writeHead(404).end();
  /** What agents have fetched of modules. */
  readonly fetches: { hash: string; offset: number }[] = [];
  /** False: the orchestrator refuses results. */
  acknowledging = true;
  /** What was signed about a module, as the orchestrator says it. */
  signed: (module: { hash: string; package: string; source: string }) => CodeManifests = () => ({});
  /** Versions of the protocol that the orchestrator speaks. */
  speaks = agentProtocol;
  readonly #agents: RunningAgent[] = [];
  #attempts = 0;

  private constructor(
    private readonly nats: TestNats,
    readonly bus: Bus,
    readonly dataDir: string,
    readonly store: Server,
    readonly code: LabCode,
  ) {}

  /**
   * @param nats stopped with the lab
   * @param credentials of the stand-in orchestrator; undefined: the address of the broker suffices
   * @param code of its devices and of its task
   */
  static async open(nats?: TestNats, credentials?: string, code = typescriptCode): Promise<Lab> {
    nats ??= await testNats();
    const login = credentials === undefined ? {} : { credentials: () => credentials };
    const bus = await connectBus({ url: nats.url, role: 'orchestrator', name: 'stand-in', ...login });
    const store = createServer();
    store.listen(0, '127.0.0.1');
    await once(store, 'listening');
    const lab = new Lab(nats, bus, await mkdtemp(join(tmpdir(), 'lab-agent-')), store, code);
    for (const module of Object.values<TestModule>({ ...code }))
      lab.modules.set(module.reference.hash, module);
    await lab.#serve();
    return lab;
  }

  device(name: string, parameters: JsonObject = {}): DeviceAssignment {
    return { lab: 'lab', name, type: 'arm', module: this.code.arm.reference, init_parameters: parameters };
  }

  /** A device called `arm` with `_stop` and `_reconcile`, and the file in which it records its calls. */
  steadyArm(parameters: JsonObject = {}): { device: DeviceAssignment; trace: string; parked: string } {
    const trace = join(this.dataDir, 'trace');
    const parked = join(this.dataDir, 'parked');
    const init_parameters = { trace, parked, ...parameters };
    const device = { ...this.device('arm'), module: this.code.steadyArm.reference, init_parameters };
    return { device, trace, parked };
  }

  /** Starts an agent and waits until it is reachable. */
  async agent(computer = 'svc_computer', env: Record<string, string> = {}): Promise<RunningAgent> {
    const before = this.inc(computer);
    const agent = this.launch(computer, env);
    const ready = new Promise<void>((resolve) => {
      agent.child.on('message', (message: { type?: string }) => {
        if (message.type === 'ready') resolve();
      });
    });
    let failed: (error: Error) => void = () => undefined;
    const failure = new Promise<void>((_, reject) => (failed = reject));
    void agent.gone.then(([code]) =>
      failed(new Error(`the agent exited with ${code}\n${agent.lines.join('\n')}`)),
    );
    await Promise.race([ready, failure]);
    await this.until(`${computer} is online`, () => (this.online.get(computer) ?? 0) > before);
    return agent;
  }

  /** Where its agents find the broker. */
  get natsUrl(): string {
    return this.nats.url;
  }

  /** Ends an agent that a test started by itself together with the lab. */
  adopt(child: ChildProcess): RunningAgent {
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => lines.push(line));
    }
    const gone = once(child, 'close') as Promise<[number | null, string | null]>;
    const agent = { child, lines, gone };
    this.#agents.push(agent);
    return agent;
  }

  launch(computer: string, env: Record<string, string> = {}): RunningAgent {
    const child = fork(program, ['--computer', computer], {
      execArgv: [],
      env: {
        ...processEnvironment(),
        SVC_NATS_URL: this.nats.url,
        SVC_DATA_DIR: this.dataDir,
        SVC_LOG_LEVEL: 'debug',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    return this.adopt(child);
  }

  inc(computer = 'svc_computer'): number {
    return this.incs.get(computer)?.inc ?? 0;
  }

  /** Waits until something holds. */
  async until(what: string, holds: () => boolean, withinMs = 20_000): Promise<void> {
    const end = Date.now() + withinMs;
    while (!holds()) {
      if (Date.now() > end) {
        throw new Error(`never: ${what}\n${this.#agents.map((a) => a.lines.join('\n')).join('\n---\n')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** The latest status of a device. */
  latest(name: string): DeviceStatus | undefined {
    return this.changes.filter((change) => change.name === name).at(-1);
  }

  /** Waits until the latest status of a device shows a state. */
  async deviceIs(name: string, state: string): Promise<void> {
    await this.until(`${name} is ${state}`, () => this.latest(name)?.state === state);
  }

  task(
    parameters: JsonObject,
    options: {
      arm?: { computer?: string; name?: string };
      isolation?: TaskStart['isolation'];
      label?: string;
      files?: TaskStart['files'];
    } = {},
  ): TaskStart {
    const id = `attempt-${++this.#attempts}`;
    const computer = options.arm?.computer ?? 'svc_computer';
    const devices: TaskStart['devices'] =
      options.arm === undefined
        ? {}
        : {
            arm: {
              lab: 'lab',
              name: options.arm.name ?? 'arm',
              type: 'arm',
              computer,
              inc: this.inc(computer),
              fence: this.#attempts,
            },
          };
    return {
      attempt_id: id,
      task_run_id: `run-of-${id}`,
      label: options.label ?? id,
      task_type: 'any',
      module: this.code.task.reference,
      isolation: options.isolation ?? 'single_use',
      devices,
      parameters,
      resources: {},
      ...(options.files === undefined ? {} : { files: options.files }),
    };
  }

  async start(task: TaskStart, computer = 'svc_computer'): Promise<string> {
    const inc = this.inc(computer);
    const reply = await this.bus.request(agentRequests.startTask, { computer, inc: String(inc) }, task, {
      epoch: 1,
      inc,
      fresh: this.#heard.get(computer),
    });
    return reply.status;
  }

  async outcome(attemptId: string, withinMs = 20_000): Promise<AttemptOutcome> {
    await this.until(
      `${attemptId} ends`,
      () => this.results.some((r) => r.attempt_id === attemptId),
      withinMs,
    );
    const result = this.results.find((r) => r.attempt_id === attemptId);
    if (result === undefined) throw new Error('no result');
    return result.outcome;
  }

  /** Starts a task and waits for its outcome. */
  async run(parameters: JsonObject, options: Parameters<Lab['task']>[1] = {}): Promise<AttemptOutcome> {
    const task = this.task(parameters, options);
    await this.start(task);
    return this.outcome(task.attempt_id);
  }

  /** The stand-in orchestrator has its registrations on a separate bus, so that a test may close it. */
  async #serve(): Promise<void> {
    const { bus } = this;
    await bus.serve(requests.registerAgent, {}, (hello) => {
      demandCommonProtocol(hello, this.speaks);
      this.hellos.push(hello);
      const before = this.incs.get(hello.computer);
      const inc = before?.session === hello.session ? before.inc : (before?.inc ?? 0) + 1;
      this.incs.set(hello.computer, { inc, session: hello.session });
      return { inc, epoch: 1, devices: this.assigned.get(hello.computer) ?? [] };
    });
    await bus.serve(requests.reportResult, {}, (result) => {
      if (!this.acknowledging) throw new Error('not now');
      this.results.push(result);
      return {};
    });
    await bus.serve(requests.fetchModule, {}, ({ hash, offset, named, archive = false }) => {
      const text = archive ? this.archives.get(hash) : Buffer.from(this.modules.get(hash)?.text ?? '');
      if (text === undefined) throw new ServiceError('not_found', `there is no archive ${hash}`);
      const data = text.subarray(offset, offset + 1_000).toString('base64');
      this.fetches.push({ hash, offset });
      return { data, total: text.length, ...(named === undefined ? {} : this.signed({ hash, ...named })) };
    });
    const { port } = this.store.address() as AddressInfo;
    await bus.serve(requests.uploadTicket, {}, ({ attempt_id, name }) => ({
      method: 'PUT' as const,
      url: `http://127.0.0.1:${port}/${attempt_id}/${name}`,
      headers: { 'x-ticket': 'yes' },
    }));
    await bus.serve(requests.downloadTicket, {}, ({ attempt_id, handle }) => ({
      url: `http://127.0.0.1:${port}/${attempt_id}/${handle}`,
      headers: {},
    }));
    await bus.subscribe(agentEvents.deviceChanged, {}, ({ device }) => {
      this.changes.push(device);
    });
    await bus.subscribe(agentEvents.heartbeat, {}, ({ inc, seq, devices }, { tokens }) => {
      this.online.set(tokens.computer, inc);
      this.#heard.set(tokens.computer, seq);
      this.changes.push(...devices);
    });
    await bus.subscribe(agentEvents.leaving, {}, (_, { tokens }) => {
      this.left.push(tokens.computer);
    });
    this.store.on('request', (request, response) => {
      if (request.method === 'GET') {
        this.fetched(request, response);
        return;
      }
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        this.stored.set(request.url ?? '', Buffer.concat(pieces));
        response.writeHead(request.headers['x-ticket'] === 'yes' ? 201 : 403).end();
      });
    });
  }

  async close(): Promise<void> {
    for (const { child } of this.#agents) child.kill('SIGKILL');
    await Promise.all(this.#agents.map(({ gone }) => gone));
    this.store.closeAllConnections();
    this.store.close();
    await this.bus.close();
    await this.nats.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
