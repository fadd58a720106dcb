import {
  allLabs,
  type AttemptCalls,
  type JsonValue,
  type ProtocolRunSubmission,
  type QueueQuery,
  type TaskFailurePolicy,
} from '@lab/contracts';
import type {
  DependencyLag,
  DeviceSlot,
  FileReference,
  LabDefinition,
  ParameterBinding,
  ParameterSpecs,
  ProtocolTask,
  ResourceSlot,
  TaskDefinition,
} from '@lab/definitions/model';
import { CpsatPolicy, GreedyPolicy, inlineSearcher, type Policy } from '@lab/scheduling';
import type { Log } from '@lab/ports';
import type { EngineOptions } from '../src/engine-options.js';
import { Engine } from '../src/engine.js';
import type { ComputersOnDisk, Store } from '../src/rows/ports.js';
import { MemoryAgents } from '../src/testing/memory-agents.js';
import { MemoryDefinitions } from '../src/testing/memory-definitions.js';
import { MemoryOptimizers } from '../src/testing/memory-optimizers.js';
import { MemoryStore } from '../src/testing/memory-store.js';
import { SequentialIds } from '../src/testing/sequential-ids.js';
import { VirtualClock } from '../../ports/src/virtual-clock.js';

const module = { hash: 'h', package: 'p', source: 's.ts' };

export interface TaskSketch {
  name: string;
  type?: string;
  needs?: string[];
  lags?: Record<string, DependencyLag>;
  /** Seconds. */
  duration?: number;
  group?: string;
  devices?: Record<string, DeviceSlot>;
  resources?: Record<string, ResourceSlot>;
  parameters?: Record<string, ParameterBinding>;
  files?: Record<string, FileReference>;
  policy?: TaskFailurePolicy;
}

/** A slot for one device by its key `<lab>.<device>`. */
export function device(key: string, hold = false): DeviceSlot {
  const [lab_name = '', name = ''] = key.split('.');
  return { kind: 'specific', lab_name, name, hold };
}

/** A slot for any device of a type. */
export function anyDevice(device_type: string, hold = false): DeviceSlot {
  return { kind: 'dynamic', device_type, allowed_labs: null, allowed_devices: null, hold };
}

/** A slot for the unit of a slot of an earlier task. */
export function same(reference: string, hold = false): DeviceSlot & ResourceSlot {
  const [task = '', slot = ''] = reference.split('.');
  return { kind: 'reference', task, slot, hold };
}

export type MakePolicy = (lab: TestLab) => Policy;

export const greedy: MakePolicy = () => new GreedyPolicy();

/** The real policy, with short and reproducible searches and without optimality proofs. */
export const cpsat: MakePolicy = ({ clock, log }) =>
  new CpsatPolicy(
    { clock, log, searcher: inlineSearcher({ rounds: 10 }), exact: null },
    { time_limit: 1, seed: 1, resolution: 0.1, frozen_window: 5 },
  );

export const everyPolicy: readonly (readonly [name: string, policy: MakePolicy])[] = [
  ['greedy', greedy],
  ['cpsat', cpsat],
];

export interface LogLine {
  level: 'info' | 'warn' | 'error';
  message: string;
  fields: Record<string, unknown> | undefined;
}

/** Requests the whole queue. */
export const wholeQueue: QueueQuery = { rights: allLabs, limit: 500, descending: false, after: null };

/** An engine with all its ports in memory and on a virtual clock. */
export class TestLab {
  readonly clock = new VirtualClock();
  readonly store = new MemoryStore();
  readonly agents = new MemoryAgents();
  readonly optimizers = new MemoryOptimizers();
  readonly definitions = new MemoryDefinitions();
  readonly ids = new SequentialIds();
  readonly lines: LogLine[] = [];
  readonly log: Log = {
    debug: () => undefined,
    info: (message, fields) => void this.lines.push({ level: 'info', message, fields }),
    warn: (message, fields) => void this.lines.push({ level: 'warn', message, fields }),
    error: (message, fields) => void this.lines.push({ level: 'error', message, fields }),
  };
  /** Makes the policy of every engine. */
  policy: MakePolicy = greedy;
  deposed = 0;
  /** Every engine that was started. Earlier ones learn of the lost leadership when they commit. */
  readonly engines: Engine[] = [];
  #engine: Engine | undefined;

