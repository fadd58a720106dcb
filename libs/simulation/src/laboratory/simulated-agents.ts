import type { AttemptCalls, AttemptOutcome, AttemptStatus, DeviceStatus, TaskStart } from '@lab/contracts';
import type { LabDefinition } from '@lab/definitions/model';
import {
  serviceComputer,
  type AgentAddress,
  type AgentPresence,
  type AgentRegistration,
  type Agents,
} from '@lab/engine';

/** How an attempt ends if nothing stops it. */
export interface Course {
  /** Duration in milliseconds. */
  ms: number;
  outcome: AttemptOutcome;
  calls: AttemptCalls;
}

export interface AgentPorts {
  /** Runs `callback` once after `ms` milliseconds of simulated time. The returned function cancels it. */
  after: (ms: number, callback: () => void) => () => void;
  courseOf: (start: TaskStart) => Course;
  /** Reports to the engine. */
  registerAgent: (agent: AgentRegistration) => Promise<{ inc: number }>;
  deviceChanged: (computer: string, inc: number, device: DeviceStatus) => void;
  attemptEnded: (result: {
    attempt_id: string;
    computer: string;
    inc: number;
    outcome: AttemptOutcome;
    calls: AttemptCalls;
  }) => void;
}

interface Running {
  to: AgentAddress;
  /** Keys `<lab>.<device>` of its devices. */
  devices: string[];
  cancel: () => void;
}

/** The attempt had no effect on any device. */
export const noCalls: AttemptCalls = { effects: 0, last_confirmed: null, in_doubt: null };
/** The attempt had an effect on a device, and all its calls have ended. */
export const someCalls: AttemptCalls = { ...noCalls, effects: 1 };

/**
 * The computers of a simulated laboratory. Each accepts every task at once and reports its end when its duration has
 * passed. They are never silent.
 */
export class SimulatedAgents implements Agents {
  readonly #running = new Map<string, Running>();
  readonly #computers = new Map<string, { inc: number; devices: Set<string> }>();

  constructor(private readonly ports: AgentPorts) {}

  /**
   * Registers the agents of all computers.
   *
   * @param going attempts that run already, with their remaining milliseconds
   * @param sessionOf the session under which the engine knows the agent of a computer
   */
  async begin(
    labs: readonly LabDefinition[],
    options: {
      going?: readonly { id: string; to: AgentAddress; devices: string[]; course: Course }[];
      sessionOf?: (computer: string) => string | undefined;
      isAway?: (computer: string) => boolean;
      isOut?: (device: string) => boolean;
    } = {},
  ): Promise<void> {
    const { going = [], sessionOf = () => undefined, isAway = () => false, isOut = () => false } = options;
    const devices = new Map<string, { lab: string; name: string }[]>([[serviceComputer, []]]);
    for (const lab of labs)
      for (const { computer, name } of Object.values(lab.devices)) {
        const there = devices.get(computer) ?? [];
        there.push({ lab: lab.name, name });
        devices.set(computer, there);
      }
    for (const [computer, there] of devices) {
      if (isAway(computer)) continue;
      const own = going.filter(({ to }) => to.computer === computer);
      const { inc } = await this.ports.registerAgent({
        computer,
        session: sessionOf(computer) ?? 'simulation',
        version: 'simulation',
        attempts: own.map(({ id }) => ({ attempt_id: id, status: 'running' })),
        devices: there.map(({ lab, name }) => statusOf(lab, name, isOut(`${lab}.${name}`))),
      });
      const keys = new Set(there.map(({ lab, name }) => `${lab}.${name}`));
      this.#computers.set(computer, { inc, devices: keys });
      for (const { id, to, devices: units, course } of own) this.#run(id, { ...to, inc }, units, course);
    }
  }

  /** Number of running attempts. */
  get running(): number {
    return this.#running.size;
  }

  presence(of: AgentAddress): Promise<AgentPresence> {
    return Promise.resolve(this.#computers.get(of.computer)?.inc === of.inc ? 'answers' : 'gone');
  }

  start(to: AgentAddress, start: TaskStart): Promise<AttemptStatus> {
    const devices = Object.values(start.devices).map(({ lab, name }) => `${lab}.${name}`);
    this.#run(start.attempt_id, to, devices, this.ports.courseOf(start));
    return Promise.resolve('running');
  }

  cancel(_to: AgentAddress, attemptId: string): Promise<AttemptStatus> {
    const was = this.#running.has(attemptId);
    this.#end(attemptId, { kind: 'cancelled' }, someCalls);
    return Promise.resolve(was ? 'cancelling' : 'ended');
  }

  status(_to: AgentAddress, attemptId: string): Promise<AttemptStatus> {
    return Promise.resolve(this.#running.has(attemptId) ? 'running' : 'ended');
  }

  assignDevices(): Promise<void> {
    return Promise.resolve();
  }

  provideCode(): Promise<void> {
    return Promise.resolve();
  }

  resetDevice(): Promise<void> {
    return Promise.resolve();
  }

  update(): Promise<'runs'> {
    return Promise.resolve('runs');
  }

  restartDevice(_to: AgentAddress, { lab, name }: { lab: string; name: string }): Promise<DeviceStatus> {
    return Promise.resolve({ lab, name, state: 'idle', detail: null, functions: [] });
  }

  /** A device goes out of order: the attempt that has it fails. @param device `<lab>.<device>` */
  lose(device: string): void {
    this.#tell(device, true);
    for (const [id, { devices }] of this.#running)
      if (devices.includes(device))
        this.#end(
          id,
          { kind: 'failed', code: 'device_error', error: { message: `device ${device} was lost` } },
          someCalls,
        );
  }

  /** A device comes back. @param device `<lab>.<device>` */
  restore(device: string): void {
    this.#tell(device, false);
  }

  #tell(device: string, isOut: boolean): void {
    for (const [computer, { inc, devices }] of this.#computers) {
      if (!devices.has(device)) continue;
      const dot = device.indexOf('.');
      const status = statusOf(device.slice(0, dot), device.slice(dot + 1), isOut);
      this.ports.deviceChanged(computer, inc, status);
    }
  }

  #run(id: string, to: AgentAddress, devices: string[], course: Course): void {
    const cancel = this.ports.after(course.ms, () => this.#end(id, course.outcome, course.calls));
    this.#running.set(id, { to, devices, cancel });
  }

  #end(id: string, outcome: AttemptOutcome, calls: AttemptCalls): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#running.delete(id);
    running.cancel();
    const { computer, inc } = running.to;
    this.ports.attemptEnded({ attempt_id: id, computer, inc, outcome, calls });
  }
}

function statusOf(lab: string, name: string, isOut: boolean): DeviceStatus {
  return {
    lab,
    name,
    state: isOut ? 'restarting' : 'idle',
    detail: isOut ? 'out of order' : null,
    functions: [],
  };
}
