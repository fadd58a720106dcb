import {
  ServiceError,
  type AgentUpdates,
  type AttemptCalls,
  type AttemptOutcome,
  type AttemptReport,
  type AttemptStatus,
  type DeviceAssignment,
  type DeviceStatus,
  type EmergencyStop,
  type ModuleReference,
  type TaskStart,
} from '@lab/contracts';
import type { AgentReports, Heartbeat } from '../agents/index.js';
import type { AgentAddress, AgentPresence, Agents } from '../rows/index.js';

/** Fate of a call: delivered, refused, or lost on the way there or back. */
export type Delivery = 'delivered' | 'refused' | 'lost' | 'reply_lost';

export type UpdateAnswer = 'placed' | 'runs' | Promise<'placed' | 'runs'>;

/** An attempt in the ledger of its agent. */
export interface Execution {
  start: TaskStart;
  status: Exclude<AttemptStatus, 'unknown'>;
  outcome: AttemptOutcome | null;
  /** Calls on devices; undefined: the agent does not report them. */
  calls: AttemptCalls | undefined;
  /** The engine has acknowledged the result. */
  acknowledged: boolean;
  /** Session of the agent process that began it. */
  session: string;
}

interface MemoryAgent {
  computer: string;
  session: string;
  /** 0: not registered. */
  inc: number;
  alive: boolean;
  devices: DeviceAssignment[];
  /** Survives the process: accepted attempts and those refused for ever. */
  ledger: Map<string, Execution>;
  tombstones: Set<string>;
}

/** Receives the reports of the agents. Each leading engine is attached in turn. */
export type LabSide = Pick<AgentReports, 'register' | 'heartbeat' | 'leaving' | 'attemptEnded'>;

/**
 * All agents of a laboratory, controlled by a test. They keep their contract: an attempt is accepted once and kept in
 * a ledger; it is refused for ever after its status was asked in vain; a result is repeated until it is acknowledged.
 *
 * {@link executions} records what really happened, for the assertions of tests.
 */
export class MemoryAgents implements Agents {
  /** Every execution that really began, by attempt id. */
  readonly executions = new Map<string, Execution>();
  /** Attempts that were started more than once: must stay empty. */
  readonly startedTwice: string[] = [];
  /** Devices that two executions had at the same time: must stay empty. */
  readonly collisions: string[] = [];
  /** Fences that did not rise: must stay empty. */
  readonly staleFences: string[] = [];
  /** Requested stops and their reasons, in order. */
  readonly stops: { label: string; reason: string }[] = [];
  /** Highest fence seen, by `<lab>.<device>`. */
  readonly fences = new Map<string, number>();
  /** Decides the fate of each call. */
  onCall: (kind: CallKind, to: AgentAddress) => Delivery = () => 'delivered';
  /** What is found out about a process; undefined: the truth. */
  onPresence: (of: AgentAddress) => AgentPresence | undefined = () => undefined;
  /** Called when an execution began. */
  onStart: ((execution: Execution, computer: string) => void) | undefined;
  /** Called when a running execution was asked to stop; by default it stops at once. */
  onCancel: ((execution: Execution, computer: string) => void) | undefined;
  /** Called when a device is to be restarted. An error that it throws is the answer. */
  onReset: (device: string, doubtId: string | null, by: string) => void = () => undefined;
  /** Called when a device is restarted. An error that it throws is the answer. */
  onRestart: (device: string, by: string, reason: string) => void = () => undefined;
  /** Called when an agent gets code in advance. An error that it throws is the answer. */
  onProvide: (computer: string, module: ModuleReference) => void = () => undefined;
  /** Called when an agent is asked to update itself. An error that it throws is the answer. */
  onUpdate: (computer: string, version: string) => UpdateAnswer = () => 'placed';
  /** Version of the agents, by computer. */
  readonly versions = new Map<string, string>();
  /** How the agent of a computer can be updated; undefined: its release does not say. */
  updatesOf: (computer: string) => AgentUpdates | undefined = () => undefined;
  /** Overrides the state of a device. */
  deviceState: (lab: string, name: string) => DeviceStatus['state'] = () => 'idle';
  /** Further status of a device, for example its doubt. */
  deviceMore: (
    lab: string,
    name: string,
  ) => Partial<Pick<DeviceStatus, 'detail' | 'doubt' | 'halted' | 'doing' | 'silent_since_ms' | 'asks'>> =
    () => ({});
  /** What a heartbeat says of its computer. */
  computerMore: (computer: string) => Partial<Pick<Heartbeat, 'wall_ms' | 'ledger_trouble'>> = () => ({});
  /** The emergency stops that the agent of a computer obeys. */
  readonly halts = new Map<string, EmergencyStop[]>();
  readonly #agents = new Map<string, MemoryAgent>();
  readonly #busy = new Map<string, string>();
  #side: LabSide | undefined;
  #sessions = 0;
  #everStarted = new Set<string>();

