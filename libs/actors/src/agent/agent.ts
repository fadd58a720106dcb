import {
  ServiceError,
  type AttemptReport,
  type AttemptStatus,
  type DeviceAssignment,
  type DeviceStatus,
  type EmergencyStop,
  type JsonObject,
  type JsonValue,
  type TaskStart,
} from '@lab/contracts';
import { ProcessPool, TaskAttempts } from '../attempts/index.js';
import { Devices, keyOf, type DeviceName } from '../devices/index.js';
import { CallLedger, defaultLedgerMemory } from '../ledger/index.js';
import {
  defaultLimits,
  Retry,
  type AgentLimits,
  type KnownEmergencyStops,
  type Registration,
} from '../ports/index.js';
import type { AgentPorts } from './agent-ports.js';
import { EmergencyStops } from './emergency-stops.js';
import { Freshness } from './freshness.js';

export interface AgentIdentity {
  computer: string;
  version: string;
}

/** What a message says about its sender's knowledge. */
export interface MessageMarks {
  epoch?: number | undefined;
  fence?: Record<string, number> | undefined;
  /** How long the sender waits, in milliseconds. */
  ttlMs?: number | undefined;
  /** The newest heartbeat that the sender has heard of this agent; 0: only its hello. */
  fresh?: number | undefined;
}

/** Who is asked about, and what is known of its sender, when a device is called from elsewhere. */
export interface CallMarks extends MessageMarks {
  /** A reading of this agent's clock from before the call was sent, in milliseconds. */
  asOf: number;
}

export interface RemoteCall {
  callId: string;
  function: string;
  arguments: JsonObject;
  /** Set when a task calls; then the fence of its allocation is demanded. */
  attemptId?: string | undefined;
}

/**
 * The agent of one computer: its devices, its attempts, and its standing with the orchestrator.
 *
 * Guarantees: registered under one session from `start` to `stop`; a message of an epoch lower than the highest seen is
 * refused; without an orchestrator everything goes on but the acknowledgement of results.
 */
export class Agent {
  readonly session: string;
  readonly #identity: AgentIdentity;
  readonly #ports: AgentPorts;
  readonly #limits: AgentLimits;
  readonly #calls: CallLedger;
  readonly #devices: Devices;
  readonly #pool: ProcessPool;
  readonly #attempts: TaskAttempts;
  readonly #emergencyStops: EmergencyStops;
  readonly #registerRetry: Retry;
  readonly #freshness: Freshness;
  readonly #stop = new AbortController();
  readonly #registeredOnce: Promise<void>;
  #tellRegistered: () => void = () => undefined;
  #inc: number | undefined;
  #epoch = 0;
  /** What the ledger holds is taken up. */
  #tookUp = false;
  /** The registration under way, and whether another one was asked for meanwhile. */
  #registering: Promise<void> | undefined;
  #registerAgain = false;
  #stopped: Promise<void> | undefined;

