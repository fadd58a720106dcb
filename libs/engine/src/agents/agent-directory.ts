import {
  agentTransitions,
  isGone,
  isHeard,
  isUsable,
  mayDispatchTo,
  mayFollow,
  spokenProtocol,
  type AgentState,
  type AgentUpdates,
  type DeviceFunction,
  type DeviceStatus,
  type ProtocolRange,
} from '@lab/contracts';
import { deviceKey } from '../labs/index.js';
import type { AgentRegistration, Heartbeat } from './agent-messages.js';
import { ClockOffset } from './clock-offset.js';
import { needsPerson } from './device-doubt.js';
import { RefusedAgents } from './refused-agents.js';

export interface Presence {
  computer: string;
  inc: number;
  session: string;
  state: AgentState;
  /** When the agent was last heard, in milliseconds since 1970. */
  heardAt: number;
  /** Number of its newest heartbeat; 0: none since it registered. */
  seq: number;
  /** By `<lab>.<device>`. */
  devices: Map<string, DeviceStatus>;
  version: string;
  /** Versions of the protocol that it speaks. */
  protocol: ProtocolRange;
  /** The agent is offline because it announced that it stops. */
  announcedLeave: boolean;
  /** How far the clock of its computer is ahead, as measured since it registered. */
  clock: ClockOffset;
  /** Why the agent cannot write its ledger; null: it can; undefined: not reported. */
  ledgerTrouble: string | null | undefined;
  /** `<lab>.<device>` to the time of its last known start, in milliseconds since 1970. */
  startedAt: Map<string, number>;
  /** How the agent can be updated; undefined: it cannot be asked. */
  updates: AgentUpdates | undefined;
  /** {@link AgentDirectory.news} when the published state of the agent or of one of its devices last changed. */
  news: number;
  /** People may have to be asked about the agent or one of its devices, or warned of it. */
  isConspicuous: boolean;
}

/**
 * The connected agents and the state of their devices, as last heard. It is kept in memory only, because every agent
 * registers again with a new leader. It says where new work may be sent, and nothing about the state of work.
 */
export class AgentDirectory {
  readonly #agents = new Map<string, Presence>();
  /** Devices that a person restarts and whose agent has not answered yet. */
  readonly #restarting = new Set<string>();
  /** Second agents of computers, refused while the first one answered. */
  readonly seconds = new RefusedAgents();
  /** Agents whose release does not fit. */
  readonly misfits = new RefusedAgents();
  #changes = 0;
  #news = 0;
  #since = Infinity;

  /** @param suspectAfterMs silence after which nothing more is sent to an agent, in milliseconds */
  constructor(
    private readonly suspectAfterMs: number,
    private readonly offlineAfterMs: number,
  ) {}

  /** Rises whenever an agent or device becomes usable or unusable. */
  get changes(): number {
    return this.#changes;
  }

  /** Rises whenever the published state of an agent or a device changes. */
  get news(): number {
    return this.#news;
  }

  /** The leader hears agents from now on. */
  begin(now: number): void {
    this.#since = now;
  }

  /** Whether every agent that is connected has been heard by now. */
  hasListened(now: number): boolean {
    return now - this.#since >= this.offlineAfterMs;
  }

  registered(
    agent: Pick<AgentRegistration, 'computer' | 'session' | 'version' | 'protocol' | 'devices' | 'updates'>,
    inc: number,
    now: number,
  ): void {
    const { computer, session, version, protocol, devices, updates } = agent;
    this.misfits.forget(computer);
    const before = this.#agents.get(computer);
    if (before !== undefined) change(before, 'online');
    this.#changes += 1;
    const presence: Presence = {
      computer,
      inc,
      session,
      state: 'online',
      heardAt: now,
      seq: 0,
      devices: new Map(devices.map((device) => [deviceKey(device.lab, device.name), device])),
      startedAt: new Map(),
      version,
      protocol: spokenProtocol(protocol),
      announcedLeave: false,
      clock: new ClockOffset(),
      ledgerTrouble: undefined,
      updates,
      news: (this.#news += 1),
      isConspicuous: false,
    };
    this.#agents.set(computer, presence);
    judge(presence);
  }

  /** The agent, if this is its latest incarnation and session; undefined for messages that are out of date. */
  current(computer: string, inc: number, session?: string): Presence | undefined {
    const agent = this.#agents.get(computer);
    return agent?.inc === inc && (session === undefined || agent.session === session) ? agent : undefined;
  }

  /**
   * Records a heartbeat.
   *
   * @param seq its number
   * @returns whether an agent or device has become usable
   */
  heard(agent: Presence, devices: readonly DeviceStatus[], now: number, seq = 0): boolean {
    agent.heardAt = now;
    agent.seq = Math.max(agent.seq, seq);
    let better = !mayDispatchTo(agent.state);
    if (better) this.#changes += 1;
    if (!isHeard(agent.state)) this.#tell(agent);
    change(agent, 'online');
    agent.announcedLeave = false;
    const reported = new Set<string>();
    for (const device of devices) {
      better = this.#note(agent, device, now) || better;
      reported.add(deviceKey(device.lab, device.name));
    }
    for (const key of agent.devices.keys()) {
      if (reported.has(key)) continue;
      agent.devices.delete(key);
      this.#changes += 1;
      this.#tell(agent);
    }
    judge(agent);
    return better;
  }

  /**
   * Records what an agent reports of its computer.
   *
   * @param now milliseconds since 1970
   * @returns whether the agent takes work again
   */
  computerReported(
    agent: Presence,
    { wall_ms: wall, ledger_trouble: trouble }: Heartbeat,
    now: number,
  ): boolean {
    if (wall !== undefined) agent.clock.note(wall - now);
    const had = agent.ledgerTrouble != null;
    if (trouble !== undefined) agent.ledgerTrouble = trouble;
    const has = agent.ledgerTrouble != null;
    if (had !== has) this.#changes += 1;
    judge(agent);
    return had && !has;
  }

  /** Ignores a status that arrives after a later one. @returns whether the device has become usable */
  deviceChanged(agent: Presence, device: DeviceStatus, now: number): boolean {
    const isBetter = this.#note(agent, device, now);
    judge(agent);
    return isBetter;
  }

  #note(agent: Presence, device: DeviceStatus, now: number): boolean {
    const key = deviceKey(device.lab, device.name);
    const before = agent.devices.get(key);
    if (before?.seq !== undefined && device.seq !== undefined && device.seq < before.seq) return false;
    agent.devices.set(key, device);
    if (!looksAlike(before, device)) this.#tell(agent);
    if (before === undefined || device.state === 'initializing') agent.startedAt.set(key, now);
    const wasUsable = before !== undefined && isUsable(before.state);
    if (isUsable(device.state) !== wasUsable) this.#changes += 1;
    return isUsable(device.state) && !wasUsable;
  }