  get engine(): Engine {
    if (this.#engine === undefined) throw new Error('no engine was started');
    return this.#engine;
  }

  /**
   * Defines a lab.
   *
   * @param devices device name to `<type>` or `<type>@<computer>`
   * @param resources name to type
   */
  lab(name: string, devices: Record<string, string>, resources: Record<string, string> = {}): LabDefinition {
    const lab: LabDefinition = { name, desc: '', computers: {}, devices: {}, resources: {} };
    for (const [device, text] of Object.entries(devices)) {
      const [type = '', computer = 'svc_computer'] = text.split('@');
      lab.computers[computer] = { desc: '', ip: '127.0.0.1' };
      lab.devices[device] = { name: device, desc: '', type, computer, init_parameters: {}, meta: {} };
      this.definitions.deviceTypes.set(type, { type, desc: '', init_parameters: {}, module });
    }
    for (const [resource, type] of Object.entries(resources))
      lab.resources[resource] = { name: resource, type, meta: { capacity: 10 } };
    this.definitions.loadedLabs.set(name, lab);
    return lab;
  }

  /** Defines a task type. */
  taskType(type: string, more: Partial<Omit<TaskDefinition, 'type'>> = {}): TaskDefinition {
    const task: TaskDefinition = {
      type,
      desc: '',
      devices: {},
      input_parameters: {},
      output_parameters: {},
      input_resources: {},
      output_resources: more.input_resources ?? {},
      isolation: 'single_use',
      module,
      ...more,
    };
    this.definitions.tasks.set(type, { hash: `task-${type}`, task });
    return task;
  }

  /** Defines a protocol of the given tasks; a task without a type gets one of its own, without parameters. */
  protocol(type: string, tasks: TaskSketch[], labs = [...this.definitions.loadedLabs.keys()]): void {
    const types: Record<string, TaskDefinition> = {};
    const entries = tasks.map((sketch): ProtocolTask => {
      const name = sketch.type ?? `${type}_${sketch.name}`;
      const known = this.definitions.tasks.get(name)?.task;
      types[name] = known ?? this.taskType(name);
      return {
        name: sketch.name,
        type: name,
        desc: '',
        duration: sketch.duration ?? 1,
        group: sketch.group ?? null,
        devices: sketch.devices ?? {},
        resources: sketch.resources ?? {},
        parameters: sketch.parameters ?? {},
        dependencies: sketch.needs ?? [],
        ...(sketch.files === undefined ? {} : { files: sketch.files }),
        ...(sketch.lags === undefined ? {} : { lags: sketch.lags }),
        ...(sketch.policy === undefined ? {} : { failure_policy: sketch.policy }),
      };
    });
    this.definitions.protocols.set(type, {
      hash: `protocol-${type}`,
      protocol: { type, desc: '', labs, resources: {}, tasks: entries },
      tasks: types,
    });
  }

  /** Starts a new engine on the same store. The one before is abandoned without a stop. */
  async start(
    options: Partial<EngineOptions> = {},
    ports: { store?: Store; computersOnDisk?: ComputersOnDisk } = {},
  ): Promise<Engine> {
    const { clock, ids, agents, optimizers, definitions, log } = this;
    const engine = new Engine(
      {
        clock,
        timers: clock,
        ids,
        store: this.store,
        ...ports,
        agents,
        optimizers,
        definitions,
        policy: this.policy(this),
        log,
      },
      { onDeposed: () => (this.deposed += 1), ...options },
    );
    await engine.start('test');
    this.#engine = engine;
    this.engines.push(engine);
    this.agents.attach(engine.agents);
    return engine;
  }

  /** Starts an engine, and one agent process for each computer of the laboratories. */
  async open(options: Partial<EngineOptions> = {}): Promise<Engine> {
    const engine = await this.start(options);
    const computers = new Set(['svc_computer']);
    for (const lab of this.definitions.labs())
      for (const { computer } of Object.values(lab.devices)) computers.add(computer);
    for (const computer of computers) await this.agents.boot(computer);
    await this.clock.settle();
    return engine;
  }

  /** Lets time pass second by second, with heartbeats of all living agents. */
  async live(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1000) {
      for (const computer of this.agents.computers()) this.agents.heartbeat(computer);
      await this.clock.advance(Math.min(1000, left));
    }
    await this.clock.settle();
  }