  constructor(identity: AgentIdentity, ports: AgentPorts, limits: Partial<AgentLimits> = {}) {
    this.#identity = identity;
    this.#ports = ports;
    this.#limits = { ...defaultLimits, ...limits };
    this.session = ports.ids.next();
    this.#freshness = new Freshness(ports.clock);
    const { clock, timers, log, modules, checkArguments } = ports;
    this.#calls = new CallLedger(ports.ledger);
    const { deviceProcesses: processes } = ports;
    const devicePorts = { clock, timers, log, modules, checkArguments, processes, records: this.#calls };
    this.#devices = new Devices(devicePorts, this.#limits, (status) => ports.announcer.deviceChanged(status));
    this.#pool = new ProcessPool({ clock, timers, log, processes: ports.taskProcesses }, this.#limits);
    this.#attempts = new TaskAttempts(
      {
        ...ports,
        computer: identity.computer,
        calls: this.#calls,
        doubtMs: this.#limits.deviceDoubtMs,
        devices: this.#devices,
        pool: this.#pool,
      },
      this.#limits,
      () => this.#inc,
    );
    const [devices, attempts] = [this.#devices, this.#attempts];
    this.#emergencyStops = new EmergencyStops({ devices, attempts, ledger: ports.ledger, log });
    this.#registeredOnce = new Promise((resolve) => (this.#tellRegistered = resolve));
    this.#registerRetry = new Retry(ports, {
      firstMs: this.#limits.retryMs,
      maxMs: this.#limits.registerRetryMaxMs,
    });
  }

  /** The number under which commands reach this process; undefined before the first registration. */
  get inc(): number | undefined {
    return this.#inc;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** What keeps the agent from taking on tasks and effects, for an operator; undefined: nothing. */
  get trouble(): string | undefined {
    const reason = this.#ports.ledger.trouble;
    return reason === undefined
      ? undefined
      : `tasks and effects are refused: the ledger cannot be written (${reason})`;
  }

  /**
   * Takes up what the ledger holds, warms the pool and begins to register.
   *
   * @throws Error when the ledger cannot be opened
   */
  async start(): Promise<void> {
    const { ledger } = this.#ports;
    await ledger.open({ ...defaultLedgerMemory, attempts: this.#limits.remembered });
    this.#devices.recallFences(ledger.state.fences);
    this.#emergencyStops.recall();
    await this.#attempts.replay();
    this.#pool.open();
    this.#tookUp = true;
    this.#register();
  }

  /**
   * Resolves when the agent is registered and the first start of each of its devices is over: it is usable, or faulted.
   *
   * @param withinMs waits no longer than this, in milliseconds
   * @returns whether that came in time; false also when the agent is stopped meanwhile
   */
  async ready(withinMs: number): Promise<boolean> {
    const { promise: late, end } = this.#lateAfter(withinMs);
    const started = this.#registeredOnce.then(() => this.#devices.started()).then(() => true);
    try {
      return await Promise.race([started, late]);
    } finally {
      end();
    }
  }

  /** Somebody leads: a new epoch means a new leader, who must hear of this agent. */
  hearLeader(epoch: number, known: KnownEmergencyStops = {}): void {
    if (epoch >= this.#epoch) this.#emergencyStops.merge(known);
    if (epoch > this.#epoch) this.#register();
  }

  /** People stop devices, whoever tells of it: at once, past all queues, fences and leaders. */
  emergencyStop(stop: EmergencyStop): void {
    this.#emergencyStops.engage(stop);
  }

  /** The stops of people that are in force on this computer. */
  emergencyStops(): EmergencyStop[] {
    return this.#emergencyStops.inForce;
  }

  /** The way to the orchestrator is open again. */
  reconnected(): void {
    this.#register();
    this.#attempts.hurry();
  }

  /** A heartbeat is being sent. @returns the number that it carries */
  nextHeartbeat(): number {
    return this.#freshness.next();
  }

  /** @throws ServiceError `stale_message`, and what {@link TaskAttempts.start} throws */
  async startTask(start: TaskStart, marks: MessageMarks): Promise<AttemptStatus> {
    this.#admit(marks);
    const { startFreshMs } = this.#limits;
    this.#freshness.demand(marks.fresh, Math.min(startFreshMs, marks.ttlMs ?? startFreshMs));
    return this.#attempts.start(start);
  }

  /** @throws ServiceError `stale_message`, `service_unavailable` */
  async cancelTask(attemptId: string, reason: string, marks: MessageMarks): Promise<AttemptStatus> {
    this.#admit(marks);
    return this.#attempts.cancel(attemptId, reason);
  }

  /** @throws ServiceError `stale_message`, `service_unavailable` */
  async taskStatus(attemptId: string, marks: MessageMarks): Promise<AttemptStatus> {
    this.#admit(marks);
    return this.#attempts.status(attemptId);
  }

  /** @throws ServiceError `stale_message` */
  assignDevices(devices: readonly DeviceAssignment[], marks: MessageMarks): void {
    this.#admit(marks);
    this.#devices.assign(devices);
  }

  /** A reading of the clock by which calls from outside this computer are found fresh, in milliseconds. */
  readClock(): number {
    return this.#freshness.reading();
  }

  /**
   * A call from outside this computer: of a task that runs on another one, or of a person.
   *
   * @throws ServiceError `late_message`; see {@link Devices.call} and {@link CallLedger.once}
   */
  async callDevice(device: DeviceName, call: RemoteCall, marks: CallMarks): Promise<JsonValue | undefined> {
    // Before the call is looked up: one that came late may be sent again, with a new reading.
    this.#freshness.demandReading(marks.asOf);
    const fence = marks.fence?.[keyOf(device)];
    if (call.attemptId !== undefined && fence === undefined) {
      throw new ServiceError('stale_message', `a call of a task must carry the fence of ${keyOf(device)}`);
    }
    const { callId, attemptId, function: name, arguments: values } = call;
    const posted = { callId, attemptId, fence, function: name, arguments: values, patienceMs: marks.ttlMs };
    return this.#calls.once(callId, () => this.#devices.call(device, posted, fence));
  }

  /**
   * An attempt of another computer is over: none of its calls to devices of this one is begun from now on, and those in
   * progress are stopped safely.
   *
   * @returns whether one of them still goes on
   */
  barCalls(attemptId: string, reason: string): boolean {
    return this.#devices.barCallsOf(attemptId, reason);
  }

  /** @throws ServiceError see {@link Devices.report} */
  reportDevice(device: DeviceName): Promise<JsonObject> {
    return this.#devices.report(device);
  }

  /**
   * A person says that an uncertain or faulted device is safe to be started anew.
   *
   * @param doubtId which doubt is meant; null: none, the device is faulted
   * @throws ServiceError `stale_message`, and see {@link Devices.reset}
   */
  async resetDevice(
    device: DeviceName,
    doubtId: string | null,
    by: string,
    marks: MessageMarks,
  ): Promise<void> {
    this.#admit(marks);
    await this.#devices.reset(device, doubtId, by);
  }

  devices(): DeviceStatus[] {
    return this.#devices.statuses();
  }

  attempts(): AttemptReport[] {
    return this.#attempts.reports();
  }

  /**
   * Refuses new work, stops what runs, delivers results while that is possible, cleans the devices up and ends all
   * processes. Bounded by the limits; never rejects.
   */
  stop(reason: string): Promise<void> {
    this.#stopped ??= this.#end(reason);
    return this.#stopped;
  }

  async #end(reason: string): Promise<void> {
    this.#stop.abort();
    await this.#attempts.close(reason);
    await Promise.all([this.#devices.close(), this.#pool.close()]);
    try {
      await this.#ports.ledger.close();
    } catch (error) {
      this.#ports.log.error('the ledger could not be closed', { reason: String(error) });
    }
  }

  /** False after a time, or as soon as the agent is stopped. */
  #lateAfter(ms: number): { promise: Promise<false>; end: () => void } {
    const { signal } = this.#stop;
    let end: () => void = () => undefined;
    const promise = new Promise<false>((resolve) => {
      const late = (): void => resolve(false);
      const cancel = this.#ports.timers.after(ms, late);
      signal.addEventListener('abort', late);
      if (signal.aborted) late();
      end = () => {
        cancel();
        signal.removeEventListener('abort', late);
      };
    });
    return { promise, end };
  }

  #admit({ epoch }: MessageMarks): void {
    if (epoch === undefined) return;
    if (epoch < this.#epoch) {
      throw new ServiceError(
        'stale_message',
        `epoch ${epoch} is over; a leader of epoch ${this.#epoch} has been heard`,
      );
    }
    // A command of an unknown leader is obeyed, but the leader must hear of this agent all the same.
    if (epoch > this.#epoch && this.#inc !== undefined) this.hearLeader(epoch);
    this.#epoch = epoch;
  }

  #register(): void {
    // Before it knows its attempts it would be taken for an agent that has lost them.
    if (!this.#tookUp || this.#stop.signal.aborted) return;
    if (this.#registering !== undefined) {
      this.#registerAgain = true;
      this.#registerRetry.hurry();
      return;
    }
    this.#registerAgain = false;
    this.#registering = this.#hello().finally(() => {
      this.#registering = undefined;
      if (this.#registerAgain) this.#register();
    });
  }

  /** Says hello until it is answered. Never rejects. */
  async #hello(): Promise<void> {
    const { orchestrator, log } = this.#ports;
    try {
      let told: AttemptReport[] = [];
      let saidAt = 0;
      const registration = await this.#registerRetry.run(
        async () => {
          this.#registerAgain = false;
          told = this.attempts();
          saidAt = this.#ports.clock.now();
          const answer = await orchestrator.register({
            ...this.#identity,
            session: this.session,
            attempts: told,
            incarnations: [...this.#ports.ledger.state.incarnations],
            devices: this.devices(),
            halts: this.emergencyStops(),
          });
          if (answer.epoch >= this.#epoch) return answer;
          throw new ServiceError(
            'stale_message',
            `the answer came from a leader of epoch ${answer.epoch}; epoch ${this.#epoch} has been heard`,
          );
        },
        {
          signal: this.#stop.signal,
          failed: (error, pauseMs) => {
            log.info('not registered yet', { reason: String(error), again_in_ms: Math.round(pauseMs) });
            return false;
          },
        },
      );
      this.#freshness.registered(saidAt);
      await this.#registered(registration);
      await this.#attempts.acknowledged(told);
    } catch (error) {
      if (!this.#stop.signal.aborted) log.error('registration failed', { reason: String(error) });
    }
  }

  async #registered({ inc, epoch, devices, ...known }: Registration): Promise<void> {
    // An agent that leaves must not be heard as if it came.
    if (this.#stop.signal.aborted) return;
    this.#epoch = epoch;
    if (inc !== this.#inc) {
      // In the ledger before anything that this incarnation accepts.
      this.#ports.ledger.note({ type: 'incarnation', inc });
      await this.#ports.announcer.incarnated(inc);
      this.#inc = inc;
    }
    // Before the devices: one that is stopped must not be started.
    this.#emergencyStops.merge(known);
    this.#ports.log.info('registered', { inc, epoch, devices: devices.length });
    this.#devices.assign(devices);
    this.#tellRegistered();
    this.#attempts.hurry();
  }
}
