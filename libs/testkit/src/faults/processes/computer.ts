import { Agent, type AgentLog, type Files, type SpooledFile } from '@lab/actors';
import {
  MemoryDeviceProcesses,
  MemoryModules,
  MemoryTaskProcesses,
  SeededRandom,
  type TaskContext,
  type TaskOutput,
} from '@lab/actors/testing';
import { wireAgent, type AgentService } from '@lab/agent-wiring';
import { agentEvents, orchestratorRequests, ServiceError } from '@lab/contracts';
import type { Bus } from '@lab/messaging';
import type { Step, TaskOutputs } from '../plan/laboratory.js';
import { Children } from '../surroundings/children.js';
import { SimulatedDisk } from '../surroundings/disk.js';
import type { Execution } from '../surroundings/history.js';
import { instrumentFunctions, Instrument } from '../surroundings/instrument.js';
import type { Life } from '../surroundings/life.js';
import { descriptionOf } from '../surroundings/object-store.js';
import type { SimulatedTime } from '../surroundings/simulated-time.js';
import type { Surroundings } from '../surroundings/surroundings.js';
import { SimulatedProcess, traceOf } from './process.js';

/** A supervisor restarts a process that ended by itself after this time, in milliseconds. */
const restartMs = 1_000;
/** A driver that stops its instrument without its agent takes this long, in milliseconds. */
const orphanMs = 50;
const homingMs = 150;
/** A second agent registers so long after the first one has started, in milliseconds. */
const secondAgentMs = 3_000;

/**
 * One lab computer: its disk, its instruments, and its present agent process. The agent is wired as in `apps/agent`;
 * network, disk and child processes are simulated.
 */
export class SimulatedComputer extends SimulatedProcess {
  readonly disk: SimulatedDisk;
  readonly instruments = new Map<string, Instrument>();
  /** Files of attempts, by `<attempt>/<name>`. */
  readonly spool = new Map<string, string>();
  agent: Agent | undefined;
  children: Children | undefined;
  #leaving = false;
  #service: AgentService | undefined;

  constructor(name: string, world: Surroundings) {
    super(name, world, restartMs);
    this.disk = new SimulatedDisk(name, world.seed);
  }

  /** All children die with the agent. */
  protected ended(): void {
    this.disk.crash();
    void this.#salvage();
    this.agent = undefined;
    this.#service = undefined;
    this.#leaving = false;
    this.downMs = restartMs;
    if (this.world.schedule.drivers.stopsWithoutAgent)
      this.world.time.after(orphanMs, () => {
        for (const instrument of this.instruments.values()) instrument.stopMotion();
      });
  }

  protected override mayLeave(): boolean {
    return this.agent?.inc !== undefined && !this.#leaving;
  }

  protected stop(life: Life): void {
    const { agent } = this;
    this.#leaving = true;
    void this.#service?.leave(async () => agent?.stop('the agent is stopping')).then(() => life.end());
  }

  instrument(key: string): Instrument {
    const { time, history } = this.world;
    const known = this.instruments.get(key) ?? new Instrument(key, time, history);
    this.instruments.set(key, known);
    return known;
  }

