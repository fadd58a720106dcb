import type { DeviceAssignment, JsonObject, JsonValue, TaskStart } from '@lab/contracts';
import {
  Agent,
  type AgentLimits,
  type AgentPorts,
  type CallMarks,
  type CheckArguments,
  type InstrumentFiles,
  type DeviceName,
  type RemoteCall,
  type Updates,
} from '../src/index.js';
import {
  MemoryAnnouncer,
  MemoryDeviceProcesses,
  MemoryEffects,
  MemoryFiles,
  MemoryLedger,
  MemoryLog,
  MemoryModules,
  MemoryOrchestrator,
  MemoryPeers,
  MemoryTaskProcesses,
  SeededRandom,
  SequentialIds,
  VirtualTime,
  type DeviceScript,
  type TaskScript,
} from '../src/testing/index.js';

export const code = (hash: string): { hash: string; package: string; source: string } => ({
  hash,
  package: 'test',
  source: `${hash}.ts`,
});

export function device(name: string, parameters: JsonObject = {}): DeviceAssignment {
  return { lab: 'lab', name, type: 'simulated', module: code('device'), init_parameters: parameters };
}

export function task(
  id: string,
  hash: string,
  options: {
    devices?: Record<string, { name?: string; computer?: string; inc?: number; fence?: number }>;
    isolation?: TaskStart['isolation'];
    parameters?: JsonObject;
  } = {},
): TaskStart {
  const devices = Object.entries(options.devices ?? {}).map(([slot, given]) => [
    slot,
    {
      lab: 'lab',
      name: given.name ?? slot,
      type: 'simulated',
      computer: given.computer ?? 'here',
      inc: given.inc ?? 1,
      fence: given.fence ?? 1,
      functions: [],
    },
  ]);
  return {
    attempt_id: id,
    task_run_id: `run-${id}`,
    label: `label-${id}`,
    task_type: hash,
    module: code(hash),
    isolation: options.isolation ?? 'single_use',
    devices: Object.fromEntries(devices) as TaskStart['devices'],
    parameters: options.parameters ?? {},
    resources: {},
  };
}

/** A promise and its handles. */
export function deferred<T = void>(): {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
} {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

export interface WorldOptions {
  tasks?: Record<string, TaskScript>;
  device?: (assignment: DeviceAssignment, life: number) => DeviceScript;
  devices?: DeviceAssignment[];
  limits?: Partial<AgentLimits>;
  ledger?: MemoryLedger;
  computer?: string;
  time?: VirtualTime;
  orchestrator?: MemoryOrchestrator;
  session?: string;
  /** By default every call passes. */
  checkArguments?: CheckArguments;
  /** By default the agent takes no files of instruments. */
  instrumentFiles?: InstrumentFiles;
  /** By default the agent cannot be updated from the service. */
  updates?: Updates;
}

export const simpleDevice: DeviceScript = {
  functions: [
    { name: 'move', kind: 'effect' },
    { name: 'look', kind: 'query' },
  ],
  call: async (name) => `${name} done`,
};

/** One agent with all its surroundings in memory. */
export class World {
  readonly time: VirtualTime;
  readonly log = new MemoryLog();
  readonly ledger: MemoryLedger;
  readonly orchestrator: MemoryOrchestrator;
  readonly peers = new MemoryPeers();
  readonly files = new MemoryFiles();
  readonly modules = new MemoryModules();
  readonly announcer = new MemoryAnnouncer();
  readonly deviceProcesses: MemoryDeviceProcesses;
  readonly taskProcesses: MemoryTaskProcesses;
  readonly effects = new MemoryEffects();
  readonly agent: Agent;
  #dead = false;

  constructor(options: WorldOptions = {}) {
    this.time = options.time ?? new VirtualTime();
    this.ledger = options.ledger ?? new MemoryLedger();
    this.orchestrator = options.orchestrator ?? new MemoryOrchestrator();
    if (options.devices !== undefined) this.orchestrator.devices = options.devices;
    this.deviceProcesses = new MemoryDeviceProcesses(options.device ?? (() => simpleDevice));
    this.taskProcesses = new MemoryTaskProcesses(options.tasks ?? {});
    const ports: AgentPorts = {
      clock: this.time,
      wall: this.time,
      timers: { after: (ms, callback) => this.time.after(ms, () => (this.#dead ? undefined : callback())) },
      ids: new SequentialIds(options.session ?? 'session-'),
      random: new SeededRandom(),
      log: this.log,
      ledger: this.ledger,
      modules: this.modules,
      checkArguments: options.checkArguments ?? ((_, values) => ({ values, faults: [] })),
      deviceProcesses: this.deviceProcesses,
      taskProcesses: this.taskProcesses,
      orchestrator: {
        register: (hello) => this.#unlessDead(() => this.orchestrator.register(hello)),
        reportResult: (result) => this.#unlessDead(() => this.orchestrator.reportResult(result)),
        uploadTicket: (file) => this.#unlessDead(() => this.orchestrator.uploadTicket(file)),
        downloadTicket: (file) => this.#unlessDead(() => this.orchestrator.downloadTicket(file)),
      },
      peers: this.peers,
      files: this.files,
      announcer: this.announcer,
      effects: { store: (effects) => this.#unlessDead(() => this.effects.store(effects)) },
      ...(options.instrumentFiles === undefined ? {} : { instrumentFiles: options.instrumentFiles }),
      ...(options.updates === undefined ? {} : { updates: options.updates }),
    };
    this.agent = new Agent({ computer: options.computer ?? 'here', version: '1' }, ports, options.limits);
  }

  /** Starts the agent and lets it register and initialise its devices. */
  async up(): Promise<this> {
    await this.agent.start();
    await this.time.advance(0);
    return this;
  }

  /** A call from another computer with a recent clock reading. */
  callDevice(
    device: DeviceName,
    call: RemoteCall,
    marks: Partial<CallMarks>,
  ): Promise<JsonValue | undefined> {
    return this.agent.callDevice(device, call, { asOf: this.agent.readClock(), ...marks });
  }

  /** Kills the agent process and its children, and returns the ledger that the next process finds. */
  crash(): MemoryLedger {
    this.#dead = true;
    for (const process of [...this.deviceProcesses.started.values()].flat()) mute(process);
    for (const process of this.taskProcesses.started) mute(process);
    return this.ledger.crash();
  }

  state(name: string): string | undefined {
    return this.agent.devices().find((status) => status.name === name)?.state;
  }

  outcome(attemptId: string): string | undefined {
    return this.orchestrator.results.find((result) => result.attempt_id === attemptId)?.outcome.kind;
  }

  #unlessDead<T>(request: () => Promise<T>): Promise<T> {
    return this.#dead ? new Promise<T>(() => undefined) : request();
  }
}

function mute(process: {
  onMessage(listener: () => void): void;
  onExit(listener: () => void): void;
  kill(signal: 'SIGKILL'): void;
}): void {
  process.onMessage(() => undefined);
  process.onExit(() => undefined);
  process.kill('SIGKILL');
}
