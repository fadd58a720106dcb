import { createHash } from 'node:crypto';
import {
  Agent,
  Unanswered,
  type AgentLog,
  type AgentPorts,
  type DeviceAddress,
  type Files,
  type MessageMarks,
  type Orchestrator,
  type Peers,
  type SpooledFile,
} from '@lab/actors';
import {
  MemoryDeviceProcesses,
  MemoryModules,
  MemoryTaskProcesses,
  SeededRandom,
  type TaskContext,
  type TaskOutput,
} from '@lab/actors/testing';
import {
  agentEvents,
  agentRequests as requests,
  isServiceError,
  orchestratorEvents,
  orchestratorRequests,
  ServiceError,
  type Envelope,
} from '@lab/contracts';
import { Children } from '../surroundings/children.js';
import type { Execution } from '../surroundings/history.js';
import { instrumentFunctions, Instrument } from '../surroundings/instrument.js';
import type { Step, TaskOutputs } from '../plan/laboratory.js';
import { Life } from '../surroundings/life.js';
import type { Wire } from '../surroundings/network.js';
import { SimulatedDisk } from '../surroundings/disk.js';
import type { World } from '../play/world.js';

const heartbeatMs = 1_000;
/** As long as the real process needs to end what an earlier one left, and to open its files. */
const bootMs = 300;
/** Until a supervisor starts a process that ended by itself. */
const restartMs = 1_000;
/** Until a driver without its agent has brought its instrument to rest, when it does. */
const orphanMs = 50;
const homingMs = 150;
const wayBackMs = 250;
const watchAfterMs = 2_000;

/**
 * One lab computer: its disk, its instruments, and the agent process that runs on it at the moment. The wiring is that
 * of `apps/agent`, over the simulated broker, disk and processes.
 */
export class SimulatedComputer {
  readonly disk: SimulatedDisk;
  readonly instruments = new Map<string, Instrument>();
  /** Files of attempts, by `<attempt>/<name>`. */
  readonly spool = new Map<string, string>();
  life: Life | undefined;
  agent: Agent | undefined;
  children: Children | undefined;
  #boots = 0;
  #downMs = restartMs;
  #leaving = false;
  #announceLeaving: () => void = () => undefined;

  constructor(
    readonly name: string,
    private readonly world: World,
  ) {
    this.disk = new SimulatedDisk(name, world.seed);
  }