  attach(side: LabSide): void {
    this.#side = side;
  }

  /**
   * Starts a new process of the agent, which registers. The outcome of executions of an earlier process is unknown.
   *
   * @param sessions those of its ledger; by default that of the process before
   */
  async boot(
    computer: string,
    incarnations?: readonly number[],
    sessions: readonly string[] = this.#sessionsOf(computer),
  ): Promise<void> {
    this.#sessions += 1;
    const before = this.#agents.get(computer);
    const agent: MemoryAgent = {
      computer,
      session: `session-${this.#sessions}`,
      inc: 0,
      alive: true,
      devices: before?.devices ?? [],
      ledger: before?.ledger ?? new Map(),
      tombstones: before?.tombstones ?? new Set(),
    };
    this.#agents.set(computer, agent);
    for (const execution of agent.ledger.values())
      if (execution.outcome === null) {
        execution.status = 'ended';
        execution.outcome = { kind: 'unknown', detail: 'the agent was restarted while it ran' };
        this.#free(execution);
      }
    await this.register(computer, incarnations, sessions);
  }

  /**
   * Registers the agent with the current leader and reports unacknowledged results.
   *
   * @param incarnations those of its ledger; undefined: not reported
   */
  async register(
    computer: string,
    incarnations?: readonly number[],
    sessions: readonly string[] = [],
  ): Promise<void> {
    const agent = this.#alive(computer);
    const side = this.#side;
    if (agent === undefined || side === undefined) return;
    const reply = await side.register({
      computer,
      session: agent.session,
      version: this.versions.get(computer) ?? 'test',
      attempts: this.#reports(agent),
      incarnations,
      sessions,
      devices: this.#statuses(agent),
      halts: this.halts.get(computer) ?? [],
      updates: this.updatesOf(computer),
    });
    agent.inc = reply.inc;
    agent.devices = reply.devices;
    this.heartbeat(computer);
    await this.tellResults(computer);
  }