  /** The agent announced that it stops. Until its end it reports how its devices stop. */
  left(agent: Presence): void {
    change(agent, 'offline');
    agent.announcedLeave = true;
    this.#changes += 1;
    this.#tell(agent);
    agent.startedAt.clear();
  }

  /** Updates the state of silent agents. @returns those whose state changed */
  age(now: number): Presence[] {
    const changed: Presence[] = [];
    for (const agent of this.#agents.values()) {
      if (isGone(agent.state)) continue;
      const silence = now - agent.heardAt;
      const state =
        silence >= this.offlineAfterMs ? 'offline' : silence >= this.suspectAfterMs ? 'suspect' : agent.state;
      if (state === agent.state) continue;
      change(agent, state);
      this.#changes += 1;
      this.#tell(agent);
      changed.push(agent);
    }
    return changed;
  }

  /** When the state of the next silent agent changes, in milliseconds since 1970. */
  nextAgeing(): number | undefined {
    let next: number | undefined;
    for (const agent of this.#agents.values()) {
      if (isGone(agent.state)) continue;
      const at = agent.heardAt + (isHeard(agent.state) ? this.suspectAfterMs : this.offlineAfterMs);
      if (next === undefined || at < next) next = at;
    }
    return next;
  }

  get(computer: string): Presence | undefined {
    return this.#agents.get(computer);
  }

  all(): Iterable<Presence> {
    return this.#agents.values();
  }

  /** The incarnation to which new work may be sent; undefined: none may be sent. */
  dispatchable(computer: string): number | undefined {
    const agent = this.#agents.get(computer);
    return agent !== undefined && takesWork(agent) ? agent.inc : undefined;
  }

  /** No task gets the device until {@link restartAnswered}. */
  restartAsked(key: string): void {
    this.#restarting.add(key);
    this.#changes += 1;
  }

  /** The agent has answered, or cannot answer any more. @returns whether the restart was asked for */
  restartAnswered(key: string): boolean {
    this.#changes += 1;
    return this.#restarting.delete(key);
  }

  /** The functions of a device as last reported; empty if none were. */
  functionsOf(computer: string, key: string): DeviceFunction[] {
    return this.#agents.get(computer)?.devices.get(key)?.functions ?? [];
  }

  /** Why no task can get the device now, in words; null: one can. */
  whyUnusable(computer: string, key: string): string | null {
    const agent = this.#agents.get(computer);
    if (agent === undefined || !mayDispatchTo(agent.state)) return `computer ${computer} is not connected`;
    if (agent.ledgerTrouble != null) return `computer ${computer}: ${agent.ledgerTrouble}`;
    if (this.#restarting.has(key)) return 'a person restarts it';
    const status = agent.devices.get(key);
    if (status === undefined) return 'its agent has not reported it';
    if (isUsable(status.state)) return null;
    return `it is ${status.state}${status.detail == null || status.detail === '' ? '' : `: ${status.detail}`}`;
  }

  #tell(agent: Presence): void {
    agent.news = this.#news += 1;
  }
}

/** An agent that cannot write its ledger refuses every task. */
function takesWork({ state, ledgerTrouble }: Presence): boolean {
  return mayDispatchTo(state) && ledgerTrouble == null;
}

/** Notes whether anything about the agent or its devices is conspicuous. Called after every report, so that no turn has to look. */
function judge(agent: Presence): void {
  agent.isConspicuous = agent.clock.isWrong || agent.ledgerTrouble != null;
  for (const status of agent.devices.values())
    agent.isConspicuous ||=
      status.silent_since_ms !== undefined || status.asks !== undefined || needsPerson(status);
}

function looksAlike(one: DeviceStatus | undefined, other: DeviceStatus): boolean {
  return one?.state === other.state && one.detail === other.detail && one.halted === other.halted;
}

/** @throws Error when the transition is not allowed */
function change(agent: Presence, state: AgentState): void {
  if (agent.state !== state && !mayFollow(agentTransitions, agent.state, state))
    throw new Error(`agent ${agent.computer}: ${agent.state} cannot become ${state}`);
  agent.state = state;
}
