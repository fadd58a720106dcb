import type { DeviceAssignment, DeviceStatus, Halt } from '@lab/contracts';
import type { Log } from '@lab/ports';
import type { LabMap } from '../labs/index.js';
import { type StopPorts, adoptStops, stopsToTell } from '../stops/index.js';
import type { Turn } from '../turn/index.js';
import type { AgentDirectory } from './agent-directory.js';
import type { AgentRegistration, Heartbeat } from './agent-messages.js';
import type { AttemptTalk } from './attempt-commands.js';
import type { DeviceAssigner } from './device-assigner.js';

/** What an agent is told when it says hello. */
export interface AgentWelcome {
  inc: number;
  epoch: number;
  devices: DeviceAssignment[];
  halts: Halt[];
  released: string[];
}

export interface NewsPorts {
  directory: AgentDirectory;
  talk: AttemptTalk;
  assigner: DeviceAssigner;
  stops: StopPorts;
  labs: () => LabMap;
  epoch: () => number;
  log: Log;
}

/** What agents say of themselves: that they are there, what their devices do, and that they leave. */
export class AgentNews {
  readonly #ports: NewsPorts;
  readonly #enqueue: (name: string, act: (turn: Turn) => void) => void;

  constructor(ports: NewsPorts, enqueue: (name: string, act: (turn: Turn) => void) => void) {
    this.#ports = ports;
    this.#enqueue = enqueue;
  }

  /** A new session gets the next incarnation; the same session keeps its own. */
  registered(turn: Turn, agent: AgentRegistration): AgentWelcome {
    const { directory, talk, assigner, stops, log } = this.#ports;
    const { computer, session } = agent;
    const row = turn.state.rows.agents.get(computer);
    const inc = row?.session === session ? row.inc : (row?.inc ?? 0) + 1;
    if (row?.inc !== inc) turn.emit({ op: 'putAgent', row: { computer, inc, session } });
    adoptStops(turn, stops, agent.halts ?? [], computer);
    talk.registered(turn, inc, agent);
    const labs = this.#ports.labs();
    turn.afterCommit(() => {
      directory.registered(agent, inc, turn.now);
      if (labs !== this.#ports.labs()) assigner.changedFor(computer);
      log.info('agent registered', { computer, inc, version: agent.version });
      this.#enqueue('agent online', (next) => {
        next.state.dispatchDue = true;
      });
    });
    const assignments = labs.assignmentsOf(computer, log);
    return { inc, epoch: this.#ports.epoch(), devices: assignments, ...stopsToTell(turn.state) };
  }

  alive(turn: Turn, computer: string, heartbeat: Heartbeat): void {
    const { directory, talk, stops } = this.#ports;
    const agent = directory.present(computer, heartbeat.inc, heartbeat.session);
    if (agent === undefined) return;
    if (directory.heard(agent, heartbeat.devices, turn.now, heartbeat.seq)) turn.state.dispatchDue = true;
    directory.told(agent, heartbeat, turn.now);
    adoptStops(turn, stops, heartbeat.halts ?? [], computer);
    talk.reported(turn, computer, heartbeat.inc, heartbeat.attempts);
  }

  deviceChanged(turn: Turn, computer: string, inc: number, device: DeviceStatus): void {
    const agent = this.#ports.directory.present(computer, inc);
    if (agent !== undefined && this.#ports.directory.deviceChanged(agent, device, turn.now))
      turn.state.dispatchDue = true;
  }

  leaving(computer: string, inc: number, session: string): void {
    const agent = this.#ports.directory.present(computer, inc, session);
    if (agent === undefined) return;
    this.#ports.directory.left(agent);
    this.#ports.log.info('agent left', { computer, inc });
  }
}