  heartbeat(computer: string): void {
    const agent = this.#alive(computer);
    if (agent === undefined || agent.inc === 0) return;
    this.#side?.heartbeat(computer, {
      inc: agent.inc,
      devices: this.#statuses(agent),
      attempts: this.#reports(agent),
      halts: this.halts.get(computer) ?? [],
      ...this.computerMore(computer),
    });
  }

  /** The process ends without a message. */
  crash(computer: string): void {
    const agent = this.#agents.get(computer);
    if (agent !== undefined) agent.alive = false;
  }

  leave(computer: string): void {
    const agent = this.#alive(computer);
    if (agent === undefined) return;
    this.#side?.leaving(computer, agent.inc, agent.session);
    agent.alive = false;
  }

  computers(): string[] {
    return [...this.#agents.keys()];
  }

  isAlive(computer: string): boolean {
    return this.#alive(computer) !== undefined;
  }

  /** Unfinished executions, oldest first. */
  running(): { attempt: string; label: string; computer: string; start: TaskStart }[] {
    return [...this.#agents.values()].flatMap((agent) =>
      [...agent.ledger].flatMap(([attempt, { start, outcome }]) =>
        outcome === null && agent.alive
          ? [{ attempt, label: start.label, computer: agent.computer, start }]
          : [],
      ),
    );
  }

  /**
   * Ends an execution and reports the result.
   *
   * @param label `<protocol run>/<task>`, an on-demand name, or an attempt id
   */
  async end(label: string, outcome: AttemptOutcome, calls?: AttemptCalls): Promise<void> {
    const found = this.running().find((each) => each.label === label || each.attempt === label);
    if (found === undefined) throw new Error(`nothing called ${label} is running`);
    this.#finish(found.attempt, found.computer, outcome, calls);
    await this.tellResults(found.computer);
  }

  /** Ends an execution with success. */
  async complete(
    label: string,
    outputs: Partial<Omit<Extract<AttemptOutcome, { kind: 'completed' }>, 'kind'>> = {},
  ): Promise<void> {
    await this.end(label, {
      kind: 'completed',
      output_parameters: {},
      output_resources: {},
      files: [],
      ...outputs,
    });
  }

  /** Ends an execution without reporting the result. */
  finishSilently(attempt: string, computer: string, outcome: AttemptOutcome, calls?: AttemptCalls): void {
    this.#finish(attempt, computer, outcome, calls);
  }

  /** Reports all unacknowledged results of a computer. Failed reports are kept. */
  async tellResults(computer: string): Promise<void> {
    const agent = this.#alive(computer);
    if (agent === undefined) return;
    for (const [attempt, execution] of agent.ledger) {
      if (execution.outcome === null || execution.acknowledged || this.#side === undefined) continue;
      const told = await this.#side
        .attemptEnded({
          attempt_id: attempt,
          computer,
          inc: agent.inc,
          outcome: execution.outcome,
          ...(execution.calls === undefined ? {} : { calls: execution.calls }),
        })
        .then(
          () => true,
          () => false,
        );
      if (told) execution.acknowledged = true;
    }
  }

  async presence(of: AgentAddress): Promise<AgentPresence> {
    await Promise.resolve();
    const lives = this.#alive(of.computer)?.inc === of.inc;
    return this.onPresence(of) ?? (lives ? 'answers' : 'gone');
  }

  async start(to: AgentAddress, start: TaskStart): Promise<AttemptStatus> {
    if (this.#everStarted.has(start.attempt_id)) this.startedTwice.push(start.attempt_id);
    this.#everStarted.add(start.attempt_id);
    return this.#deliver('start', to, (agent) => {
      const known = agent.ledger.get(start.attempt_id);
      if (known !== undefined) return known.status;
      if (agent.tombstones.has(start.attempt_id)) return 'unknown';
      for (const [key, fence] of fencesOf(start))
        if (fence <= (this.fences.get(key) ?? 0)) {
          this.staleFences.push(`${key}: ${fence} after ${this.fences.get(key)}`);
          throw new ServiceError('stale_message', `${key} was given fence ${fence} before`);
        }
      this.#begin(agent, start);
      return 'running';
    });
  }

  async cancel(to: AgentAddress, attemptId: string, reason: string): Promise<AttemptStatus> {
    return this.#deliver('cancel', to, (agent) => {
      const execution = agent.ledger.get(attemptId);
      if (execution === undefined) return 'unknown';
      if (execution.outcome !== null) return 'ended';
      execution.status = 'cancelling';
      this.stops.push({ label: execution.start.label, reason });
      if (this.onCancel === undefined) {
        this.#finish(attemptId, agent.computer, { kind: 'cancelled' });
        void this.tellResults(agent.computer);
      } else this.onCancel(execution, agent.computer);
      return 'cancelling';
    });
  }

  async status(to: AgentAddress, attemptId: string): Promise<AttemptStatus> {
    return this.#deliver('status', to, (agent) => {
      const execution = agent.ledger.get(attemptId);
      if (execution === undefined) agent.tombstones.add(attemptId);
      return execution?.status ?? 'unknown';
    });
  }

  async assignDevices(to: AgentAddress, devices: DeviceAssignment[]): Promise<void> {
    await this.#deliver('assign', to, (agent) => {
      agent.devices = devices;
      this.heartbeat(agent.computer);
    });
  }

  async provideCode(to: AgentAddress, _: DeviceAssignment[], module: ModuleReference): Promise<void> {
    await this.#deliver('provide', to, () => this.onProvide(to.computer, module));
  }

  async resetDevice(
    to: AgentAddress,
    device: { lab: string; name: string },
    doubtId: string | null,
    by: string,
  ): Promise<void> {
    await this.#deliver('reset', to, () => this.onReset(`${device.lab}.${device.name}`, doubtId, by));
  }

  async restartDevice(
    to: AgentAddress,
    { lab, name }: { lab: string; name: string },
    by: string,
    reason: string,
  ): Promise<DeviceStatus> {
    return this.#deliver('restart', to, () => {
      this.onRestart(`${lab}.${name}`, by, reason);
      return { lab, name, state: 'restarting', detail: null, functions: [] };
    });
  }

  async update(to: AgentAddress, version: string): Promise<'placed' | 'runs'> {
    return await this.#deliver('update', to, () => this.onUpdate(to.computer, version));
  }

  async #deliver<Answer>(
    kind: CallKind,
    to: AgentAddress,
    act: (agent: MemoryAgent) => Answer,
  ): Promise<Answer> {
    const delivery = this.onCall(kind, to);
    await Promise.resolve();
    const agent = this.#alive(to.computer);
    if (agent === undefined || agent.inc !== to.inc)
      throw new ServiceError('agent_unreachable', `no agent ${to.computer} in incarnation ${to.inc}`);
    if (delivery === 'refused') throw new ServiceError('device_unavailable', 'refused');
    if (delivery === 'lost') throw new ServiceError('deadline_exceeded', 'no answer', { effect: 'maybe' });
    const answer = act(agent);
    if (delivery === 'reply_lost')
      throw new ServiceError('deadline_exceeded', 'no answer', { effect: 'maybe' });
    return answer;
  }

  #begin(agent: MemoryAgent, start: TaskStart): void {
    const execution: Execution = {
      start,
      status: 'running',
      outcome: null,
      calls: undefined,
      acknowledged: false,
      session: agent.session,
    };
    agent.ledger.set(start.attempt_id, execution);
    this.executions.set(start.attempt_id, execution);
    for (const key of unitsOf(start)) {
      const owner = this.#busy.get(key);
      if (owner !== undefined) this.collisions.push(`${key}: ${owner} and ${start.label}`);
      this.#busy.set(key, start.label);
    }
    for (const [key, fence] of fencesOf(start)) this.fences.set(key, fence);
    this.onStart?.(execution, agent.computer);
  }

  #finish(attempt: string, computer: string, outcome: AttemptOutcome, calls?: AttemptCalls): void {
    const execution = this.#agents.get(computer)?.ledger.get(attempt);
    if (execution === undefined || execution.outcome !== null) return;
    execution.outcome = outcome;
    execution.calls = calls;
    execution.status = 'ended';
    this.#free(execution);
  }

  #free(execution: Execution): void {
    for (const key of unitsOf(execution.start))
      if (this.#busy.get(key) === execution.start.label) this.#busy.delete(key);
  }

  #alive(computer: string): MemoryAgent | undefined {
    const agent = this.#agents.get(computer);
    return agent?.alive === true ? agent : undefined;
  }

  #sessionsOf(computer: string): string[] {
    const before = this.#agents.get(computer);
    return before === undefined ? [] : [before.session];
  }

  #reports(agent: MemoryAgent): AttemptReport[] {
    return [
      ...[...agent.ledger]
        .filter(([, execution]) => !execution.acknowledged)
        .map(([id, { status }]) => ({ attempt_id: id, status })),
      ...[...agent.tombstones].map((id) => ({ attempt_id: id, status: 'unknown' as const })),
    ];
  }

  #statuses(agent: MemoryAgent): DeviceStatus[] {
    return agent.devices.map(({ lab, name }) => ({
      lab,
      name,
      state: this.deviceState(lab, name),
      detail: null,
      functions: [],
      ...this.deviceMore(lab, name),
    }));
  }
}

type CallKind = 'start' | 'cancel' | 'status' | 'assign' | 'provide' | 'reset' | 'restart' | 'update';

function unitsOf(start: TaskStart): string[] {
  return [
    ...Object.values(start.devices).map((device) => `device:${device.lab}.${device.name}`),
    ...Object.values(start.resources).map((resource) => `resource:${resource.name}`),
  ];
}

function fencesOf(start: TaskStart): [string, number][] {
  return Object.values(start.devices).map((device) => [`${device.lab}.${device.name}`, device.fence]);
}