  protected start(life: Life, boot: number): void {
    const { world, name } = this;
    const { time, points, history } = world;
    const bus = world.network.connect(life);
    const children = new Children(life, { time, points, history });
    this.children = children;
    const log: AgentLog = { ...traceOf(world, name, ['debug']), child: () => log };
    const version = 'simulated';
    const { service, orchestrator, peers, effects } = wireAgent({
      ...{ bus, computer: name, version, log },
      ...{ clock: life, wall: life, timers: life },
      authority: { check: { read: (signed) => JSON.parse(signed) as unknown, believes: () => true } },
    });
    let ids = 0;
    const agent = new Agent(
      { computer: name, version },
      {
        clock: life,
        wall: life,
        timers: life,
        ids: { next: () => `${name}.${boot}.${(ids += 1)}` },
        random: new SeededRandom(world.seed + boot * 7_919 + name.length),
        log,
        ledger: this.disk.ledgerOf(life, points, log),
        modules: new MemoryModules(),
        checkArguments: (_, values) => ({ values, faults: [] }),
        deviceProcesses: children.devices(this.#devices()),
        taskProcesses: children.tasks(new MemoryTaskProcesses(this.#scripts())),
        orchestrator,
        peers,
        files: this.#files(life),
        announcer: service,
        effects,
      },
      { poolSize: 1, poolMax: 6 },
    );
    this.agent = agent;
    this.#service = service;
    const start = async (): Promise<void> => {
      await service.start(agent);
      await bus.subscribe(agentEvents.emergencyStop, {}, ({ id }) => {
        history.stop(id).heardAt.set(name, time.now());
      });
      await agent.start();
      life.after(secondAgentMs, () => this.#secondAgent(bus, agent));
    };
    start().catch((error: unknown) => {
      // Like the real process, it ends, and its supervisor starts the next one.
      history.note(`${name} could not start`, String(error));
      life.end();
    });
  }

  /** Another process with the credentials of this agent registers, once this agent has. The leader must refuse it. */
  #secondAgent(bus: Bus, agent: Agent): void {
    if (agent.inc === undefined) return;
    const { name: computer } = this;
    const hello = { computer, session: 'second', version: 'simulated', attempts: [], devices: [] };
    bus.request(orchestratorRequests.registerAgent, { computer }, hello).then(
      () => this.world.history.note(`a second agent of ${computer} was taken`),
      (error: unknown) => this.world.history.note(`a second agent of ${computer} was refused`, String(error)),
    );
  }

  #devices(): MemoryDeviceProcesses {
    const { canReconcile, canStop } = this.world.schedule.drivers;
    return new MemoryDeviceProcesses(({ lab, name }) => {
      const instrument = this.instrument(`${lab}.${name}`);
      const stop = async (): Promise<void> => instrument.stopMotion();
      let calls = 0;
      return {
        functions: [...instrumentFunctions],
        initialize: () => instrument.home(homingMs),
        call: (called, args) => instrument.command(called, args, String((calls += 1))),
        report: () => Promise.resolve({ moving: instrument.moving }),
        cleanUp: stop,
        follow: () => Promise.resolve(),
        ...(canStop ? { stop } : {}),
        ...(canReconcile ? { reconcile: () => Promise.resolve({ idle: !instrument.moving }) } : {}),
      };
    });
  }

  #scripts(): Record<string, (context: TaskContext) => Promise<TaskOutput>> {
    return Object.fromEntries(
      [...this.world.code].map(([hash, steps]) => [hash, (context) => this.#run(steps, context)]),
    );
  }

  /** Runs the code of a task. */
  async #run(steps: readonly Step[], { run, signal, process, call }: TaskContext): Promise<TaskOutput> {
    const { history, time } = this.world;
    const attempt = run.attempt_id;
    const execution: Execution = {
      attempt,
      computer: this.name,
      beganAt: time.now(),
      returned: undefined,
      files: [],
    };
    history.executions.push(execution);
    history.note(`${this.name} runs ${attempt}`);
    let effects = 0;
    let calls = 0;
    const files: SpooledFile[] = [];
    for (const step of steps) {
      if (step.do === 'call') {
        const tag = `${attempt}#${(calls += 1)}`;
        await call(step.slot, step.function, { tag, ms: step.ms });
        if (step.function === 'move') effects += 1;
      } else if (step.do === 'think') await pause(time, step.ms, signal);
      else if (step.do === 'throw') throw new Error('the author made a mistake');
      else {
        const content = `${attempt}/${step.file}`.padEnd(step.bytes, '.');
        if (!process.alive) continue;
        this.spool.set(`${attempt}/${step.file}`, content);
        files.push({ name: step.file, path: step.file, ...descriptionOf(content) });
      }
    }
    const outputs: TaskOutputs = { attempt, effects };
    if (process.alive) {
      execution.returned = { at: time.now(), outputs };
      execution.files = files.map(({ name, size, sha256 }) => ({ name, size, sha256 }));
    }
    return { output_parameters: outputs, files };
  }

  #files(life: Life): Files {
    const { spool, world } = this;
    const remove = (kept: (attempt: string) => boolean): void => {
      for (const path of spool.keys()) if (!kept(path.slice(0, path.indexOf('/')))) spool.delete(path);
    };
    return {
      prepare: (attempt) => life.ask((resolve) => life.after(0.1, () => resolve(`/spool/${attempt}`))),
      add: (attempt, name, text) =>
        life.ask((resolve) => {
          spool.set(`${attempt}/${name}`, text);
          resolve({ name, path: name, ...descriptionOf(text) });
        }),
      upload: (attempt, { name }) =>
        life.ask((resolve, reject) => {
          const content = spool.get(`${attempt}/${name}`);
          if (content === undefined) {
            reject(new ServiceError('not_found', `${name} is not in the spool`));
            return;
          }
          world.objectStore.put(life, `${attempt}/${name}`, content, resolve, reject);
        }),
      place: (_attempt, { name }) =>
        Promise.reject(
          new ServiceError('not_found', `no task of this laboratory gets a file such as ${name}`),
        ),
      discard: (attempt) =>
        life.ask((resolve) => {
          remove((each) => each !== attempt);
          resolve();
        }),
      sweep: (kept) =>
        life.ask((resolve) => {
          remove((each) => kept.has(each));
          resolve();
        }),
    };
  }

  /** Reads the ledger of the dead agent. A result in it must never be lost from here on. */
  async #salvage(): Promise<void> {
    for (const record of await this.disk.records())
      if (record.type === 'result') {
        const { attemptId: attempt, outcome } = record;
        this.world.history.durableResults.push({ computer: this.name, attempt, outcome });
      }
  }
}

/** Waits for a time. @throws Error when the task is stopped */
function pause(time: SimulatedTime, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = time.after(ms, resolve);
    const stop = (): void => {
      cancel();
      reject(new Error('stopped'));
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
}
