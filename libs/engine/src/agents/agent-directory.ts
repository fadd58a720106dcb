import {
  agentTransitions,
  isGone,
  isHeard,
  isUsable,
  mayDispatchTo,
  mayFollow,
  type AgentState,
  type DeviceFunction,
  type DeviceStatus,
} from '@lab/contracts';
import { deviceKey } from '../labs/index.js';
import type { AgentRegistration, Heartbeat } from './agent-messages.js';

export interface Presence {
  computer: string;
  inc: number;
  session: string;
  state: AgentState;
  /** When it was last heard, in milliseconds since 1970. */
  heardAt: number;
  /** Number of its newest heartbeat; 0: none was heard since it registered. */
  seq: number;
  /** By `<lab>.<device>`. */
  devices: Map<string, DeviceStatus>;
  version: string;
  /** It is gone because it said so. */
  announcedLeave: boolean;
  /** How far its clock was ahead when last heard, in milliseconds; null: it has not said. */
  clockOffsetMs: number | null;
  /** What keeps it from writing its ledger; null: nothing does; undefined: it has not said. */
  ledgerTrouble: string | null | undefined;
  /** By `<lab>.<device>`: when it was last heard to start, in milliseconds since 1970. */
  startedAt: Map<string, number>;
}

/**
 * Which agents are there, and the state of their devices, as last heard. Kept in memory only: after a start every agent
 * registers again. Nothing here is the truth about work; it only says where new work may be sent.
 */
export class AgentDirectory {
  readonly #agents = new Map<string, Presence>();
  #changes = 0;
  #news = 0;

  /** @param suspectAfterMs silence after which nothing is sent any more @param offlineAfterMs and then it is gone */
  constructor(
    private readonly suspectAfterMs: number,
    private readonly offlineAfterMs: number,
  ) {}

  /** Rises whenever work may go where it could not go before, or the other way round. */
  get changes(): number {
    return this.#changes;
  }

  /** Rises whenever an agent or a device is not what it was. */
  get news(): number {
    return this.#news;
  }

  registered(
    {
      computer,
      session,
      version,
      devices,
    }: Pick<AgentRegistration, 'computer' | 'session' | 'version' | 'devices'>,
    inc: number,
    now: number,
  ): void {
    const before = this.#agents.get(computer);
    if (before !== undefined) change(before, 'online');
    this.#changes += 1;
    this.#news += 1;
    this.#agents.set(computer, {
      computer,
      inc,
      session,
      state: 'online',
      heardAt: now,
      seq: 0,
      devices: new Map(devices.map((device) => [deviceKey(device.lab, device.name), device])),
      startedAt: new Map(),
      version,
      announcedLeave: false,
      clockOffsetMs: null,
      ledgerTrouble: undefined,
    });
  }

  /** The agent in that incarnation and session, if it is the present one; anything else is an echo of the past. */
  current(computer: string, inc: number, session?: string): Presence | undefined {
    const agent = this.#agents.get(computer);
    return agent?.inc === inc && (session === undefined || agent.session === session) ? agent : undefined;
  }

  /** @param seq number of the heartbeat @returns whether work may go where it could not go before */
  heard(agent: Presence, devices: readonly DeviceStatus[], now: number, seq = 0): boolean {
    agent.heardAt = now;
    agent.seq = Math.max(agent.seq, seq);
    let better = !mayDispatchTo(agent.state);
    if (better) this.#changes += 1;
    if (!isHeard(agent.state)) this.#news += 1;
    change(agent, 'online');
    agent.announcedLeave = false;
    const reported = new Set<string>();
    for (const device of devices) {
      better = this.deviceChanged(agent, device, now) || better;
      reported.add(deviceKey(device.lab, device.name));
    }
    for (const key of agent.devices.keys()) {
      if (reported.has(key)) continue;
      agent.devices.delete(key);
      this.#changes += 1;
      this.#news += 1;
    }
    return better;
  }

  /** What an agent says of the computer that it runs on. @param now when that was heard, in milliseconds since 1970 */
  computerReported(
    agent: Presence,
    { wall_ms: wall, ledger_trouble: trouble }: Heartbeat,
    now: number,
  ): void {
    if (wall !== undefined) agent.clockOffsetMs = wall - now;
    if (trouble !== undefined) agent.ledgerTrouble = trouble;
  }

  /** @returns whether the device can be used and could not before */
  deviceChanged(agent: Presence, device: DeviceStatus, now: number): boolean {
    const key = deviceKey(device.lab, device.name);
    const before = agent.devices.get(key);
    agent.devices.set(key, device);
    if (!looksAlike(before, device)) this.#news += 1;
    if (before === undefined || device.state === 'initializing') agent.startedAt.set(key, now);
    const wasUsable = before !== undefined && isUsable(before.state);
    if (isUsable(device.state) !== wasUsable) this.#changes += 1;
    return isUsable(device.state) && !wasUsable;
  }

  left(agent: Presence): void {
    change(agent, 'offline');
    agent.announcedLeave = true;
    this.#changes += 1;
    this.#news += 1;
    agent.devices.clear();
    agent.startedAt.clear();
  }

  /** Ages the agents that were not heard. @returns those whose state changed */
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
      this.#news += 1;
      changed.push(agent);
    }
    return changed;
  }

  /** When the next agent will have been silent for too long. */
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

  /** The incarnation to which new work may be sent. */
  dispatchable(computer: string): number | undefined {
    const agent = this.#agents.get(computer);
    return agent !== undefined && mayDispatchTo(agent.state) ? agent.inc : undefined;
  }

  /** What the agent last said of the functions of a device; empty when it said nothing. */
  functionsOf(computer: string, key: string): DeviceFunction[] {
    return this.#agents.get(computer)?.devices.get(key)?.functions ?? [];
  }

  /** Why no task may be given the device at present, in words; null: one may. */
  whyUnusable(computer: string, key: string): string | null {
    const agent = this.#agents.get(computer);
    if (agent === undefined || !mayDispatchTo(agent.state)) return `computer ${computer} is not connected`;
    const status = agent.devices.get(key);
    if (status === undefined) return 'its agent has not spoken of it';
    if (isUsable(status.state)) return null;
    return `it is ${status.state}${status.detail == null || status.detail === '' ? '' : `: ${status.detail}`}`;
  }
}

function looksAlike(one: DeviceStatus | undefined, other: DeviceStatus): boolean {
  return one?.state === other.state && one.detail === other.detail && one.halted === other.halted;
}

/** @throws Error when the table of states does not have it */
function change(agent: Presence, state: AgentState): void {
  if (agent.state !== state && !mayFollow(agentTransitions, agent.state, state))
    throw new Error(`agent ${agent.computer}: ${agent.state} cannot become ${state}`);
  agent.state = state;
}
