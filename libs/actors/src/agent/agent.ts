import {
  agentProtocol,
  isMoving,
  isInitializing,
  ServiceError,
  type AttemptReport,
  type AttemptStatus,
  type DeviceAssignment,
  type DeviceStatus,
  type EmergencyStop,
  type JsonObject,
  type JsonValue,
  type ModuleReference,
  type ProtocolRange,
  type TaskStart,
} from '@lab/contracts';
import { ProcessPool, TaskAttempts } from '../attempts/index.js';
import { Devices, keyOf, type DeviceName } from '../devices/index.js';
import { CallLedger, defaultLedgerMemory } from '../ledger/index.js';
import {
  defaultLimits,
  within,
  type AgentLimits,
  type Hello,
  type KnownEmergencyStops,
  type Registration,
} from '../ports/index.js';
import type { AgentPorts } from './agent-ports.js';
import { EffectDelivery } from './effect-delivery.js';
import { EmergencyStops } from './emergency-stops.js';
import { Freshness } from './freshness.js';
import { Registrar } from './registrar.js';

export interface AgentIdentity {
  computer: string;
  version: string;
  /** What its program speaks. Default: what this release speaks. */
  protocol?: ProtocolRange;
}

/** What a message says about the knowledge of its sender. */
export interface MessageMarks {
  epoch?: number | undefined;
  fence?: Record<string, number> | undefined;
  /** How long the sender waits, in milliseconds. */
  ttlMs?: number | undefined;
  /** Number of the newest heartbeat of this agent that the sender has received; 0: only the hello. */
  fresh?: number | undefined;
}

/** The knowledge of a sender on another computer that calls a device. */
export interface CallMarks extends MessageMarks {
  /** A reading of this agent's clock that was taken before the call was sent, in milliseconds. */
  asOf: number;
}

export interface RemoteCall {
  callId: string;
  function: string;
  arguments: JsonObject;
  /** Set when a task calls. Then the marks must have the fence of its allocation. */
  attemptId?: string | undefined;
  /** Computer of the attempt. */
  caller?: string | undefined;
  /** Person who calls. */
  by?: string | undefined;
  /** True: the sender knows the function as a query, and has permission for nothing else. */
  query?: boolean | undefined;
}

/**
 * The agent of one computer: its devices, its attempts and its registration.
 *
 * Guarantees: it uses one session from `start` to `stop`. It refuses a message of an epoch lower than the highest it knows.
 * Without an orchestrator everything continues except the acknowledgement of results.
 */
export class Agent {
  readonly session: string;
  /** Resolves with the reason when a leader refuses the first registration. The agent then does not register. */
  readonly refused: Promise<ServiceError>;
  readonly #limits: AgentLimits;
  readonly #calls: CallLedger;
  readonly #effects: EffectDelivery;
  readonly #devices: Devices;
  readonly #pool: ProcessPool;
  readonly #attempts: TaskAttempts;
  readonly #emergencyStops: EmergencyStops;
  readonly #registrar: Registrar;
  readonly #freshness: Freshness;
  readonly #stop = new AbortController();
  /** Resolves when the agent is registered for the first time. */
  readonly registered: Promise<void>;
  #resolveRefused: (reason: ServiceError) => void = () => undefined;
  #resolveRegistered: () => void = () => undefined;
  #inc: number | undefined;
  #epoch = 0;
  /** The highest epoch that a leader has announced. */
  #heard = 0;
  /** Number of device statuses reported so far. */
  #reported = 0;
  /** The attempts of the ledger are known. */
  #replayed = false;
  #stopped: Promise<void> | undefined;
  /** The version for which this agent is about to stop. Nothing begins any more. */
  #closedFor: string | undefined;

