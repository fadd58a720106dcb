import type { AttemptResult, DeviceAssignment, DeviceStatus, EmergencyStop } from '@lab/contracts';
import type { Log } from '@lab/ports';
import type { LabMap } from '../labs/index.js';
import type { Agents, ComputersOnDisk } from '../rows/index.js';
import { type StopPorts, adoptStops, knownStops } from '../stops/index.js';
import type { Turn, TurnLoop, WorkingState } from '../turn/index.js';
import type { Durations } from '../work/index.js';
import type { AgentDirectory } from './agent-directory.js';
import type { AgentRegistration, Heartbeat } from './agent-messages.js';
import type { AttemptCommands } from './attempt-commands.js';
import type { DeviceAssigner } from './device-assigner.js';
import { demandKnownComputer } from './known-computers.js';
import { demandFit } from './fitting-agents.js';
import { demandOneAgent, type Holder } from './one-agent.js';
import { recordResult } from './results.js';

/** The answer to the registration of an agent. */
export interface AgentWelcome {
  inc: number;
  epoch: number;
  devices: DeviceAssignment[];
  halts: EmergencyStop[];
  released: string[];
}

export interface AgentReportPorts {
  loop: TurnLoop;
  state: WorkingState;
  agents: Pick<Agents, 'presence'>;
  directory: AgentDirectory;
  commands: AttemptCommands;
  assigner: DeviceAssigner;
  durations: Durations;
  stops: StopPorts;
  labs: () => LabMap;
  epoch: () => number;
  computersOnDisk: ComputersOnDisk | undefined;
  log: Log;
}

/** What agents report: registrations, heartbeats, the state of devices, results of attempts, and departures. */
export class AgentReports {
  constructor(private readonly ports: AgentReportPorts) {}

  /**
   * Registers an agent. A new session gets the next incarnation. Attempts of its computer are adopted, queued again or
   * shown to a person, depending on its report.
   *
   * @throws ServiceError `not_found` when no laboratory names its computer; `wrong_state` when another agent of the
   * computer may be at work; `upgrade_required` when its release does not fit; `store_unavailable`
   */
  async register(agent: AgentRegistration): Promise<AgentWelcome> {
    const onDisk = await this.#computersOnDisk(agent.computer);
    const holder = await this.#holder(agent);
    return this.ports.loop.submit('registration of an agent', (turn) => {
      if (onDisk !== null) demandKnownComputer(turn, agent, this.ports.labs(), onDisk);
      demandFit(agent, this.ports.directory, turn.now);
      demandOneAgent(turn, agent, holder, this.ports);
      return this.#registered(turn, agent);
    });
  }

  /** A heartbeat. One of an earlier incarnation is out of date and changes nothing. */
  heartbeat(computer: string, heartbeat: Heartbeat): void {
    this.ports.loop.enqueue('heartbeat', (turn) => this.#alive(turn, computer, heartbeat), true);
  }

  deviceChanged(computer: string, inc: number, device: DeviceStatus): void {
    const { directory, loop } = this.ports;
    const report = (turn: Turn): void => {
      const agent = directory.current(computer, inc);
      if (agent !== undefined && directory.deviceChanged(agent, device, turn.now))
        turn.state.dispatchDue = true;
    };
    loop.enqueue('device', report, true);
  }

  /** The agent announces that it stops. */
  leaving(computer: string, inc: number, session: string): void {
    const { directory, loop, log } = this.ports;
    loop.enqueue('leave of an agent', () => {
      const agent = directory.current(computer, inc, session);
      if (agent === undefined) return;
      directory.left(agent);
      log.info('agent left', { computer, inc });
    });
  }

  /**
   * Records the end of an attempt. An unknown or ended attempt changes nothing, so an agent may repeat a result until
   * the acknowledgement after the commit.
   *
   * @throws ServiceError `stale_message` for an incarnation that cannot know the attempt; `store_unavailable`
   */
  attemptEnded(result: AttemptResult): Promise<void> {
    return this.ports.loop.submit('result of an attempt', (turn) => recordResult(turn, this.ports, result));
  }

  /** Undefined: no agent of another session has registered for the computer. */
  async #holder({ computer, session }: AgentRegistration): Promise<Holder | undefined> {
    const { agents, epoch, state } = this.ports;
    const row = state.rows.agents.get(computer);
    if (row === undefined || row.session === session) return undefined;
    return { row, presence: await agents.presence({ computer, inc: row.inc, epoch: epoch() }) };
  }

  /** Null: the computer may register, because a loaded laboratory names it or not all laboratories can be read. */
  async #computersOnDisk(computer: string): Promise<Iterable<string> | null> {
    const { computersOnDisk, labs, log } = this.ports;
    if (computersOnDisk === undefined || labs().computers.has(computer)) return null;
    try {
      return await computersOnDisk(computer);
    } catch (error) {
      log.warn('the laboratories on disk cannot be read, so any computer may register', { computer, error });
      return null;
    }
  }

  #registered(turn: Turn, agent: AgentRegistration): AgentWelcome {
    const { directory, commands, assigner, stops, log, loop } = this.ports;
    const { computer, session } = agent;
    const row = turn.state.rows.agents.get(computer);
    const inc = row?.session === session ? row.inc : (row?.inc ?? 0) + 1;
    if (row?.inc !== inc) turn.emit({ op: 'putAgent', row: { computer, inc, session } });
    adoptStops(turn, stops, agent.halts ?? [], computer);
    commands.registered(turn, inc, agent);
    const labs = this.ports.labs();
    turn.afterCommit(() => {
      directory.registered(agent, inc, turn.now);
      if (labs !== this.ports.labs()) assigner.changedFor(computer);
      log.info('agent registered', { computer, inc, version: agent.version });
      loop.enqueue('agent online', (next) => {
        next.state.dispatchDue = true;
      });
    });
    const assignments = labs.assignmentsOf(computer, log);
    return { inc, epoch: this.ports.epoch(), devices: assignments, ...knownStops(turn.state) };
  }

  #alive(turn: Turn, computer: string, heartbeat: Heartbeat): void {
    const { directory, commands, stops } = this.ports;
    const agent = directory.current(computer, heartbeat.inc);
    if (agent === undefined) return;
    if (directory.heard(agent, heartbeat.devices, turn.now, heartbeat.seq)) turn.state.dispatchDue = true;
    if (directory.computerReported(agent, heartbeat, turn.now)) turn.state.dispatchDue = true;
    adoptStops(turn, stops, heartbeat.halts ?? [], computer);
    commands.reported(turn, computer, heartbeat.inc, heartbeat.attempts);
  }
}