  async run(name: string, type: string, more: Partial<ProtocolRunSubmission> = {}): Promise<void> {
    await this.engine.submissions.protocolRun({ name, type, ...more });
    await this.clock.settle();
  }

  async complete(label: string, output: Record<string, JsonValue> = {}): Promise<void> {
    await this.agents.complete(label, { output_parameters: output });
    await this.clock.settle();
  }

  /** @param effects number of effect calls of the attempt; undefined: its agent does not report it */
  async fail(label: string, message = 'it broke', effects?: number): Promise<void> {
    const calls: AttemptCalls | undefined =
      effects === undefined ? undefined : { effects, last_confirmed: null, in_doubt: null };
    await this.agents.end(label, { kind: 'failed', code: 'task_error', error: { message } }, calls);
    await this.clock.settle();
  }

  runState(name: string): string | undefined {
    const { protocolRuns, protocolRunNames } = this.store.rows;
    return protocolRuns.get(protocolRunNames.get(name) ?? '')?.state;
  }

  runRow(name: string) {
    const { protocolRuns, protocolRunNames } = this.store.rows;
    const row = protocolRuns.get(protocolRunNames.get(name) ?? '');
    if (row === undefined) throw new Error(`there is no run ${name}`);
    return row;
  }

  campaignRow(name: string) {
    const { campaigns, campaignNames } = this.store.rows;
    const row = campaigns.get(campaignNames.get(name) ?? '');
    if (row === undefined) throw new Error(`there is no campaign ${name}`);
    return row;
  }

  /** A task run by label: `<protocol run>/<task>`, or the latest on-demand task of the name. */
  task(label: string) {
    const [first = '', second] = label.split('/');
    const rows = [...this.store.rows.taskRuns.values()];
    const runId = second === undefined ? null : this.runRow(first).id;
    const row = rows.filter((each) => each.runId === runId && each.name === (second ?? first)).at(-1);
    if (row === undefined) throw new Error(`there is no task ${label}`);
    return row;
  }

  /** States of the tasks of a run, by name. */
  tasks(run: string): Record<string, string> {
    const { id } = this.runRow(run);
    return Object.fromEntries(
      [...this.store.rows.taskRuns.values()].flatMap((row) =>
        row.runId === id ? [[row.name, row.state]] : [],
      ),
    );
  }

  /** Labels of the running executions, oldest first. */
  running(): string[] {
    return this.agents
      .running()
      .map((each) => each.label)
      .sort();
  }

  /** Keys of all allocated units. */
  allocated(): string[] {
    return [...this.store.rows.allocations.values()]
      .filter((row) => row.taskRunId !== null || row.heldByRunId !== null)
      .map((row) => row.key)
      .sort();
  }
}

/** Specifications of integer parameters. */
export function ints(...names: string[]): ParameterSpecs {
  return Object.fromEntries(names.map((name) => [name, { type: 'int' as const, desc: '', unit: 'n/a' }]));
}

export function literal(value: JsonValue): ParameterBinding {
  return { kind: 'literal', value };
}

export function from(reference: string): ParameterBinding {
  const [task = '', parameter = ''] = reference.split('.');
  return { kind: 'reference', task, parameter };
}

export const open: ParameterBinding = { kind: 'dynamic' };