  constructor(
    private readonly identity: AgentIdentity,
    private readonly ports: AgentPorts,
    limits: Partial<AgentLimits> = {},
  ) {
    this.#limits = { ...defaultLimits, ...limits };
    this.session = ports.ids.next();
    this.#freshness = new Freshness(ports.clock);
    const { clock, wall, timers, log, modules, checkArguments } = ports;
    this.#effects = new EffectDelivery(ports);
    this.#calls = new CallLedger(ports.ledger, wall, () => this.#effects.changed());
    const { deviceProcesses: processes } = ports;
    const records = this.#calls;
    const devicePorts = { clock, wall, timers, log, modules, checkArguments, processes, records };
    this.#devices = new Devices(devicePorts, this.#limits, (status) =>
      ports.announcer.deviceChanged(this.#numbered(status)),
    );
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
    this.#emergencyStops = new EmergencyStops(this.#devices, this.#attempts, ports.ledger, log);
    this.registered = new Promise((resolve) => (this.#resolveRegistered = resolve));
    this.refused = new Promise((resolve) => (this.#resolveRefused = resolve));
    const registrant = {
      signal: this.#stop.signal,
      hello: () => this.#hello(),
      epoch: () => this.#epoch,
      registered: this.#registered.bind(this),
      refused: this.#refused.bind(this),
    };
    this.#registrar = new Registrar(registrant, ports, this.#limits);
  }

  /** The incarnation under which commands reach this process; undefined before the first registration. */
  get inc(): number | undefined {
    return this.#inc;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Why the agent refuses tasks and effects, for an operator; undefined: it accepts them. */
  get trouble(): string | undefined {
    const reason = this.ports.ledger.trouble;
    return reason === undefined ? undefined : `tasks and effects are refused: ${reason}`;
  }

  /**
   * Continues what the ledger holds, warms the pool and begins to register.
   *
   * @throws Error when the ledger cannot be opened
   */
  async start(): Promise<void> {
    const { ledger } = this.ports;
    // Durable when the ledger is open, and so before the leader hears of the session.
    ledger.note({ type: 'session', session: this.session });
    await ledger.open({ ...defaultLedgerMemory, attempts: this.#limits.remembered });
    this.#devices.recallFences(ledger.state.fences);
    this.#effects.start();
    this.#emergencyStops.recall();
    await this.#attempts.replay();
    this.#pool.open();
    this.#replayed = true;
    this.#register();
  }

  /**
   * Resolves when the agent is registered and the first start of each of its devices is over: the device is usable or
   * faulted.
   *
   * @param withinMs waits no longer than this, in milliseconds
   * @returns whether that happened in time; false also when the agent is stopped meanwhile
   */
  ready(withinMs: number): Promise<boolean> {
    const started = this.registered.then(() => this.#devices.started());
    return within(this.ports.timers, withinMs, started, this.#stop.signal);
  }

  /** Takes the message of a leader. A new epoch means a new leader, with which this agent must register. */
  hearLeader(epoch: number, known: KnownEmergencyStops = {}): void {
    if (epoch >= this.#epoch) this.#emergencyStops.merge(known);
    // A leader says every second that it leads. One that has refused the release of this agent would refuse it again.
    if (epoch > this.#epoch && !(this.#registrar.isMisfit && epoch <= this.#heard)) this.#register();
    this.#heard = Math.max(this.#heard, epoch);
  }

  /** Takes an emergency stop from any sender. It takes effect at once, past all queues, fences and leaders. */
  emergencyStop(stop: EmergencyStop): void {
    this.#emergencyStops.engage(stop);
  }

  /** The emergency stops in force on this computer. */
  emergencyStops(): EmergencyStop[] {
    return this.#emergencyStops.inForce;
  }

  /** Registers again and retries reports at once, because the broker can be reached again. */
  reconnected(): void {
    this.#register();
    this.#attempts.hurry();
  }

  /** Notes that a heartbeat is being sent. @returns the number that it carries */
  nextHeartbeat(): number {
    return this.#freshness.next();
  }

  /** @throws ServiceError `stale_message`, and what {@link TaskAttempts.start} throws */
  async startTask(start: TaskStart, marks: MessageMarks): Promise<AttemptStatus> {
    this.#admit(marks);
    this.#demandOpen('service_unavailable');
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
    this.#assign(devices);
  }

  /** Provides code that devices get next, so that their present processes work until then. @throws what {@link Modules.path} throws */
  async provide(module: ModuleReference): Promise<void> {
    await this.ports.modules.path(module);
  }

  /** Reads the clock that tells how fresh a call from another computer is, in milliseconds. */
  readClock(): number {
    return this.ports.clock.now();
  }

  /**
   * Calls a device for a task that runs on another computer, or for a person. A fence in the call of a person says at which
   * fence no task had the device.
   *
   * @throws ServiceError `late_message`; `device_in_use` when a task got the device after that fence; see {@link Devices.call} and {@link CallLedger.once}
   */
  async callDevice(device: DeviceName, call: RemoteCall, marks: CallMarks): Promise<JsonValue | undefined> {
    // Checked before the call is looked up, because a late call may be sent again with a new reading.
    this.#freshness.demandReading(marks.asOf);
    this.#demandOpen('device_unavailable');
    const fence = marks.fence?.[keyOf(device)];
    if (call.attemptId !== undefined && fence === undefined) {
      throw new ServiceError('stale_message', `a call of a task must carry the fence of ${keyOf(device)}`);
    }
    const isPerson = call.attemptId === undefined;
    if (isPerson && fence !== undefined) this.#devices.demandUntaken(device, fence);
    const posted = { ...call, patienceMs: marks.ttlMs };
    return this.#calls.once(call.callId, () =>
      this.#devices.call(device, posted, isPerson ? undefined : fence),
    );
  }

  /**
   * Ends the calls of an attempt that runs on another computer: from now on none of them begins here, and those in progress
   * are stopped safely. Calls of other computers, and of this one, go on.
   *
   * @param caller the computer that asks, which is that of the attempt
   * @returns whether one of them still goes on
   */
  barCalls(attemptId: string, caller: string, reason: string): boolean {
    return this.#devices.barCallsOf({ attemptId, caller }, reason);
  }

  /** @throws ServiceError `unknown_device`, and see {@link DeviceActor.report} */
  async reportDevice(device: DeviceName): Promise<JsonObject> {
    return this.#devices.actor(device).report();
  }

  /**
   * Resets an uncertain or faulted device because a person says that it is safe to start.
   *
   * @param doubtId the doubt that the person means; null: the device has no doubt, it is faulted
   * @throws ServiceError `stale_message`, `unknown_device`, and see {@link DeviceActor.reset}
   */
  async resetDevice(
    device: DeviceName,
    doubtId: string | null,
    by: string,
    marks: MessageMarks,
  ): Promise<void> {
    this.#admit(marks);
    await this.#devices.actor(device).reset(doubtId, by);
  }

  /**
   * Restarts a device for a person. Its process ends in order.
   *
   * @param why for people
   * @returns its status, in which it takes no calls
   * @throws ServiceError `stale_message`, and see {@link Devices.restart}
   */
  restartDevice(device: DeviceName, why: string, marks: MessageMarks): DeviceStatus {
    this.#admit(marks);
    return this.#numbered(this.#devices.restart(device, why));
  }

  /**
   * Updates the program of this agent, which then stops in order. It is refused while something runs on this computer. A repeated
   * request joins the update that is under way.
   *
   * @throws ServiceError `stale_message`; `device_in_use` while something runs; `forbidden`, `wrong_state`
   */
  async update(version: string, by: string, marks: MessageMarks): Promise<'placed' | 'runs'> {
    this.#admit(marks);
    const { updates } = this.ports;
    if (updates === undefined)
      throw new ServiceError('forbidden', 'this agent takes no updates from the service');
    this.#demandIdle();
    return updates.update(version, by, (point) => {
      this.#demandIdle();
      point();
      this.#closedFor = version;
    });
  }

  /** The present status of every device, numbered as a new report. */
  devices(): DeviceStatus[] {
    return this.#devices.statuses().map((status) => this.#numbered(status));
  }

  /** Number of calls that may have changed something and whose records are not stored centrally yet. */
  get undelivered(): number {
    return this.ports.ledger.state.unstored.size;
  }

  attempts(): AttemptReport[] {
    return this.#attempts.reports();
  }

  /**
   * Refuses new work, stops running tasks, delivers results while that is possible, cleans up the devices and ends all
   * processes. The limits bound its duration. Never rejects.
   */
  stop(reason: string): Promise<void> {
    this.#stopped ??= this.#end(reason);
    return this.#stopped;
  }

  async #end(reason: string): Promise<void> {
    this.#stop.abort();
    this.#devices.retire(reason);
    await this.#attempts.close(reason);
    await Promise.all([this.#devices.close(), this.#pool.close()]);
    await this.#effects.close();
    try {
      await this.ports.ledger.close();
    } catch (error) {
      this.ports.log.error('the ledger could not be closed', { reason: String(error) });
    }
  }

  #admit({ epoch }: MessageMarks): void {
    if (epoch === undefined) return;
    if (epoch < this.#epoch) {
      throw new ServiceError(
        'stale_message',
        `epoch ${epoch} is over; this agent knows epoch ${this.#epoch}`,
      );
    }
    // The agent obeys a command of a leader that it does not know yet, and registers with that leader.
    if (epoch > this.#epoch && this.#inc !== undefined) this.hearLeader(epoch);
    this.#epoch = epoch;
  }

  #register(): void {
    // An agent that does not know its attempts yet would look like one that has lost them.
    if (this.#replayed) this.#registrar.register();
  }

  /** @throws ServiceError `device_in_use` */
  #demandIdle(): void {
    const attempt = this.#attempts.reports().find(({ status }) => status !== 'ended' && status !== 'unknown');
    const device = this.#devices.statuses().find(({ state }) => isMoving(state) || isInitializing(state));
    if (attempt !== undefined)
      throw new ServiceError('device_in_use', `attempt ${attempt.attempt_id} runs on this computer`);
    if (device !== undefined)
      throw new ServiceError('device_in_use', `${device.lab}.${device.name} is ${device.state}`);
  }

  /** @throws ServiceError */
  #demandOpen(code: 'service_unavailable' | 'device_unavailable'): void {
    if (this.#closedFor === undefined) return;
    throw new ServiceError(code, `this agent stops for its update to version ${this.#closedFor}`);
  }

  #numbered(status: DeviceStatus): DeviceStatus {
    this.#reported += 1;
    return { ...status, seq: this.#reported };
  }

  #hello(): Hello {
    return {
      protocol: agentProtocol,
      ...this.identity,
      session: this.session,
      attempts: this.attempts(),
      incarnations: [...this.ports.ledger.state.incarnations],
      sessions: this.ports.ledger.state.sessions.filter((session) => session !== this.session),
      devices: this.devices(),
      halts: this.emergencyStops(),
      ...(this.ports.updates === undefined ? {} : { updates: this.ports.updates.describe() }),
    };
  }

  async #registered(registration: Registration, reported: AttemptReport[], sentAt: number): Promise<void> {
    this.#freshness.registered(sentAt);
    // An agent that stops must not announce a new incarnation.
    if (!this.#stop.signal.aborted) await this.#takeRegistration(registration);
    await this.#attempts.acknowledged(reported);
  }

  /** An agent that was registered goes on: its devices may be in use. */
  #refused(reason: ServiceError): boolean {
    if (this.#inc !== undefined) return false;
    this.#resolveRefused(reason);
    return true;
  }

  async #takeRegistration({ inc, epoch, devices, ...known }: Registration): Promise<void> {
    this.#epoch = epoch;
    if (inc !== this.#inc) {
      // Noted before any attempt that this incarnation accepts.
      this.ports.ledger.note({ type: 'incarnation', inc });
      await this.ports.announcer.incarnated(inc);
      this.#inc = inc;
    }
    // Emergency stops first, so that no stopped device starts.
    this.#emergencyStops.merge(known);
    this.ports.log.info('registered', { inc, epoch, devices: devices.length });
    this.#assign(devices);
    this.#resolveRegistered();
    this.#attempts.hurry();
  }

  /** A change of a folder alone restarts no device. */
  #assign(devices: readonly DeviceAssignment[]): void {
    this.ports.instrumentFiles?.assign(devices);
    this.#devices.assign(devices.map(({ files: _files, ...device }) => device));
  }
}