  /** Starts an agent process, unless one runs. */
  boot(): void {
    if (this.life !== undefined) return;
    const { world, name } = this;
    const life = new Life(name, world.time);
    this.life = life;
    this.#boots += 1;
    const boot = this.#boots;
    world.history.note(`${name} boots`, `process ${boot}`);
    life.onEnd(() => {
      this.disk.crash();
      void this.#salvage();
      this.life = undefined;
      this.agent = undefined;
      this.#leaving = false;
      if (world.schedule.drivers.haltWhenOrphaned)
        world.time.after(orphanMs, () => {
          for (const instrument of this.instruments.values()) instrument.halt();
        });
      world.restart(this, this.#downMs);
      this.#downMs = restartMs;
    });
    life.after(bootMs, () => this.#start(life, boot));
  }

  /** The agent process dies, with all its children. @param downMs until the next one is started, in milliseconds */
  crash(downMs: number): void {
    if (this.life === undefined) return;
    this.world.history.note(`${this.name} crashes`);
    this.#downMs = downMs;
    this.life.end();
  }

  /** An orderly stop: it says so, ends its work, and is started again after a time, in milliseconds. */
  leave(downMs: number): void {
    const { agent, life } = this;
    if (agent?.inc === undefined || life === undefined || this.#leaving) return;
    this.world.history.note(`${this.name} leaves`);
    this.#leaving = true;
    this.#downMs = downMs;
    this.#announceLeaving();
    void agent.stop('the agent is stopping').then(() => life.end());
  }

  instrument(key: string): Instrument {
    const { time, history } = this.world;
    const known = this.instruments.get(key) ?? new Instrument(key, time, history);
    this.instruments.set(key, known);
    return known;
  }

  #start(life: Life, boot: number): void {
    const { world, name } = this;
    const { time, points, history } = world;
    const wire = world.network.connect(life);
    const children = new Children(life, { time, points, history });
    this.children = children;
    const random = new SeededRandom(world.seed + boot * 7_919 + name.length);
    const log = logOf(world, name);
    let ids = 0;
    let served: (() => void)[] = [];
    const agent: Agent = new Agent(
      { computer: name, version: 'simulated' },
      {
        clock: life,
        timers: life,
        ids: { next: () => `${name}.${boot}.${(ids += 1)}` },
        random,
        log,
        ledger: this.disk.ledgerOf(life, points, log),
        modules: new MemoryModules(),
        checkArguments: (_, values) => ({ values, faults: [] }),
        deviceProcesses: children.devices(this.#devices()),
        taskProcesses: children.tasks(new MemoryTaskProcesses(this.#scripts())),
        orchestrator: orchestratorOver(wire),
        peers: peersOver(wire, life),
        files: this.#files(life),
        announcer: {
          deviceChanged: (device) => {
            if (agent.inc !== undefined)
              wire.publish(agentEvents.deviceChanged, { computer: name }, { inc: agent.inc, device });
          },
          incarnated: async (inc) => {
            const old = served;
            served = serve(wire, name, inc, agent);
            for (const end of old) end();
            beat(inc);
          },
        },
      } satisfies AgentPorts,
      { poolSize: 1, poolMax: 6 },
    );
    this.agent = agent;
    const beat = (inc: number | undefined): void => {
      if (inc === undefined) return;
      const { session } = agent;
      const seq = agent.nextHeartbeat();
      wire.publish(
        agentEvents.heartbeat,
        { computer: name },
        {
          inc,
          session,
          seq,
          devices: agent.devices(),
          attempts: agent.attempts(),
          halts: agent.emergencyStops(),
        },
      );
    };
    this.#announceLeaving = () => {
      const { inc, session } = agent;
      if (inc !== undefined) wire.publish(agentEvents.leaving, { computer: name }, { inc, session });
    };
    const beating = (): void => {
      // Whoever leaves must not be heard as if it came back.
      if (!this.#leaving) beat(agent.inc);
      life.after(heartbeatMs, beating);
    };
    wire.subscribe(orchestratorEvents.leading, {}, ({ epoch, halts, released }) =>
      agent.hearLeader(epoch, { halts, released }),
    );
    wire.subscribe(agentEvents.emergencyStop, {}, (halt) => {
      agent.emergencyStop(halt);
      history.stop(halt.id).heardAt.set(name, time.now());
    });
    wire.onStatus((status) => {
      if (status === 'connected') agent.reconnected();
    });
    beating();
    agent.start().catch((error: unknown) => {
      // As the real process: it ends, and its supervisor starts the next one.
      history.note(`${name} could not start`, String(error));
      life.end();
    });
  }

  #devices(): MemoryDeviceProcesses {
    const { canReconcile, canStop } = this.world.schedule.drivers;
    return new MemoryDeviceProcesses(({ lab, name }) => {
      const instrument = this.instrument(`${lab}.${name}`);
      let calls = 0;
      return {
        functions: [...instrumentFunctions],
        initialize: () => instrument.home(homingMs),
        call: (called, args) => instrument.command(called, args, String((calls += 1))),
        report: () => Promise.resolve({ moving: instrument.moving }),
        cleanUp: () => {
          instrument.halt();
          return Promise.resolve();
        },
        ...(canStop
          ? {
              stop: () => {
                instrument.halt();
                return Promise.resolve();
              },
            }
          : {}),
        ...(canReconcile ? { reconcile: () => Promise.resolve({ idle: !instrument.moving }) } : {}),
      };
    });
  }

  #scripts(): Record<string, (context: TaskContext) => Promise<TaskOutput>> {
    return Object.fromEntries(
      [...this.world.code].map(([hash, steps]) => [hash, (context) => this.#run(steps, context)]),
    );
  }

  /** The author's code of a task. */
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

  /** A reader looks at what the dead agent left: results that are durable may never be lost from here on. */
  async #salvage(): Promise<void> {
    const { history, time } = this.world;
    for (const record of await this.disk.records())
      if (record.type === 'result')
        history.durableResults.push({
          at: time.now(),
          computer: this.name,
          attempt: record.attemptId,
          outcome: record.outcome,
        });
  }
}

export function descriptionOf(content: string): { size: number; sha256: string } {
  return { size: Buffer.byteLength(content), sha256: createHash('sha256').update(content).digest('hex') };
}

function serve(wire: Wire, computer: string, inc: number, agent: Agent): (() => void)[] {
  const me = { computer, inc: String(inc) };
  return [
    wire.serve(requests.startTask, me, async (body, envelope) => ({
      status: await agent.startTask(body, marksOf(envelope)),
    })),
    wire.serve(requests.cancelTask, me, async ({ attempt_id, reason }, envelope) => ({
      status: await agent.cancelTask(attempt_id, reason, marksOf(envelope)),
    })),
    wire.serve(requests.taskStatus, me, async ({ attempt_id }, envelope) => ({
      status: await agent.taskStatus(attempt_id, marksOf(envelope)),
    })),
    wire.serve(requests.assignDevices, me, ({ devices }, envelope) => {
      agent.assignDevices(devices, marksOf(envelope));
      return {};
    }),
    wire.serve(requests.callDevice, me, async (body, envelope, { lab, device }) => {
      const { call_id: callId, attempt_id: attemptId, function: called, arguments: args } = body;
      const call = { callId, attemptId, function: called, arguments: args };
      const marks = { ...marksOf(envelope), asOf: body.as_of_ms };
      const result = await agent.callDevice({ lab, name: device }, call, marks);
      return result === undefined ? {} : { result };
    }),
    wire.serve(requests.readClock, me, () => ({ now_ms: agent.readClock() })),
    wire.serve(requests.stopCalls, me, ({ attempt_id, reason }) => ({
      moving: agent.barCalls(attempt_id, reason),
    })),
    wire.serve(requests.resetDevice, me, async ({ doubt_id, by }, envelope, { lab, device }) => {
      await agent.resetDevice({ lab, name: device }, doubt_id, by, marksOf(envelope));
      return {};
    }),
    wire.serve(requests.reportDevice, me, async (_, __, { lab, device }) => ({
      report: await agent.reportDevice({ lab, name: device }),
    })),
  ];
}

function marksOf({ epoch, fence, fresh, ttl_ms: ttl }: Envelope): MessageMarks {
  return { epoch, fence, fresh, ttlMs: ttl === undefined ? undefined : Math.max(ttl - wayBackMs, ttl / 2) };
}

function orchestratorOver(wire: Wire): Orchestrator {
  return {
    register: (hello) => wire.request(orchestratorRequests.registerAgent, {}, hello),
    reportResult: async (result) => {
      await wire.request(orchestratorRequests.reportResult, {}, result);
    },
    uploadTicket: ({ attemptId, name, size, sha256 }) =>
      wire.request(orchestratorRequests.uploadTicket, {}, { attempt_id: attemptId, name, size, sha256 }),
    downloadTicket: ({ attemptId, handle }) =>
      wire.request(orchestratorRequests.downloadTicket, {}, { attempt_id: attemptId, handle }),
  };
}

function peersOver(wire: Wire, life: Life): Peers {
  const whenOver: Peers['whenOver'] = ({ computer, inc }, over) =>
    wire.subscribe(agentEvents.heartbeat, { computer }, (heartbeat) => {
      if (heartbeat.inc > inc) over();
    });
  return {
    async call(to: DeviceAddress, call, timeoutMs) {
      const { computer, inc, lab, name } = to;
      const giveUp = new AbortController();
      const label = `${lab}.${name}`;
      const cancelLate = life.after(timeoutMs, () =>
        giveUp.abort(new Unanswered('deadline_exceeded', `${computer} gave no answer`)),
      );
      let unwatch = life.after(
        watchAfterMs,
        () =>
          (unwatch = whenOver(to, () =>
            giveUp.abort(new Unanswered('agent_unreachable', `${computer} ended`, { over: true })),
          )),
      );
      const address = { computer, inc: String(inc) };
      let sent = false;
      try {
        const { now_ms: asOf } = await wire.request(
          requests.readClock,
          address,
          {},
          { signal: giveUp.signal, inc },
        );
        sent = true;
        const reply = await wire.request(
          requests.callDevice,
          { ...address, lab, device: name },
          {
            call_id: call.callId,
            function: call.function,
            arguments: call.arguments,
            attempt_id: call.attemptId,
            as_of_ms: asOf,
          },
          { timeoutMs: timeoutMs + 1_000, signal: giveUp.signal, inc, fence: { [label]: call.fence } },
        );
        return reply.result;
      } catch (error) {
        if (!sent)
          throw new ServiceError('agent_unreachable', `${computer} does not answer`, { cause: error });
        if (giveUp.signal.aborted) throw giveUp.signal.reason;
        if (!isServiceError(error)) throw error;
        if (error.code === 'disconnected' && error.effect === 'maybe')
          throw new Unanswered('disconnected', error.message, { cause: error });
        if (error.code === 'service_unavailable' && error.effect === 'none')
          throw new ServiceError('agent_unreachable', `${computer} does not answer`, { cause: error });
        throw error;
      } finally {
        cancelLate();
        unwatch();
      }
    },
    async barCalls({ computer, inc }, attemptId, reason) {
      const address = { computer, inc: String(inc) };
      const body = { attempt_id: attemptId, reason };
      return (await wire.request(requests.stopCalls, address, body, { inc })).moving;
    },
    whenOver,
  };
}

function logOf(world: World, who: string): AgentLog {
  const write =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      if (level !== 'debug') world.history.note(`  ${who} ${level}: ${message}`, fieldsOf(fields));
    };
  const log: AgentLog = {
    debug: () => undefined,
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => log,
  };
  return log;
}

function fieldsOf(fields: Record<string, unknown>): string | undefined {
  const text = JSON.stringify(fields);
  return text === '{}' ? undefined : text.slice(0, 300);
}

/** Thinks for a time, unless it is asked to stop. */
function pause(time: World['time'], ms: number, signal: AbortSignal): Promise<void> {
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
